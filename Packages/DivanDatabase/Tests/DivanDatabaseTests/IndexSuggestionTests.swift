import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

/// Which indexes are suggested for a query, and that they are then used.
struct IndexSuggestionTests {
    private let room: StoreFixture

    init() throws {
        room = try StoreFixture(.file)
        try room.save("a", #"{"city":"Ulm","name":"Ada","tags":["x"]}"#)
    }

    private func search(_ sql: String) throws -> IndexSuggestion.Outcome {
        let catalogue = StoreCatalogue(room.store, named: "room")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        return try room.store.suggestIndexes(for: StorageQuery(statement))
    }

    private func missing(_ sql: String) throws -> [IndexSuggestion] {
        guard case .missing(let found) = try search(sql) else { return [] }
        return found
    }

    private func create(_ index: HypotheticalIndex) throws {
        try room.store.write {
            try $0.createIndex(index.name, index.definition, in: index.collection)
        }
    }

    @Test func `a suggested index is used once it exists`() throws {
        let sql = "SELECT name FROM _ WHERE city = 'Ulm' ORDER BY name"
        let found = try missing(sql)
        #expect(found.map(\.expressions) == [["city", "name"]])
        #expect(found.map(\.arrayPath) == [nil])
        for suggestion in found { try create(suggestion.index) }
        guard case .present(let names) = try search(sql) else {
            Issue.record("the index is not used")
            return
        }
        #expect(names == ["byCityName"])
    }

    @Test func `the items of an array are suggested with their path`() throws {
        let found = try missing("SELECT name FROM _ WHERE ANY t IN tags SATISFIES t = 'x' END")
        #expect(found.map(\.arrayPath) == ["tags"])
        #expect(found.map(\.expressions) == [[]])
    }

    @Test func `a suggestion does not have the name of another index`() throws {
        let name = try #require(try missing("SELECT 1 FROM _ WHERE city = 'Ulm'").first).index
        let key = try QueryExpression(sql: "name").checkedKey(over: .standard)
        try create(
            HypotheticalIndex(name.name, .value([key], filter: nil), in: name.collection)
        )
        let again = try missing("SELECT 1 FROM _ WHERE city = 'Ulm'")
        #expect(again.map(\.index.name) == ["byCity2"])
    }

    @Test(
        arguments: [
            ("name FROM _", "has no condition"),
            ("name FROM _ WHERE city != 'Ulm'", "no condition compares"),
            ("name FROM _ WHERE name = 'a' COLLATE UNICODE", "Unicode collation"),
            ("name FROM _ WHERE STR_TO_MILLIS(day) = 1", "time zone"),
        ]
    )
    func `a query that no index helps gets the reason`(sql: String, reason: String) throws {
        guard case .useless(let found) = try search("SELECT \(sql)") else {
            Issue.record("an index was suggested")
            return
        }
        #expect("\(found)".contains(reason))
    }
}
