/// What somebody wrote who knows another dialect, or whose finger slipped: where, and what to write.
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

    /// The mistake of who writes a query inside of another.
    static let innerQuery =
        "a query inside of another can stand in EXISTS (SELECT …) only; write a JOIN, or ask"
        + " twice and pass the first answer as a parameter"

    /// The mistake of who writes a word of another dialect.
    static func foreign(_ word: String, _ remedy: String) -> String {
        "SQL++ for Mobile has no \(word.uppercased()); \(remedy)"
    }
}
