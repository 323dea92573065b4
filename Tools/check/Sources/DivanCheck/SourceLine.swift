/// How the checks read a line of a source or of a page.
extension Substring {
    /// The part before a comment.
    var code: Substring {
        guard let start = firstRange(of: "//") else { return self }
        return self[..<start.lowerBound]
    }

    /// The texts between backticks.
    var backticked: [Substring] {
        let pieces = split(separator: "`", omittingEmptySubsequences: false)
        // They are every second piece.
        return stride(from: 1, to: pieces.count, by: 2).map { pieces[$0] }
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

    /// Whether it contains a call, but not as the end of another name.
    func calls(_ call: String) -> Bool {
        ranges(of: call).contains { range in
            guard call.first?.isLetter == true, range.lowerBound > startIndex else { return true }
            let before = self[index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber
        }
    }
}
