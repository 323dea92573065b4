import Foundation

/// How the rules read a line of a source or of a page.
extension Substring {
    /// The part before a comment.
    var code: Substring { firstRange(of: "//").map { self[..<$0.lowerBound] } ?? self }

    /// The texts between backticks.
    var backticked: [Substring] {
        // They are every second piece.
        split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0 % 2 == 1 ? $1 : nil }
    }

    /// The cells of a table row, trimmed; none for any other line.
    var cells: [Substring] {
        guard hasPrefix("|"), hasSuffix("|"), count > 1 else { return [] }
        return dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            .map(\.trimmed)
    }

    /// Itself without surrounding spaces.
    var trimmed: Substring {
        let text = drop { $0 == " " }
        return text.lastIndex { $0 != " " }.map { text[...$0] } ?? text.prefix(0)
    }

    /// Its identifiers and keywords, in order.
    var identifiers: [Substring] { split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
}

/// A regular expression for whole files: Swift's own is too slow for them.
///
/// `^` and `$` match at lines; `.` does not match the end of one.
struct Pattern {
    struct Match {
        var line: Int
        /// The whole match, and the groups; empty for groups that did not take part.
        var groups: [Substring]
        var range: Range<String.Index>
    }

    private let expression: NSRegularExpression

    init(_ pattern: String) throws {
        expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
    }

    /// The matches in a text, in order.
    func matches(in text: String) -> [Match] {
        var (line, place) = (1, text.startIndex)
        let whole = NSRange(location: 0, length: text.utf16.count)
        return expression.matches(in: text, range: whole).compactMap { found in
            guard let range = Range(found.range, in: text) else { return nil }
            line += text.utf8[place..<range.lowerBound].count { $0 == 0x0A }
            place = range.lowerBound
            let groups = (0..<found.numberOfRanges).map { index in
                Range(found.range(at: index), in: text).map { text[$0] } ?? ""
            }
            return Match(line: line, groups: groups, range: range)
        }
    }
}

extension Pattern {
    /// A text with a replacement for each match, which keeps the line breaks in it.
    func replacing(in text: String, with replacement: String = "") -> String {
        matches(in: text).reversed().reduce(into: text) { text, match in
            let breaks = String(repeating: "\n", count: match.groups[0].utf8.count { $0 == 0x0A })
            text.replaceSubrange(match.range, with: replacement + breaks)
        }
    }
}
