internal import DivanQuery

extension SQLExpressionWriter {
    /// Writes one number and the operations on it, from left to right.
    func writeArithmetic(
        _ first: CheckedExpression,
        _ links: [CheckedExpression.Link],
        to text: inout SQLText
    ) throws {
        // SQL, too, calculates from left to right within one rank.
        let sums = links.filter { $0.arithmetic == .plus || $0.arithmetic == .minus }
        let isOfOneRank = sums.isEmpty || sums.count == links.count
        // SQLite's `%` takes a number beyond 64 bits for the greatest integer.
        let hasRemainder = links.contains { $0.arithmetic == .modulo }
        if hasRemainder || links.count > (isOfOneRank ? 64 : 4) {
            // SQLite's tree has a level for each term.
            text.call(.calculate)
            let terms = [CheckedExpression.Link(.plus, first)] + links
            try writeTerms(terms[...], to: &text)
            text += ")"
            return
        }
        text += String(repeating: "(", count: isOfOneRank ? 1 : links.count)
        try write(first, .plain, to: &text)
        for link in links {
            text += " \(link.arithmetic.rawValue) "
            try write(link.operand, .plain, to: &text)
            if !isOfOneRank { text += ")" }
        }
        if isOfOneRank { text += ")" }
    }

    /// Writes terms preceded by their operators, as nested calls if there are too many for one.
    private func writeTerms(
        _ terms: ArraySlice<CheckedExpression.Link>,
        to text: inout SQLText
    ) throws {
        guard terms.count > Self.piece else {
            text.call(.terms)
            text += "'\(terms.map(\.arithmetic.rawValue).joined())'"
            for term in terms {
                text += ", "
                try write(term.operand, .plain, to: &text)
                // Converted to a number as SQLite's operators do it.
                text += " * 1"
            }
            text += ")"
            return
        }
        try writePieces(terms, called: .joinTerms, to: &text) {
            try writeTerms($0, to: &$1)
        }
    }
}
