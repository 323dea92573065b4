/// What somebody wrote who knows another dialect, or whose finger slipped: where, and what to write.
///
/// Theory. The parser knows what could follow, which seldom helps: a misspelt `WHERE` is a source's
/// name to it, and it stumbles one word later. So the tokens around the place are looked at again,
/// by rules that each know one mistake. The first that fits speaks; where none does, the parser says
/// what it expected.
struct SyntaxMistake {
    /// Looks at the tokens around a place for one mistake.
    typealias Rule = @Sendable (SyntaxContext) -> SyntaxMistake?

    /// The problem and the remedy.
    let sentence: String
    /// The bytes in front of what is wrong.
    let offset: Int

    init(_ sentence: String, at token: SQLToken) {
        self.sentence = sentence
        offset = token.range.lowerBound
    }

    /// Looks for the mistake behind a token that cannot stand where it does.
    init?(_ context: SyntaxContext) {
        for rule in NameMistakes.rules + WordMistakes.rules + ClauseMistakes.rules
            + MarkMistakes.rules
        {
            if let found = rule(context) {
                self = found
                return
            }
        }
        return nil
    }

    /// The mistake of who writes a query inside of another.
    static let innerQuery =
        "a query inside of another can stand in EXISTS (SELECT …) only; write a JOIN, or ask"
        + " twice and pass the first answer as a parameter"

    /// The mistake of who writes a word of another dialect.
    static func foreign(_ word: String, _ remedy: String) -> String {
        "SQL++ for Mobile has no \(word.uppercased()); \(remedy)"
    }
}
