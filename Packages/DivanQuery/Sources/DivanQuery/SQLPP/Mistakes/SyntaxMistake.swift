/// A mistake of someone used to another dialect, or a typing error: where it is, and what to write instead.
struct SyntaxMistake {
    /// Checks the tokens around a position for one mistake.
    typealias Rule = @Sendable (SyntaxContext) -> SyntaxMistake?

    /// The problem and the remedy.
    let sentence: String
    /// The number of bytes before the mistake.
    let offset: Int

    init(_ sentence: String, at token: SQLToken) {
        self.sentence = sentence
        offset = token.range.lowerBound
    }

    /// The message for a query inside another one.
    static let innerQuery =
        "subqueries are allowed only in EXISTS (SELECT …); write a JOIN, or run two queries and"
        + " pass the first result as a parameter"

    /// The message for a word of another dialect.
    static func foreign(_ word: String, _ remedy: String) -> String {
        "SQL++ for Mobile has no \(word.uppercased()); \(remedy)"
    }
}
