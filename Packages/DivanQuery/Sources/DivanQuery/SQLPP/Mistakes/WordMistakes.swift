/// Words that the language lacks, and words that are nearly right.
enum WordMistakes {
    static let rules: [SyntaxMistake.Rule] = [foreignWord, foreignFunction, misspelling, existence]

    /// A word of another dialect, here or shortly before, where it was taken for a name.
    private static func foreignWord(_ context: SyntaxContext) -> SyntaxMistake? {
        for candidate in context.candidates {
            let word = context.text(candidate)
            guard let remedy = ForeignWords.remedy(inside: word) else { continue }
            return SyntaxMistake(SyntaxMistake.foreign(word, remedy), at: candidate)
        }
        return nil
    }

    /// `LEFT(name, 3)` and `RIGHT(name, 3)`, which are keywords here.
    private static func foreignFunction(_ context: SyntaxContext) -> SyntaxMistake? {
        guard case .keyword(let keyword) = context.current.form,
            context.after.first?.form == .mark(.openParenthesis),
            let remedy = ForeignWords.remedy(function: keyword.rawValue)
        else { return nil }
        return SyntaxMistake(
            SyntaxMistake.foreign("\(keyword.rawValue)()", remedy),
            at: context.current
        )
    }

    /// A keyword with a typing error.
    private static func misspelling(_ context: SyntaxContext) -> SyntaxMistake? {
        let found = context.candidates.reversed().compactMap { token in
            EditDistance.nearest(to: context.text(token), among: SQLKeyword.spellable)
                .map { (token: token, keyword: $0.word, count: $0.editCount) }
        }
        // Of equally near ones, FROM: `FORM inv.chairs` also has a name that is nearly AND, ANY or END.
        let rank = { (word: String) in word == SQLKeyword.from.rawValue ? 0 : 1 }
        guard
            let best = found.min(by: {
                ($0.count, rank($0.keyword)) < ($1.count, rank($1.keyword))
            })
        else { return nil }
        return SyntaxMistake(
            "unknown word \(context.shortened(best.token)); did you mean \(best.keyword)?",
            at: best.token
        )
    }

    /// `EXISTS tags` and `EXISTS (tags)`.
    private static func existence(_ context: SyntaxContext) -> SyntaxMistake? {
        let word = context.previous(context.previous()?.form == .mark(.openParenthesis) ? 2 : 1)
        guard word?.form == .word, context.text(word).uppercased() == "EXISTS" else { return nil }
        let name = context.shortened(context.current)
        return SyntaxMistake(
            "EXISTS requires a query in parentheses; to check for a property, write"
                + " \(name) IS NOT MISSING; to check for items, write ARRAY_LENGTH(\(name)) > 0",
            at: context.current
        )
    }
}

extension SQLKeyword {
    /// Keywords that a misspelt word may stand for.
    ///
    /// Not those of two letters: a name such as `inv` is nearly IN.
    static let spellable =
        allCases.filter { ![.natural, .right, .using].contains($0) }.map(\.rawValue)
        .filter { $0.utf8.count > 2 }
}
