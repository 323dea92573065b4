/// The rules that recognize mistakes, in the order in which they are tried.
///
/// Theory. The parser knows what could follow, which seldom helps: it takes a misspelt `WHERE` for a
/// source's name, and fails one word later. So the tokens around the position are examined again, by
/// rules that each recognize one mistake. The first that matches provides the message; if none does,
/// the parser says what it expected.
enum MistakeRules {
    private static let all =
        NameMistakes.rules + WordMistakes.rules + ClauseMistakes.rules + PunctuationMistakes.rules

    /// The mistake that explains a token in the wrong place; `nil` if no rule matches.
    static func mistake(in context: SyntaxContext) -> SyntaxMistake? {
        for rule in all {
            if let found = rule(context) { return found }
        }
        return nil
    }
}
