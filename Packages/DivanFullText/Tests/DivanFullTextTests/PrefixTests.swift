import DivanFullText
import DivanTestKit
import Testing

/// A star finds words by their own beginning and by that of their stems.
@Suite struct PrefixTests {
    /// Words whose stems differ from them, in the languages of Couchbase Lite, and names of others.
    private static let words: [(language: String, words: [String])] = [
        (
            "en",
            ["running", "easily", "happiness", "universities", "relational", "beings", "flies"]
        ),
        ("de", ["aufeinander", "häuser", "kategorischen", "laufenden", "straßen"]),
        ("fr", ["continuellement", "chevaux", "nationalité", "mangeaient"]),
        ("es", ["chicharrones", "corriendo", "naciones"]), ("it", ["abbandonata", "pronunciare"]),
        ("pt", ["quilométricas", "correndo"]), ("ro", ["absolutism", "copiilor"]),
        ("nl", ["lichamelijkheden", "lopende"]), ("sv", ["jaktkarlarne", "flickorna"]),
        ("da", ["undersøgelserne", "indtagende"]), ("no", ["havnedistriktene", "opptrer"]),
        ("fi", ["edeltäjistään", "taloissa"]), ("hu", ["babaházaik", "szabadságot"]),
        ("ru", ["важнейшими", "бегущие"]), ("tr", ["kitaplarımızdan", "evlerinden"]),
        ("el", ["ανθρωπότητα"]), ("ca", ["corredissos"]), ("lt", ["namuose"]), ("ar", ["الكاتبون"]),
        ("none", ["unchanged", "running"]),
    ]

    @Test(arguments: PrefixTests.words.indices, [true, false])
    func `every prefix of a word finds it, alone, in a phrase and next to other words`(
        index: Int,
        ignoresAccents: Bool
    ) throws {
        let (language, words) = Self.words[index]
        let row = words.map { "xx \($0) zz" }.joined(separator: " ")
        let table = try WordsTable(
            "(1, '\(row)', ''), (2, 'xx 00 zz', '')",
            language: language,
            ignoresAccents: ignoresAccents
        )
        for word in words {
            for count in 1...word.count {
                let prefix = word.prefix(count)
                // Other letters may have another lower case than the one they came from.
                let isPlain = prefix.utf8.allSatisfy { $0 < 0x80 } && language != "tr"
                for query in [
                    "\(prefix)*", #""xx \#(prefix)*""#, #""\#(prefix)*""#, "name:\(prefix)*",
                    "xx NEAR/0 \(prefix)*", "\(prefix)* NEAR/0 zz", #"(\#(prefix)* AND zz)"#,
                    "\(isPlain ? prefix.uppercased() : String(prefix))* NOT 00",
                ] {
                    #expect(try table.rows(matching: Array(query.utf8)) == [1], "\(query)")
                }
            }
            #expect(try table.rows(matching: Array("\(word)qq*".utf8)) == [])
            #expect(try table.rows(matching: Array("qq\(word)*".utf8)) == [])
        }
    }

    private static let rows = """
        (1, 'running', 'being the first'), (2, 'runs', 'beings theorem'), (3, 'runner', 'theory bees'),
        (4, 'easily', 'a b c')
        """

    @Test(arguments: [
        ("run*", [1, 2, 3]), ("runn*", [1, 3]), ("runni*", [1]), ("running", [1, 2]),
        ("runs", [1, 2]),
        ("running*", [1, 2, 3]), ("runnin", []), ("easi*", [4]), ("easil*", [4]), ("easily*", [4]),
        ("the*", [2, 3]), ("being*", [2]), ("^runn*", [1, 3]), (#""the theo*""#, [2, 3]),
        (#""theory bee*""#, [3]), (#""beings the*""#, [2]), ("run* NOT runn*", [2]),
        ("story:runn*", []), ("runni* OR easil*", [1, 4]), ("a*", []), ("\u{1}runn", []),
    ])
    func `a prefix does not find other words`(query: String, rows: [Int]) throws {
        let table = try WordsTable(Self.rows)
        #expect(try table.rows(matching: Array(query.utf8)) == rows)
    }

    @Test func `a word and its stem count once in the rank, and updates are complete`() throws {
        let table = try WordsTable("(1, 'running', ''), (2, 'run run', ''), (3, 'runners', '')")
        #expect(
            try table.rows(matching: Array("run".utf8), ordered: "divan_rank1(words)") == [1, 2]
        )
        try table.execute(
            """
            UPDATE words SET c0 = 'easily running' WHERE rowid = 2;
            DELETE FROM words WHERE rowid = 1;
            INSERT INTO words (words, rank) VALUES ('integrity-check', 1);
            """
        )
        #expect(try table.rows(matching: Array("runn*".utf8)) == [2, 3])
    }

    @Test func `a long word is found by its prefixes`() throws {
        let word = String(repeating: "ab", count: 400) + "running"
        let table = try WordsTable("(1, '\(word)', '')")
        for count in [1, 31, 254, 255, 256, 257, 799, word.count] {
            #expect(
                try table.rows(matching: Array("\(word.prefix(count))*".utf8)) == [1],
                "\(count)"
            )
        }
    }
}
