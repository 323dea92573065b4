import DivanTestKit
import Testing

/// Texts that users may type: FTS5 accepts their translation, or we report what is wrong.
@Suite struct RandomQueryTests {
    private static let parts = [
        "a", "b", "wooden", "chair*", "\"", "\"a b\"", "\"a b*\"", "(", ")", "^", "*", " ", "  ",
        "AND", "OR", "NOT", "NEAR", "NEAR/2", "NEAR/", "name:", "story:", "nobody:", "é", "東京",
        "—", "\0", "+", "{", "}", "-", "'", "c0", ":", ",", "the",
        "the*", "of", "\"the a\"", "\"the a*\"",
    ]

    private func text(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...14, using: &generator)).flatMap { _ in
            let part = Self.parts.randomElement(using: &generator) ?? ""
            return Array((Bool.random(using: &generator) ? part + " " : part).utf8)
        }
    }

    @Test(arguments: 0..<8)
    func `FTS5's own error messages are never returned`(seed: UInt64) throws {
        let table = try WordsTable(
            "(1, 'a b', 'wooden chair'), (2, 'a', 'b a b'), (3, '東京', 'é a')"
        )
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let text = text(&generator)
            do {
                _ = try table.rows(matching: text)
            } catch let failure as WordsTable.Failure {
                #expect(
                    failure.message.hasPrefix("malformed full-text query: "),
                    "\(String(decoding: text, as: UTF8.self)): \(failure.message)"
                )
            }
        }
    }
}
