import DivanFullText
import DivanTestKit
import Foundation
import Testing

/// Texts that Unicode calls equivalent are the same for an index.
@Suite struct NormalFormTests {
    private static let texts = [
        "Zürich", "Ångström", "한국어", "Việt", "ếè", "हिन्दी क़लम", "ﬁn", "naïve café", "Ǖber", "שָׁלוֹם",
        "が ぎ パ", "e\u{316}\u{301}x", "q\u{307}\u{323}",
    ]

    private func forms(_ text: String) -> [String] {
        [
            text, text.precomposedStringWithCanonicalMapping,
            text.decomposedStringWithCanonicalMapping,
        ]
    }

    @Test(arguments: NormalFormTests.texts, [true, false])
    func `each normalization form of a text finds the others`(
        text: String,
        ignoresAccents: Bool
    ) throws {
        for language in ["en", "de", "fr", "ru", "ja", "none"] {
            for stored in forms(text) {
                let table = try WordsTable(
                    "(1, 'x \(stored) y', ''), (2, 'x y', '')",
                    language: language,
                    ignoresAccents: ignoresAccents
                )
                for sought in forms(text) {
                    for query in [
                        sought, "\"\(sought)\"", "\"x \(sought)*\"", "\(sought)*", "name:\(sought)",
                    ] {
                        let found = try table.rows(matching: Array(query.utf8))
                        #expect(found == [1], "\(language) \(query) in \(stored)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("ﬁnd", "find"), ("ｗｉｄｅ", "wide"), ("m²", "m2"), ("①", "1"), ("ｶﾀｶﾅ", "カタカナ"),
        ("Fedora™", "fedora"), ("Fedora™", "tm"), ("5 ㎏", "kg"), ("5 kg", "㎏"), ("2½", "2"),
        ("Ⅷ", "viii"),
        ("ſo", "so"), ("K", "k"),
    ])
    func `compatibility characters are equal if accents are ignored`(
        stored: String,
        sought: String
    ) throws {
        let table = try WordsTable("(1, '\(stored)', '')", language: "none")
        #expect(try table.rows(matching: Array(sought.utf8)) == [1])
        #expect(try table.rows(matching: Array(stored.utf8)) == [1])
        let strict = try WordsTable("(1, '\(stored)', '')", language: "none", ignoresAccents: false)
        #expect(try strict.rows(matching: Array(stored.utf8)) == [1])
        #expect(try table.rows(matching: Array("21".utf8)) == [])
    }

    /// Some stemmers ignore accents, such as that of German.
    @Test func `significant accents keep words apart in any normalization form`() throws {
        for stored in forms("Zürich") {
            let table = try WordsTable(
                "(1, '\(stored)', '')",
                language: "none",
                ignoresAccents: false
            )
            #expect(try table.rows(matching: Array("Zurich".utf8)) == [])
            #expect(try table.rows(matching: Array("Zu*".utf8)) == [])
            #expect(try table.rows(matching: Array("Zü*".utf8)) == [1])
        }
    }

    /// Pieces of a long text are normalized one by one.
    @Test(arguments: UInt64(0)..<8)
    func `each word of a text of any length is found in any normalization form`(seed: UInt64) throws
    {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            "Zürich", "한국어", "abc", "ế", "q\u{307}\u{323}", "京", "x", "क़लम", "e\u{301}\u{327}t",
        ]
        let words = (0..<300).map { number in
            (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                forms(parts[Int.random(in: parts.indices, using: &generator)])[number % 3]
            }.joined()
        }
        let text = words.joined(separator: seed.isMultiple(of: 2) ? " " : "\u{3000}")
        let table = try WordsTable("(1, '\(text)', '')", language: "none", ignoresAccents: false)
        for word in words {
            for form in forms(word) {
                #expect(try table.rows(matching: Array(form.utf8)) == [1], "\(form)")
            }
        }
    }

    /// Putting marks in order is bounded, so a text of marks takes linear time.
    @Test func `a letter with many combining marks takes linear time`() throws {
        let growth = try TimeGrowth(from: 20_000, to: 320_000, limit: 64) { count in
            let text = "a" + String(repeating: "\u{301}\u{316}", count: count)
            _ = try WordsTable("(1, '\(text)', '')")
        }
        #expect(growth.isWithinLimit, "\(growth)")
    }

    @Test(arguments: [
        ("divan1 de 0", "divan4 de 0"), ("divan2 ja 1", "divan5 ja 1"),
        ("divan3 en 0", "divan4 en 0"),
        ("divan1 none 1", "divan4 none 1"),
    ])
    func `a tokenizer definition is upgraded once`(old: String, new: String) {
        func definition(_ name: String) -> String {
            "CREATE VIRTUAL TABLE t USING fts5(c0, tokenize = '\(name)'); INSERT"
        }
        #expect(FullText.renewed(definition(old)) == definition(new))
        #expect(FullText.renewed(definition(new)) == nil)
        #expect(FullText.renewed(definition("unicode61")) == nil)
        #expect(FullText.renewed("tokenize = ''divan1 en 0''") == nil)
        #expect(FullText.normalizes(definition(new)) && !FullText.normalizes(definition(old)))
    }
}
