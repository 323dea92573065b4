import DivanJSON
import DivanQuery
import Testing

@testable import DivanSQL

/// What the statements of an index say is what they were translated from.
@Suite struct IndexContentTests {
    private func key(_ sql: String, ignoresCase: Bool = false) throws -> CheckedKey {
        CheckedKey(
            try QueryExpression(sql: sql).checked(over: .standard),
            collation: QueryCollation(isCaseSensitive: !ignoresCase)
        )
    }

    private func content(_ definition: QueryIndexDefinition) throws -> SQLIndexContent {
        let index = try SQLIndexTranslation(
            definition,
            name: "it's",
            table: "docs_1",
            documents: .sample
        )
        let tables = index.tables.map(\.create)
        return SQLIndexContent(create: index.create, tables: tables, documents: .sample)
    }

    @Test(arguments: [
        ["name"], ["LOWER(name)", "a.b[0]"], ["'), ('", "name"], ["'it''s, \u{301}'", "1"],
        ["(a + 1) * (b - 2)"], ["name || ' COLLATE \"NOCASE\"'"], ["flags", "META().id"],
    ])
    func `the keys and the condition of an index are read from its statement`(
        _ texts: [String]
    ) throws {
        let keys = try texts.map { try key($0) } + texts.map { try key($0, ignoresCase: true) }
        let expected = try keys.map { try #require(SQLIndexKey($0, .sample)) }
        let whole = try content(.value(keys, filter: nil))
        #expect(whole.keys == expected)
        #expect(!whole.isPartial && whole.tokenizer == nil)
        for condition in ["price > 3", "name = ');'", "(a OR b)"] {
            let filter = try QueryExpression(sql: condition).checked(over: .standard)
            let part = try content(.value(keys, filter: filter))
            #expect(part.keys == expected)
            #expect(part.isPartial)
        }
    }

    @Test(arguments: ["'\u{301}", "it'\u{301}s'\u{20DD}", "''\u{301}'"])
    func `a key can contain a quote with a combining mark`(_ word: String) throws {
        let keys = [CheckedKey(.literal(.string(word))), try key("n")]
        let expected = try keys.map { try #require(SQLIndexKey($0, .sample)) }
        #expect(try content(.value(keys, filter: nil)).keys == expected)
    }

    @Test func `the keys of an array index are columns of its items`() throws {
        let items = try content(.array(["tags"], []))
        #expect(items.keys == [SQLIndexKey("value")])
        #expect(!items.isPartial && items.tokenizer == nil)
    }

    @Test func `the tokenizer of a full-text index is read from its table`() throws {
        let name = QueryIndexDefinition.FullTextColumn(name: "name", try key("name").expression)
        let words = try content(.fullText([name], tokenizer: "divan4 en 0", filter: nil))
        #expect(words.tokenizer == "divan4 en 0")
        #expect(words.keys == [])
    }

    @Test func `a damaged statement has no keys`() {
        for text in ["", "CREATE INDEX", "CREATE INDEX a ON b (", "CREATE INDEX a ON b ('x, y)"] {
            let content = SQLIndexContent(create: text, tables: [], documents: .sample)
            #expect(content.keys == [])
        }
    }
}
