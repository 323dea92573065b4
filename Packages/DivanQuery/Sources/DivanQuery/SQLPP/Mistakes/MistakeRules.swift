/// The rules that know the mistakes, in the order in which they are asked.
///
/// Theory. The parser knows what could follow, which seldom helps: a misspelt `WHERE` is a source's
/// name to it, and it stumbles one word later. So the tokens around the place are looked at again,
/// by rules that each know one mistake. The first that fits speaks; where none does, the parser says
/// what it expected.
enum MistakeRules {
    private static let all =
        NameMistakes.rules + WordMistakes.rules + ClauseMistakes.rules + MarkMistakes.rules

    /// The mistake behind a token that cannot stand where it does; `nil` where no rule fits.
    static func mistake(in context: SyntaxContext) -> SyntaxMistake? {
        for rule in all {
            if let found = rule(context) { return found }
        }
        return nil
    }
}
