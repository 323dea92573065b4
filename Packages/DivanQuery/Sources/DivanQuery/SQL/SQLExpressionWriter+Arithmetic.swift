extension SQLExpressionWriter {
    /// Writes one number and what is calculated with it, from left to right.
    func writeArithmetic(
        _ first: CheckedExpression,
        _ links: [CheckedExpression.Link],
        to text: inout SQLText
    ) throws {
        // Within one rank SQL calculates from left to right too.
        let sums = links.filter { $0.arithmetic == .plus || $0.arithmetic == .minus }
        let isOfOneRank = sums.isEmpty || sums.count == links.count
        if links.count > (isOfOneRank ? 64 : 4) {
            // SQLite's tree has a level for each term.
            text += "divan_calculate1("
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

    /// Writes terms with the operators before them, calls in calls where there are too many for one.
    private func writeTerms(
        _ terms: ArraySlice<CheckedExpression.Link>,
        to text: inout SQLText
    ) throws {
        guard terms.count > Self.piece else {
            text += "divan_terms1('\(terms.map(\.arithmetic.rawValue).joined())'"
            for term in terms {
                text += ", "
                try write(term.operand, .plain, to: &text)
                // A number, made as SQLite's operators make it of anything.
                text += " * 1"
            }
            text += ")"
            return
        }
        try writePieces(terms, called: "divan_join_terms", to: &text) {
            try writeTerms($0, to: &$1)
        }
    }
}
