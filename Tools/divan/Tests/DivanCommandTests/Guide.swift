import DivanTestKit
import Foundation

/// A page of Docs/guides with its blocks.
struct Guide {
    /// What stands between two fences.
    struct Block {
        /// The words behind the opening fence, such as `sh jukebox serving`.
        let label: String
        let text: String
    }

    let blocks: [Block]

    init(_ name: String) throws {
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

    /// The blocks with this label.
    func blocks(_ label: String) -> [Block] { blocks.filter { $0.label == label } }

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
