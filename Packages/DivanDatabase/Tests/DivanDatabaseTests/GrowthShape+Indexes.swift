import DivanJSON
import DivanQuery

// Queries that use an index, and patterns whose length is limited.
extension GrowthShape {
    /// Queries for which there is an index; those of a list have the same documents.
    static let indexed = [joins, matches, [words]]

    private static let indexedCount = 1_000

    private static let joins = [
        "SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n = b.n",
        "SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON b.n = a.n + 1 WHERE a.k > 3",
        "SELECT COUNT(*) FROM _ AS a LEFT JOIN _ AS b ON a.n = b.n AND b.k < 50",
        "SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON b.n BETWEEN a.n AND a.n + 2",
        "SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n = b.n JOIN _ AS c ON b.k = c.n",
        "SELECT a.k, COUNT(*) FROM _ AS a JOIN _ AS b ON a.n = b.n GROUP BY a.k ORDER BY b.k",
        "SELECT n FROM _ WHERE n > 5 ORDER BY n",
    ].map { sql in
        var shape = GrowthShape(sql, over: indexedCount) { number, _ in
            "{\"n\":\(number),\"k\":\(number % 97)}"
        }
        shape.index = .value([CheckedKey(.property(source: 0, "n"))], filter: nil)
        return shape
    }

    private static let textIndex = QueryIndexDefinition.fullText(
        [QueryIndexDefinition.FullTextColumn(name: "t", .property(source: 0, "t"))],
        tokenizer: "divan4 en 1",
        filter: nil
    )

    private static let matches = [
        "common", "w*", "common NEAR/3 w*", "\"common w*\"", "common OR more NOT w1",
        "^common text", "(w1 OR common) AND (w2 OR text)",
    ].flatMap { words in
        let condition = "WHERE MATCH(i, '\(words)')"
        return [
            "SELECT META().id FROM _ \(condition)", "SELECT RANK(i) FROM _ \(condition)",
            "SELECT META().id FROM _ \(condition) ORDER BY RANK(i) DESC LIMIT 10",
        ].map { sql in
            var shape = GrowthShape(sql, over: indexedCount) { number, _ in
                "{\"t\":\"common word w\(number), common w\(number % 50) and more text\"}"
            }
            shape.index = textIndex
            return shape
        }
    }

    /// Words of one query; there may be a thousand.
    private static let words: GrowthShape = {
        var shape = GrowthShape("MATCH with many words", 100) { count in
            let words = (0..<count).map { "w\($0)" }.joined(separator: " OR ")
            return "SELECT RANK(i) FROM _ WHERE MATCH(i, '\(words)')"
        }
        shape.documents = { _ in (0..<200).map { "{\"t\":\"word w\($0) and w\($0 * 7 % 900)\"}" } }
        shape.index = textIndex
        return shape
    }()

    /// The largest regular expressions, which compile in more than linear time; one eighth is the smallest.
    static let expressions: [GrowthShape] = [
        ("a{0,9}", 1_300), ("a{900}", 1_100), ("(ab|c[d-f]){1,3}", 500), ("(a)", 2_700),
        ("(?:[a-z]|b|ab){2,9}?", 400), (#"[\p{L}\p{N}x]"#, 16), (#"[^\p{Lu}\s]{2,5}"#, 16),
        ("(?i)[a-zäöü]", 500), ("(?=a)", 1_600), ("a|", 4_000), ("[ab]", 2_000),
    ].map { part, most in
        var shape = GrowthShape("\(part) and so on", most / 8) { _ in
            "SELECT REGEXP_CONTAINS('b', $a) FROM _"
        }
        shape.parameters = { ["a": .string(String(repeating: part, count: $0))] }
        return shape
    }
}
