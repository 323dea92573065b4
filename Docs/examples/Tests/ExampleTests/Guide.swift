import Foundation
import Testing

/// A page of Docs/guides, with its blocks of commands and their output.
///
/// `divan-check` requires a test that runs each block of commands, and trusts the labels after `runs:`.
/// So a test fails if it lists a label there and does not use the block.
final class Guide {
    /// A command and its output.
    struct Conversation {
        /// The lines after a prompt.
        let typed: [String]
        /// The lines between prompts.
        let shown: [String]
    }

    private let name: String
    private let text: String
    private var waiting: [String]

    /// Opens a page; `labels` are those of the blocks that the test runs.
    init(_ name: String, runs labels: String...) throws {
        self.name = name
        waiting = labels
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../guides/\(name)")
        text = try String(contentsOf: page, encoding: .utf8)
    }

    deinit {
        for label in waiting { Issue.record("\(name): the test takes no block called \(label)") }
    }

    /// The only block with this label.
    func conversation(_ label: String) throws -> Conversation {
        waiting.removeAll { $0 == label }
        let parts = text.components(separatedBy: "```\(label)\n")
        try #require(parts.count == 2, "\(name): one block is called \(label)")
        let block = try #require(parts[1].components(separatedBy: "```").first)
        let lines = block.split(separator: "\n").map(String.init)
        let prompt = #/^[a-z]*\$ /#
        return Conversation(
            typed: lines.filter { $0.starts(with: prompt) }.map { $0.replacing(prompt, with: "") },
            shown: lines.filter { !$0.starts(with: prompt) }
        )
    }
}
