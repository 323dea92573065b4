import Testing

@Suite("Text")
struct TextTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "LIKE supports wildcards and escapes",
        arguments: [
            ("divan", "d%n", "1"), ("divan", "D%", "0"), ("divan", "di_an", "1"),
            ("divan", "di", "0"), ("50%", #"50\%"#, "1"), ("50x", #"50\%"#, "0"),
            ("a_c", #"a\_c"#, "1"), ("abc", #"a\_c"#, "0"), ("", "%", "1"), ("ä", "_", "1"),
            ("😀x", "_x", "1"), ("abcabd", "%ab_", "1"), ("abcabd", "%a_c%", "1"),
            ("abcabd", "a%b%d", "1"), ("abc", "%%c", "1"), ("abc", "___", "1"),
            ("abc", "____", "0"), ("aé", "%_", "1"), ("é", "__", "0"), ("", "", "1"),
            ("a", "", "0"),
        ]
    )
    func like(text: String, pattern: String, expected: String) throws {
        #expect(try scratch.value("divan_like1('\(text)', '\(pattern)', 0)") == expected)
    }

    @Test("Text is folded by case and accent only if requested")
    func folding() throws {
        #expect(try scratch.value("divan_like1('ABC', 'a%', 1)") == "1")
        #expect(try scratch.value("divan_like1('ÄBC', 'ä%', 1)") == "0")
        #expect(try scratch.value("divan_like1('ÄBC', 'ä%', 2 | 4)") == "1")
        #expect(try scratch.value("divan_like1('ÄBC', 'A%', 2 | 8)") == "1")
        #expect(try scratch.value("divan_contains1('Café', 'CAFE', 2 | 4 | 8)") == "1")
        #expect(try scratch.value("divan_contains1('aaab', 'aab', 2)") == "1")
    }

    @Test("LIKE treats two characters as equal if the collation does")
    func foldedAsCollated() throws {
        let characters = "aAäÄåÅoOøØlłŁdđhħsßẞſeéÉñеёЁийжЖσςΣかがカ한글각😀😁iıİＡ²2ïї’-—"
        for (collation, folding) in [
            ("divan_unicode_ci", 6), ("divan_unicode_ai", 10), ("divan_unicode_ci_ai", 14),
        ] {
            for left in characters {
                for right in characters {
                    let isLike = try scratch.value("divan_like1('\(left)', '\(right)', \(folding))")
                    let contains =
                        "divan_contains1('x' || '\(left)' || 'y', '\(right)', \(folding))"
                    let isSame = try scratch.value("'\(left)' = '\(right)' COLLATE \(collation)")
                    #expect(isLike == isSame, "\(left) \(right) \(collation)")
                    #expect(try scratch.value(contains) == isSame, "\(left) \(right) \(collation)")
                }
            }
        }
    }

    @Test(
        "A character that only folds to a wildcard of LIKE is not a wildcard",
        arguments: [6, 14]
    )
    func wideSigns(folding: Int) throws {
        for (text, pattern, expected) in [
            ("100 men", "100％", "0"), ("100％", "100％", "1"), ("100%", "100％", "1"),
            ("100％", #"100\%"#, "1"), ("éb", "é＿", "0"), ("é_", "é＿", "1"), ("é%", "é＼%", "0"),
            (#"é\b"#, "é＼%", "1"), ("É％b", "é％%", "1"),
        ] {
            let found = try scratch.value("divan_like1('\(text)', '\(pattern)', \(folding))")
            #expect(found == expected, "\(text) LIKE \(pattern)")
        }
    }

    @Test(
        "A folded character still counts as one character",
        arguments: [
            ("Straße", "stra_e", 6), ("ß", "_", 6), ("한글", "한_", 10), ("각", "_", 14),
            ("İx", "_x", 6),
            ("Łódź", "_od_", 14), ("ﬁx", "_x", 6), ("e\u{301}x", "_x", 10), ("😀x", "_x", 14),
        ]
    )
    func wildcards(text: String, pattern: String, folding: Int) throws {
        #expect(try scratch.value("divan_like1('\(text)', '\(pattern)', \(folding))") == "1")
        #expect(try scratch.value("divan_like1('\(text)', '_\(pattern)', \(folding))") == "0")
    }

    @Test(
        "Regular expressions follow ECMAScript",
        arguments: [
            ("abc", "", true), ("", "", true), ("a}b", "a}b", true), ("aa}", "a{2}}", true),
            ("a[b", "[[]", true), ("b", "[^[a]", true), ("[", "[^[a]", false),
            ("b", "[a[b]]", false), ("b]", "[a[b]]", true), ("a", "[^]", true), ("", "[^]", false),
            ("a", "[]", false), ("x", "[]x]", false), ("&", "[a&&b]", true), ("b", "[a&&b]", true),
            ("b", "[a-c--b]", true), ("d", "[a-c-e]", false), ("-", "[a-c-e]", true),
            ("-", "[--/]", true), (".", "[--/]", true), (",", "[+--]", true), ("-", "[a-]", true),
            ("-", #"[\w-]"#, true), ("-", #"[\w-z]"#, true), ("x", "[[:alpha:]]", true),
            ("1", "[^[:alpha:]]", true), ("-", "[[:alpha:]-]", true), ("^", "[a^]", true),
            ("b", #"[\x61-\x63-z]"#, true), ("y", #"[\x61-\x63-z]"#, false),
            ("-", #"[a-\d]"#, true), ("b", #"[a-\d]"#, false),
            ("9", #"[\w--{]"#, true), (".", #"[\w--{]"#, false),
            ("-", "[É-Ê-z]", true), ("ê", "[è-ë]", true), ("b", #"[\b]"#, false),
            ("a]", #"^[\]a]{2}$"#, true), ("é", #"\p{L}"#, true), ("a$", #"\$"#, true),
            ("a\n", "a$", false), ("a", "(?=a$)|b", true), ("$", "[$]", true),
        ]
    )
    func expressions(text: String, pattern: String, isFound: Bool) throws {
        let sql = "divan_regexp_contains1('\(text)', '\(pattern)')"
        #expect(try scratch.value(sql) == (isFound ? "1" : "0"))
    }

    @Test("In an index the result of an invalid pattern is MISSING")
    func storedPatterns() throws {
        for call in ["contains1('a', '(')", "position1('a', '(')", "replace1('a', '(', '')"] {
            #expect(try scratch.value("divan_stored_regexp_\(call)") == "MISSING")
        }
        #expect(try scratch.value("divan_stored_regexp_contains1('ab', 'b')") == "1")
        #expect(try scratch.value("divan_stored_like1('ab', '%b', 0)") == "1")
        let pattern = String(repeating: "_", count: 20_000) + "b"
        let text = String(repeating: "a", count: 40_000)
        let long = "divan_stored_like1('\(text)', '%\(pattern)%', 0)"
        #expect(try scratch.value(long) == "MISSING")
    }

    @Test("An empty regular expression matches everywhere")
    func emptyExpression() throws {
        #expect(try scratch.value("divan_regexp_position1('abc', '')") == "0")
        #expect(try scratch.value("divan_regexp_replace1('ab', '', '-')") == "'-a-b-'")
    }

    @Test(
        "A malformed regular expression fails",
        arguments: ["(", "[a", "[a-", "[^", "[[:", #"\"#, #"[\"#, #"\p{"#, "a{", "[z-a]"]
    )
    func malformedExpression(pattern: String) {
        #expect(throws: Scratch.Failure.self) {
            try scratch.value("divan_regexp_contains1('a', '\(pattern)')")
        }
    }

    @Test("Collations sort as in Unicode")
    func collations() throws {
        func order(_ words: [String], _ collation: String) throws -> [String] {
            let values = words.map { "('\($0)')" }.joined(separator: ",")
            let sql = "SELECT * FROM (VALUES \(values)) ORDER BY 1 COLLATE \"\(collation)\""
            return try scratch.rows(sql).map { String($0[0].dropFirst().dropLast()) }
        }
        #expect(try order(["B", "Å", "Z", "A"], "divan_unicode") == ["A", "Å", "B", "Z"])
        #expect(try order(["B", "Å", "Z", "A"], "divan_unicode_in_se") == ["A", "B", "Z", "Å"])
        #expect(try order(["A", "a", "abC", "abc"], "divan_unicode") == ["a", "A", "abc", "abC"])
        #expect(try scratch.value("'á' = 'A' COLLATE \"divan_unicode_ci_ai\"") == "1")
        #expect(try scratch.value("'á' = 'A' COLLATE \"divan_unicode_ai\"") == "0")
    }
}
