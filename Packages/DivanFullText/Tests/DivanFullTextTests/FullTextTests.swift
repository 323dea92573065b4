import CDivanFullText
import DivanFullText
import Testing

@Suite("Full text")
struct FullTextTests {
    private static let english = """
        (1, 'Oslo', 'A light wooden chair. The chair stacks well.'),
        (2, 'Bern', 'Reading chair with running castors for people who run meetings.'),
        (3, 'Café', 'Copy of the other chair; not oiled.')
        """

    /// The numbers of the rows that `query` finds in a table of two columns.
    private func found(
        _ query: String,
        ordered order: String = "rowid",
        language: String = "en_US",
        in rows: String = english
    ) throws -> [Int] {
        try WordsTable(rows, language: language).rows(matching: Array(query.utf8), ordered: order)
    }

    private typealias Failure = WordsTable.Failure

    @Test(
        "The query syntax is that of the reference engine",
        arguments: [
            ("chair", [1, 2, 3]), ("chairs", [1, 2, 3]), ("the", []), ("", []), ("- ;", []),
            ("runs", [2]), ("peopl*", [2]), ("chair AND light", [1]), ("chair wooden", [1]),
            ("wooden OR oiled", [1, 3]), ("chair NOT (wooden OR oiled)", [2]),
            (#""light wooden""#, [1]), (#""wooden light""#, []), ("name:oslo", [1]),
            ("story:oslo", []), ("^oslo", [1]), ("run NEAR/2 castors", [2]), ("cafe", [3]),
            ("well-stacks", [1]), ("or", []),
        ]
    )
    func syntax(query: String, rows: [Int]) throws {
        #expect(try found(query) == rows)
    }

    /// Rows are found by the rest of the query.
    @Test(
        "Punctuation separates words, and a phrase of punctuation is ignored",
        arguments: [
            ("light — wooden", [1]), ("light … wooden", [1]), ("😀 wooden ❤️", [1]),
            ("light_wooden", [1]), ("wooden\u{A0}light", [1]),
            ("wooden\u{3000}OR\u{3000}oiled", [1, 3]),
            ("wooden\u{FE0F} light", [1]), ("peopl\u{FE0F}*", [2]), ("^_^ wooden", [1]),
            (#""—" wooden"#, [1]), (#""—" AND "wooden""#, [1]), (#"wooden AND "…""#, [1]),
            (#""—" OR wooden"#, [1]), (#"wooden NOT "—""#, [1]), (#""—" NOT wooden"#, []),
            (#"run NEAR "—" NEAR/2 castors"#, [2]), (#"name:"—" wooden"#, [1]), ("wooden (!)", [1]),
            ("wooden ()", [1]), (#"^"—" wooden"#, [1]), ("—", []), (#""—""#, []), ("(—)", []),
            ("_", []),
        ]
    )
    func separators(query: String, rows: [Int]) throws {
        #expect(try found(query) == rows)
    }

    @Test(
        "Operators and column names must be separate words",
        arguments: [
            ("wooden_OR_oiled", []), ("wooden-OR-oiled", []), ("oiled OR*", []),
            ("(wooden)OR(oiled)", [1, 3]), ("run NEAR/99999999999 castors", [2]),
            ("chair _name:oslo", []), ("chair (name:oslo)", [1]),
        ]
    )
    func operators(query: String, rows: [Int]) throws {
        #expect(try found(query) == rows)
    }

    @Test("Combining marks inside words keep them together")
    func marks() throws {
        let rows = "(1, 'हिन्दी', ''), (2, 'ह द न', '')"
        #expect(try found("हिन्दी", in: rows) == [1])
        #expect(try found("हि", in: rows) == [1, 2])
    }

    private static let eastern = """
        (1, '東京', '東京都庁の展望台からカメラで撮る。'),
        (2, '京都', '京都の寺 (Temples of Kyoto) は17の世界遺産。'),
        (3, 'ภาษาไทย', 'ภาษาไทยไม่เว้นวรรคระหว่างคำ'), (4, '椅子', '木椅子很轻，可以叠放。')
        """

    @Test(
        "Words of languages without spaces are found at any position",
        arguments: [
            ("東京", [1]), ("京都", [1, 2]), ("都京", []), ("都庁 カメラ", [1]), ("カメラ OR 寺", [1, 2]),
            ("name:京都", [2]), ("kyoto", [2]), ("KYOTO 寺", [2]), ("templ*", [2]), ("世界遺*", [2]),
            ("17", [2]), ("17の世界", [2]), ("เว้นวรรค", [3]), ("椅子", [4]), ("木椅", [4]), ("椅木", []),
            (#""展望台から""#, [1]), ("東京 NOT カメラ", []), ("^東京", [1]), ("^京都庁", []),
        ]
    )
    func eastern(query: String, rows: [Int]) throws {
        for language in ["ja", "zh-Hant", "Thai"] {
            #expect(try found(query, language: language, in: Self.eastern) == rows)
        }
    }

    @Test(
        "NEAR applies to each pair of adjacent terms, in the column that either of them names",
        arguments: [
            ("story:run NEAR/2 castors", [2]), ("run NEAR/2 story:castors", [2]),
            ("name:run NEAR/2 castors", []), ("name:bern NEAR/99 story:castors", []),
            ("reading NEAR/0 chair NEAR/5 castors", [2]),
            ("reading NEAR/5 castors NEAR/0 chair", []),
            ("reading NEAR/0 story:chair NEAR/5 castors", [2]),
            ("reading NEAR/0 chair NEAR/5 name:castors", []),
            ("chair NOT reading NEAR/0 chair NEAR/5 castors", [1, 3]),
            ("(reading NEAR/0 chair) AND meeting", [2]), ("run NEAR/2 cast*", [2]),
            (#"wooden NEAR/0 "chair""#, [1]), (#"reading NEAR/2 "running cast*""#, [2]),
        ]
    )
    func near(query: String, rows: [Int]) throws {
        #expect(try found(query) == rows)
    }

    @Test(
        "A chain of NEAR matches in one column at one place",
        arguments: [
            ("aa NEAR/2 bb NEAR/2 cc", [3, 4, 5]), ("aa NEAR/0 bb NEAR/0 cc", [3, 5]),
            (#"aa NEAR/1 "bb x x" NEAR/0 cc"#, [4]), ("aa NEAR bb", [1, 2, 3, 4, 5]),
            ("aa NEAR/99 bb NEAR/99 cc", [2, 3, 4, 5]),
        ]
    )
    func nearChain(query: String, rows: [Int]) throws {
        let texts = """
            (1, 'aa bb', 'bb cc'), (2, 'aa bb 1 2 3 4 5 6 7 8 bb cc', ''), (3, 'aa bb cc', ''),
            (4, 'aa x bb x x cc', ''), (5, 'cc bb aa', '')
            """
        #expect(try found(query, in: texts) == rows)
    }

    /// FTS5 can keep a hundred signs.
    @Test(arguments: [
        ("", "", 85), ("a AND (b OR ", ")", 17), ("z OR a AND x NOT (", ")", 12),
        ("(", " OR c)", 85),
    ])
    func `nested parentheses are accepted, or rejected with a Divan error`(
        opening: String,
        closing: String,
        count: Int
    ) throws {
        func nested(_ count: Int) -> String {
            String(repeating: opening.isEmpty ? "(" : opening, count: count) + "wooden"
                + String(repeating: closing.isEmpty ? ")" : closing, count: count)
        }
        for depth in 1...count { _ = try found(nested(depth)) }
        for depth in (count + 1)...120 {
            do {
                _ = try found(nested(depth))
            } catch let failure as Failure {
                #expect(
                    failure.message.contains("parentheses are nested too deeply"),
                    "\(depth): \(failure)"
                )
            }
        }
    }

    @Test(arguments: ["wooden", #""light wooden""#])
    func `a query of many words is accepted, or rejected with a Divan error`(_ term: String) throws
    {
        func many(_ wordCount: Int) -> String {
            let count = wordCount / term.split(separator: " ").count
            return Array(repeating: term, count: count).joined(separator: " ")
        }
        #expect(try found(many(1_000)) == [1])
        let failure = #expect(throws: Failure.self) { try found(many(1_002)) }
        #expect(failure?.message.contains("more than 1,000 words") == true)
    }

    @Test(
        "An unsupported use of NEAR is rejected with a clear error",
        arguments: ["^reading NEAR chair", "reading NEAR (chair OR table)", "(a b) NEAR/3 c"]
    )
    func nearBesideOthers(query: String) {
        let failure = #expect(throws: Failure.self) { try found(query) }
        #expect(failure?.code == SQLITE_ERROR)
        let message = failure?.message ?? ""
        #expect(message.contains("NEAR") && !message.contains("fts5"), "\(message)")
    }

    @Test(
        arguments: [
            (#""reading cha*""#, [2]), (#""light woo*""#, [1]), (#""light woo""#, []),
            (#""light woo* ""#, [1]), (#""light * wooden""#, [1]), (#"name:"osl*""#, [1]),
            (#""* light wooden""#, [1]), (#""light woo *""#, []), (#"^"read*""#, [2]),
        ]
    )
    func `a star in a phrase applies only to its last word`(query: String, rows: [Int]) throws {
        #expect(try found(query) == rows)
    }

    @Test("A malformed query fails", arguments: [#""open"#, "(a", "a)", "a OR", "a AND", "a NOT"])
    func malformed(query: String) {
        #expect(throws: Failure.self) { try found(query) }
    }

    @Test(
        arguments: [
            ("chair AND NOT wooden", [2, 3]), ("chair AND NOT (wooden OR oiled)", [2]),
            ("oiled OR chair AND NOT people", [1, 3]), ("chair AND light AND NOT oiled", [1]),
        ]
    )
    func `AND NOT is equivalent to NOT`(query: String, rows: [Int]) throws {
        #expect(try found(query) == rows)
    }

    @Test(
        arguments: [
            ("NOT wooden", "write a NOT b"), ("chair OR NOT wooden", "write a NOT b"),
            ("chair NOT NOT wooden", "write a NOT b"), ("chair AND (NOT wooden)", "write a NOT b"),
            ("chair AND NOT NOT wooden", "write a NOT b"), ("AND chair", "write a AND b"),
            ("chair AND OR wooden", "write a OR b"), ("wooden (OR) oiled", "write a OR b"),
            ("NEAR chair", "write a NEAR b"), ("chair NEAR NEAR/2 light", "write a NEAR b"),
        ]
    )
    func `a misplaced operator is an error, not a word`(query: String, remedy: String) {
        let failure = #expect(throws: Failure.self) { try found(query) }
        #expect(failure?.message.hasSuffix(remedy) == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [#"chair "NOT""#, "^NOT chair", "chair not", "- NEAR/ reading chair"])
    func `an operator in quotation marks or next to other characters is a word`(
        query: String
    ) throws {
        _ = try found(query)
    }

    @Test("Rows with more of the matches rank higher")
    func rank() throws {
        #expect(try found("chair", ordered: "divan_rank1(words) DESC, rowid") == [1, 2, 3])
    }

    @Test("The languages of Couchbase Lite are recognized by code and by name")
    func languages() {
        for code in "da nl en fi fr de hu it no pt ro ru es sv tr zh ja en_US DE".split(
            separator: " "
        ) {
            #expect(FullText.knows(language: String(code)), "\(code)")
        }
        for name in ["english", "Norwegian", "turkish", "chinese"] {
            #expect(FullText.knows(language: name), "\(name)")
        }
        for other in ["", "xx", "engish", "none", "日本", "pl_PL"] {
            #expect(!FullText.knows(language: other), "\(other)")
        }
    }

    @Test("The language in a tokenizer name contains only letters")
    func tokenizer() {
        #expect(FullText.tokenizer(language: "x'; DROP", ignoresAccents: false) == "divan4 x 1")
        #expect(FullText.tokenizer(language: "en_US", ignoresAccents: true) == "divan4 en 0")
        #expect(FullText.tokenizer(language: "French", ignoresAccents: true) == "divan4 french 0")
        #expect(FullText.tokenizer(language: nil, ignoresAccents: true) == "divan4 none 0")
        #expect(FullText.tokenizer(language: "", ignoresAccents: true) == "divan4 none 0")
        #expect(FullText.tokenizer(language: "ja_JP", ignoresAccents: true) == "divan5 ja 0")
    }
}
