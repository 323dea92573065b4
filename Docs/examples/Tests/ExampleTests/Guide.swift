import Foundation
import Testing

/// A page of Docs/guides with its blocks that show what is typed, and what comes.
///
/// `divan-check` demands a test that runs each block of commands, and believes the labels behind
/// `runs:`; so a test that names one there and does not take its block fails.
final class Guide {
    /// A conversation with a terminal.
    struct Conversation {
        /// The lines behind a prompt.
        let typed: [String]
        /// The lines in between.
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
