import DivanTestKit
import Foundation
import Testing

/// A page of Docs/guides with its blocks.
///
/// `divan-check` demands a test that runs each block of commands, and trusts the labels after
/// `runs:`; so a test that names one there and does not use its blocks fails.
final class Guide {
    /// The text between two fences.
    struct Block {
        /// The words after the opening fence, such as `sh jukebox serving`.
        let label: String
        let text: String
    }

    let blocks: [Block]
    private let name: String
    private var waiting: [String]

    /// Opens a page; `labels` are those of the blocks that the test runs.
    init(_ name: String, runs labels: String...) throws {
        self.name = name
        waiting = labels
        var blocks: [Block] = []
        var open: (label: String, lines: [Substring])?
        for line in try Self.text("guides/\(name)").split(
            separator: "\n",
            omittingEmptySubsequences: false
        ) {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(
                        Block(label: block.label, text: block.lines.joined(separator: "\n"))
                    )
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), [])
                }
            } else {
                open?.lines.append(line)
            }
        }
        self.blocks = blocks
    }

    deinit {
        for label in waiting { Issue.record("\(name): the test takes no block called \(label)") }
    }

    /// The blocks with this label.
    func blocks(_ label: String) -> [Block] {
        waiting.removeAll { $0 == label }
        return blocks.filter { $0.label == label }
    }

    /// The text of the blocks with this label, one below the other.
    func script(_ label: String) -> String { blocks(label).map(\.text).joined(separator: "\n") }

    /// The blocks that the test claims to run, in the order of the page.
    func blocksInOrder() -> [Block] {
        defer { waiting = [] }
        return blocks.filter { waiting.contains($0.label) }
    }

    /// The text of a page, by its path in Docs.
    static func text(_ path: String) throws -> String {
        try String(
            contentsOf: root.appendingPathComponent("Docs/\(path)"),
            encoding: .utf8
        )
    }

    /// The repository.
    static var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../.."
        )
    }
}
