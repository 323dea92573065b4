/// How the checks read a line of a source or of a page.
extension Substring {
    /// The part before a comment.
    var code: Substring {
        guard let start = firstRange(of: "//") else { return self }
        return self[..<start.lowerBound]
    }

    /// What stands between backticks.
    var backticked: [Substring] {
        let pieces = split(separator: "`", omittingEmptySubsequences: false)
        // What stands between backticks is every second piece.
        return stride(from: 1, to: pieces.count, by: 2).map { pieces[$0] }
    }

    /// Whether it has a call, and not as the end of another name.
    func calls(_ call: String) -> Bool {
        ranges(of: call).contains { range in
            guard call.first?.isLetter == true, range.lowerBound > startIndex else { return true }
            let before = self[index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber
        }
    }
}
