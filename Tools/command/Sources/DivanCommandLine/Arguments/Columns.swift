/// The layout of help pages: at most 80 columns wide.
package enum Columns {
    /// The width that every terminal shows without wrapping.
    package static let width = 80
    /// A left column that is wider than this gets a line of its own.
    static let leftWidth = 26

    /// Returns indented rows with aligned right columns.
    package static func aligned(
        _ rows: [(left: String, right: String)],
        indent: String = "  "
    ) -> String {
        let left = rows.map(\.left.count).filter { $0 <= leftWidth }.max() ?? leftWidth
        let margin = indent + String(repeating: " ", count: left + 2)
        let lines = rows.flatMap { row in
            var lines = broken(row.right, columns: width - margin.count).map { margin + $0 }
            if row.left.count > left || lines.isEmpty {
                lines.insert(indent + row.left, at: 0)
            } else {
                lines[0] =
                    indent + row.left.padding(to: left + 2) + lines[0].dropFirst(margin.count)
            }
            return lines
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the paragraphs, which are separated by empty lines; lines that begin with two spaces stay.
    package static func wrapped(_ text: String) -> String {
        text.paragraphs.map { paragraph in
            paragraph.contains { $0.hasPrefix("  ") }
                ? paragraph.joined(separator: "\n")
                : broken(paragraph.joined(separator: " "), columns: width).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// Wraps a text between words; a word that is too long gets its own line.
    private static func broken(_ text: String, columns: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension String {
    /// The lines of each paragraph.
    fileprivate var paragraphs: [[String]] {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.split(separator: "").map(Array.init)
    }
}
