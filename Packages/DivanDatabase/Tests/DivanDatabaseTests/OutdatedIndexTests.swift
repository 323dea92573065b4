import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQL
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// An index of an older version cannot be created by public calls.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Indexes of functions whose meaning has changed since.
@Suite struct OutdatedIndexTests {
    private static let questions = [
        "SELECT META().id FROM _ WHERE DATE_ADD_STR(day, 0, 'day') = '2021-03-04T00:00:00Z' ORDER BY META().id",
        "SELECT META().id FROM _ WHERE name LIKE '%chair%' AND n = 3 ORDER BY META().id",
        "SELECT META().id FROM _ WHERE MATCH(words, 'chair') ORDER BY META().id",
    ]

    private let home: TemporaryDirectory
    private let path: String

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        func expression(_ sql: String) throws -> CheckedExpression {
            try QueryExpression(sql: sql).checked(over: .standard)
        }
        try store.write { writer in
            for number in 0..<60 {
                let kind = number.isMultiple(of: 2) ? "chair" : "table"
                let body =
                    #"{"name":"a \#(kind)","n":\#(number % 5),"day":"2021-03-0\#(number % 9 + 1)"}"#
                _ = try writer.save(
                    DocumentID(unchecked: "doc-\(number)"),
                    in: .default,
                    body: Array(body.utf8)
                )
            }
            let days = QueryIndexDefinition.value(
                [CheckedKey(try expression("DATE_ADD_STR(day, 0, 'day')"))],
                filter: nil
            )
            try writer.createIndex("days", days, in: .default)
            let chairs = QueryIndexDefinition.value(
                [CheckedKey(try expression("n"))],
                filter: try expression("name LIKE '%chair%'")
            )
            try writer.createIndex("chairs", chairs, in: .default)
            let name = QueryIndexDefinition.FullTextColumn(
                name: "name",
                try expression("name")
            )
            let words = QueryIndexDefinition.fullText([name], tokenizer: "divan1 en 1", filter: nil)
            try writer.createIndex("words", words, in: .default)
        }
        try age(store)
        try store.close()
    }

    /// Makes the indexes call functions by their previous numbers.
    private func age(_ store: Store) throws {
        try store.write { writer in
            let id = try writer.collection(.default).id
            let records = try writer.current().indexRecords(of: id)
            for record in records {
                let text = String(decoding: record.value, as: UTF8.self)
                    .replacing("divan_date_add_str2(", with: "divan_date_add_str1(")
                    .replacing("divan_stored_like1(", with: "divan_like1(")
                    .replacing("divan_index_text2(", with: "divan_index_text1(")
                let key = IndexRecord.key(record.name, in: id)
                let old = try #require(IndexRecord(key: key, value: Array(text.utf8), of: id))
                #expect(old != record)
                try writer.changing().sqlIndexing?.changeIndexes(record.drop)
                for table in record.tables {
                    try writer.changing().sqlIndexing?.dropIndexTable(table.name)
                }
                for sql in [old].statements {
                    try writer.changing().sqlIndexing?.changeIndexes(sql)
                }
                try writer.setValue(old.value, for: key, in: .indexes)
            }
        }
    }

    private func query(_ sql: String, of store: Store) throws -> StorageQuery {
        let catalogue = StoreCatalogue(store, named: "room")
        return StorageQuery(try QueryStatement(sql: sql).checked(against: catalogue, text: sql))
    }

    private func answers(of store: Store) throws -> [[[QueryValue]]] {
        try Self.questions.map { sql in
            let rows = try store.rows(of: query(sql, of: store))
            var found: [[QueryValue]] = []
            while let row = try rows.next() { found.append(row) }
            return found
        }
    }

    private func usesIndex(_ number: Int, of store: Store) throws -> Bool {
        let steps = try store.plan(of: query(Self.questions[number], of: store)).steps
        return steps.contains { $0.text.contains(["days", "chairs", "words"][number]) }
    }

    @Test func `an outdated index is rebuilt when the database is opened for writing`() throws {
        let store = try Store.open(directory: path)
        let records = try store.read { reader in
            try reader.current().indexRecords(of: reader.collection(.default).id)
        }
        #expect(records.count == 3)
        #expect(records.allSatisfy { $0 == $0.renewed })
        #expect(try answers(of: store).map(\.count) == [7, 6, 30])
        // SQLite does not see that a bound pattern implies a literal one.
        for number in [0, 2] { #expect(try usesIndex(number, of: store), "\(number)") }
        let body = Array(#"{"name":"a chair","n":3,"day":"2021-03-04"}"#.utf8)
        _ = try store.save("doc-0", in: .default, body: body)
        #expect(try answers(of: store).map(\.count) == [8, 7, 30])
        #expect(try store.inspect().damages == [])
        try store.close()
    }

    /// In a library that knows fewer letters they have no other case.
    ///
    /// A row is then not found by its key and cannot be changed. The previous one wrote what is now LOWER as UPPER.
    @Test func `an index created with another Unicode version is rebuilt`() throws {
        let store = try Store.open(directory: path)
        let name = try QueryExpression(sql: "LOWER(name)").checked(over: .standard)
        try store.write { writer in
            try writer.createIndex("low", .value([CheckedKey(name)], filter: nil), in: .default)
            try writer.setValue(Array("1.0".utf8), for: "unicode", in: .database)
        }
        try store.close()
        let index = SQLIndexTranslation.indexName(of: "low", on: "docs_1")
        func spell(_ old: String, _ new: String) -> String {
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = '\(index)';
            PRAGMA writable_schema = RESET;
            """
        }
        try StoreConnection.edit(
            path + "/db.sqlite3",
            spell("divan_lower1", "divan_upper1") + "REINDEX \(index);"
                + spell("divan_upper1", "divan_lower1")
        )
        let reopened = try Store.open(directory: path)
        let sql = "SELECT META().id FROM _ WHERE LOWER(name) = 'a chair'"
        let rows = try reopened.rows(of: query(sql, of: reopened))
        var count = 0
        while try rows.next() != nil { count += 1 }
        #expect(count == 30)
        _ = try reopened.save("doc-0", in: .default, body: Array(#"{"name":"A Table"}"#.utf8))
        #expect(try reopened.inspect().damages == [])
        try reopened.close()
    }

    /// The index of this test has the first tokenizer.
    @Test func `a full-text index is converted to the current tokenizer once`() throws {
        func tokenizer(_ store: Store) throws -> String? {
            try store.read {
                try $0.indexes(in: .default).first { $0.kind == .fullText }?.tokenizer
            }
        }
        func found(_ words: String, _ store: Store) throws -> Int {
            let sql = "SELECT META().id FROM _ WHERE MATCH(words, '\(words)')"
            let rows = try store.rows(of: query(sql, of: store))
            var count = 0
            while try rows.next() != nil { count += 1 }
            return count
        }
        let reading = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        #expect(try tokenizer(reading) == "divan1 en 1")
        #expect(try found("chairs", reading) == 30)
        try reading.close()
        let store = try Store.open(directory: path)
        #expect(try tokenizer(store) == "divan4 en 1")
        #expect(try found("chairs", store) == 30)
        for body in [#"{"name":"running in Zürich"}"#, #"{"name":"running in Zu\u0308rich"}"#] {
            _ = try store.save(
                DocumentID(unchecked: "new-\(body.utf8.count)"),
                in: .default,
                body: Array(body.utf8)
            )
        }
        for words in ["runn*", "Zürich", "Zu\u{308}rich", "Zür*"] {
            #expect(try found(words, store) == 2, "\(words)")
        }
        try store.close()
        let again = try Store.open(directory: path)
        #expect(try found("runn*", again) == 2)
        #expect(try again.inspect().damages == [])
        try again.close()
    }

    @Test func `a read-only database does not use outdated indexes`() throws {
        let store = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        #expect(try answers(of: store).map(\.count) == [7, 6, 30])
        #expect(try !usesIndex(0, of: store))
        try store.close()
    }

    /// Rebuilding a collection's indexes skips what it cannot read.
    @Test func `a damaged document does not prevent opening a database with outdated indexes`()
        throws
    {
        try StoreConnection(path: path + "/db.sqlite3", mode: .readWrite)
            .execute("UPDATE docs_1 SET body = x'00' WHERE documentID = 'doc-7'")
        let store = try Store.open(directory: path)
        #expect(try answers(of: store).map(\.count) == [7, 6, 30])
        try store.close()
    }
}
