import CDivanFullText
import DivanFullText
import Testing

/// Words that nearly every text contains, which neither an index nor a query uses.
@Suite struct StopWordTests {
    private static let rows = """
        (1, 'It is raining in the city', 'a'), (2, 'City of rain', 'b'),
        (3, 'The quick brown fox', 'the dog and the fox'), (4, 'fox', 'quick the fox runs'),
        (5, 'theory', 'we saw he running there'), (6, 'Will can do it now, just', 'don''t: it''s a.b.c')
        """

    @Test(
        arguments: [
            ("it is raining in the city", [1, 2]), (#""raining in the city""#, [1]),
            ("city of rain", [1, 2]), ("the fox", [3, 4]), ("fox the", [3, 4]),
            ("the AND fox", [3, 4]), ("fox AND the", [3, 4]), (#""the" AND fox"#, [3, 4]),
            ("fox OR the", [3, 4]), ("the OR fox", [3, 4]), ("fox NOT the", [3, 4]),
            ("the NOT fox", []), ("fox NEAR the", [3, 4]), ("the NEAR fox", [3, 4]),
            ("quick NEAR/0 the NEAR/0 fox", [4]), (#""the quick""#, [3, 4]), (#""quick fox""#, [4]),
            (#""quick the fox""#, [4]), ("(the) fox", [3, 4]), ("fox NOT (the)", [3, 4]),
            ("fox AND (the of)", [3, 4]), ("story:the fox", [3, 4]), ("fox name:the", [3, 4]),
            ("he running", [4, 5]), ("^the quick", [3, 4]), (#"^"the quick""#, [3, 4]),
            ("quick AND (brown OR the)", [3]), ("The", []), ("the of", []), ("(the)", []),
            ("name:the", []),
        ]
    )
    func `stop words are removed from a query together with adjacent operators`(
        query: String,
        rows: [Int]
    ) throws {
        for tokenizer in ["divan3 en 0", "divan1 english 1"] {
            let table = try WordsTable(Self.rows, tokenizer: tokenizer)
            #expect(try table.rows(matching: Array(query.utf8)) == rows, "\(tokenizer)")
        }
    }

    @Test(
        arguments: [
            ("the*", [5]), (#""the*""#, [5]), (#""the qui*""#, [3, 4]), (#""the the*""#, [5]),
            ("the* runs", [5]), ("the* fox", []), (#""quick the*""#, []),
        ]
    )
    func `a stop word with a star finds longer words`(query: String, rows: [Int]) throws {
        let table = try WordsTable(Self.rows)
        #expect(try table.rows(matching: Array(query.utf8)) == rows)
    }

    @Test(arguments: ["will", "can", "now", "just", "don't", "it's", #""will can now""#, "a.b.c"])
    func `words with a meaning are not stop words`(query: String) throws {
        let table = try WordsTable(Self.rows)
        #expect(try table.rows(matching: Array(query.utf8)) == [6])
    }

    @Test func `each language has its own stop words`() throws {
        let rows = "(1, 'cannot ought', 'être'), (2, 'cette était mêmes', 'ete')"
        func found(_ word: String, _ language: String, ignoresAccents: Bool = false) throws -> [Int]
        {
            let table = try WordsTable(rows, language: language, ignoresAccents: ignoresAccents)
            return try table.rows(matching: Array(word.utf8))
        }
        for word in ["cannot", "ought"] {
            #expect(try found(word, "en").isEmpty)
            #expect(try found(word, "fr") == [1])
        }
        for word in ["cette", "était"] {
            #expect(try found(word, "fr").isEmpty)
            #expect(try found(word, "en") == [2])
        }
        #expect(try found("être", "fr") == [1])
        // The lists have accents, like upstream's: without them these are other words.
        #expect(try found("était", "fr", ignoresAccents: true) == [2])
    }

    @Test(arguments: ["divan1 en 0", "divan1 fr 1", "divan3 en 0", "divan2 ja 0"])
    func `an index keeps the stop words of its tokenizer version when it is updated`(
        tokenizer: String
    ) throws {
        let table = try WordsTable(
            "(1, 'Will can don''t, ought', 'être cette'), (2, 'fox', 'now cannot était')",
            tokenizer: tokenizer
        )
        let old = tokenizer == "divan1 en 0"
        #expect(try table.rows(matching: Array("now OR will".utf8)) == (old ? [] : [1, 2]))
        try table.execute(
            """
            UPDATE words SET c0 = 'can cannot ought', c1 = c1 || ' just' WHERE rowid = 1;
            DELETE FROM words WHERE rowid = 2;
            INSERT INTO words (words, rank) VALUES ('integrity-check', 1);
            """
        )
        #expect(try table.rows(matching: Array("just".utf8)) == (old ? [] : [1]))
        #expect(try table.rows(matching: Array("fox OR now".utf8)).isEmpty)
    }

    @Test func `an unknown tokenizer is reported`() throws {
        let table = try WordsTable("(1, 'a', 'b')", tokenizer: "unicode61")
        for name in ["nobody", String(repeating: "x", count: 200), "a b c d e f g h i j k"] {
            let failure = #expect(throws: WordsTable.Failure.self) {
                try table.execute("SELECT divan_full_text_query1('a', '', '\(name)')")
            }
            #expect(failure?.message.contains("no such tokenizer") == true, "\(name)")
        }
        // FTS5's own tokenizer has no stop words.
        #expect(try table.rows(matching: Array("a".utf8)) == [1])
        try table.execute("SELECT divan_full_text_query1('a', '', '')")
    }
}
