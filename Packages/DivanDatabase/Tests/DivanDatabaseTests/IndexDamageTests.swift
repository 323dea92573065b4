import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Damage in the tables of indexes, from which queries are answered: found by the check, repaired by `reindex`.
@Suite struct IndexDamageTests {
    private static let questions = [
        "SELECT META().id, price FROM _ WHERE price > 30 ORDER BY price, META().id",
        "SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = 'b7' OR t = 'a'",
        "SELECT META().id FROM _ WHERE MATCH(words, 'chair') ORDER BY META().id",
        "SELECT META().id FROM _ WHERE MATCH(words, 'oak') ORDER BY META().id",
    ]

    private let home: TemporaryDirectory
    private let path: String
    private var database: String { path + "/db.sqlite3" }

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        func key(_ sql: String) throws -> CheckedKey {
            CheckedKey(try QueryExpression(sql: sql).checked(over: .standard))
        }
        try store.write { writer in
            for number in 0..<240 {
                let wood = number.isMultiple(of: 3) ? "oak" : "beech"
                let body =
                    #"{"name":"Chair \#(number) of \#(wood)","price":\#(number),"#
                    + #""tags":["a","b\#(number)"]}"#
                _ = try writer.save(
                    DocumentID(unchecked: "doc-\(number)"),
                    in: .default,
                    body: Array(body.utf8)
                )
            }
            try writer.createIndex(
                "prices",
                .value([try key("price"), try key("name")], filter: nil),
                in: .default
            )
            try writer.createIndex("tagged", .array(["tags"], []), in: .default)
            let name = QueryIndexDefinition.FullTextColumn(
                name: "name",
                try key("name").expression
            )
            try writer.createIndex(
                "words",
                .fullText([name], tokenizer: "divan4 en 1", filter: nil),
                in: .default
            )
        }
        try store.close()
    }

    private func answers(_ store: Store) throws -> [[[QueryValue]]] {
        try Self.questions.map { sql in
            let catalogue = StoreCatalogue(store, named: "db")
            let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
            let rows = try store.rows(of: StorageQuery(statement))
            var found: [[QueryValue]] = []
            while let row = try rows.next() { found.append(row) }
            return sql.contains("UNNEST") ? found.sorted { "\($0)" < "\($1)" } : found
        }
    }

    private func withStore<T>(_ body: (Store) throws -> T) throws -> T {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        return try body(store)
    }

    @Test func `every flipped bit that changes the results of an index is detected`() throws {
        let seed = TestSeed.choose(below: 0x1_0000)
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let whole = try contents(database)
        let before = try withStore { try answers($0) }
        let documents = try withStore { try self.documents($0) }
        let names = try withStore { try self.indexNames($0) }
        var (tried, changed, mended) = (0, 0, 0)
        // Most zeros are free space, where a flipped bit changes nothing.
        let used = whole.indices.filter { whole[$0] != 0 }
        while tried < 2_000 && (changed < 20 || mended < 3) {
            tried += 1
            let offset = used.randomElement(using: &random)!
            let bit = UInt8.random(in: 0..<8, using: &random)
            let place = "seed \(seed), byte \(offset), bit \(bit)"
            var bytes = whole
            bytes[offset] ^= 1 << bit
            try write(bytes, to: database)
            let found = Result { try withStore { try answers($0) } }
            guard (try? found.get()) != before else { continue }
            changed += 1
            #expect(throws: StoreError.self, "\(place)") {
                try withStore { try $0.checkIntegrity() }
            }
            // If the documents are intact, the definitions of the indexes are known, and they can be dropped.
            guard (try? withStore({ try self.documents($0) })) == documents,
                (try? withStore({ try self.indexNames($0) })) == names,
                (try? withStore { try $0.reindex() }) != nil
            else { continue }
            mended += 1
            let after = Result { try withStore { try answers($0) } }
            #expect((try? after.get()) == before, "\(place): \(after)")
        }
        print("\(changed) flipped bits changed an answer; \(mended) times the indexes were mended")
        #expect(changed >= 20, "seed \(seed)")
        #expect(mended >= 3, "seed \(seed)")
    }

    /// Most flipped bits of a file hit something else, so those of a record are all tried.
    @Test func `an index record with a flipped bit never loses a table or column`() throws {
        let collection = CollectionID(rawValue: 1)
        let records = try withStore { store in
            try store.read { try $0.current().indexRecords(of: collection) }
        }
        #expect(records.count == 3)
        for record in records {
            let key = IndexRecord.key(record.name, in: collection)
            #expect(IndexRecord(key: key, value: record.value, of: collection) == record)
            for place in record.value.indices {
                for bit in TestLength.of([place % 8], long: [place % 8, (place + 3) % 8]) {
                    var value = record.value
                    value[place] ^= 1 << bit
                    guard let read = IndexRecord(key: key, value: value, of: collection)
                    else { continue }
                    let isWhole =
                        read.tables.count == record.tables.count
                        && read.columns.count == record.columns.count
                    #expect(isWhole, "byte \(place), bit \(bit)")
                }
            }
        }
    }

    private func indexNames(_ store: Store) throws -> [String] {
        try store.read { try $0.indexes(in: .default).map(\.name.text) }
    }

    private func documents(_ store: Store) throws -> [StoredDocument] {
        try store.read { try $0.documents(in: .default, after: 0, limit: 1_000) }
    }

    /// What no flipped bit does: whole rows are missing, or are there without a document.
    @Test(arguments: [
        "DELETE FROM \"{items}\" WHERE id = 3",
        "UPDATE \"{items}\" SET value = 'zz' WHERE id = 5",
        "INSERT INTO \"{items}\" (owner, value, result, isAlone) VALUES (1, 'b7', 'b7', 0)",
        "DELETE FROM \"{words}_docsize\" WHERE id = 4",
        "DELETE FROM \"{words}_content\" WHERE id = 4",
        "UPDATE \"{words}_content\" SET c0 = 'oak' WHERE id = 2",
        "DELETE FROM \"{words}_data\" WHERE id > 10",
        "UPDATE \"{words}_data\" SET block = zeroblob(length(block)) WHERE id > 10",
    ])
    func `an index with a modified table is reported and rebuilt`(
        _ sql: String
    ) throws {
        let before = try withStore { try answers($0) }
        try tamper(sql)
        let error = try withStore { store in try refusal { try store.checkIntegrity() } }
        guard case .corrupt(let detail) = error else {
            throw Unexpected(outcome: "\(String(describing: error))")
        }
        #expect(detail.contains(sql.contains("{items}") ? "tagged" : "words"), "\(detail)")
        // Neither a query nor a save traps on it.
        try withStore { store in
            _ = try? answers(store)
            _ = try? store.save("doc-3", in: .default, body: Array(#"{"name":"x"}"#.utf8))
            _ = try? store.save("doc-3", in: .default, body: Array(#"{"name":"y","price":3}"#.utf8))
        }
        try withStore { store in
            try store.reindex()
            try store.checkIntegrity()
            let body = #"{"name":"Chair 3 of oak","price":3,"tags":["a","b3"]}"#
            _ = try store.save("doc-3", in: .default, body: Array(body.utf8))
            #expect(try answers(store) == before)
        }
    }

    @Test(arguments: ["prices", "tagged", "words"])
    func `an index with a damaged record is reported and can be created again`(
        _ name: String
    ) throws {
        let before = try withStore { try answers($0) }
        let set = #"UPDATE "values" SET value = x'7B' WHERE key LIKE '%.{name}'"#
        try tamper(set.replacing("{name}", with: name))
        try withStore { store in
            let damages = try store.inspect().damages
            #expect(damages.contains { "\($0)".contains(name) }, "\(damages)")
            let error = try refusal { _ = try store.reindex() }
            guard case .corrupt(let detail) = error else {
                throw Unexpected(outcome: "\(String(describing: error))")
            }
            #expect(detail.contains(name) && detail.contains("create it again"), "\(detail)")
            func key(_ sql: String) throws -> CheckedKey {
                CheckedKey(try QueryExpression(sql: sql).checked(over: .standard))
            }
            let column = QueryIndexDefinition.FullTextColumn(
                name: "name",
                try key("name").expression
            )
            let definition: QueryIndexDefinition =
                switch name {
                case "prices": .value([try key("price"), try key("name")], filter: nil)
                case "tagged": .array(["tags"], [])
                default: .fullText([column], tokenizer: "divan4 en 1", filter: nil)
                }
            try store.write { try $0.createIndex(ExactText(name), definition, in: .default) }
            #expect(try store.reindex() == 3)
            try store.checkIntegrity()
            #expect(try answers(store) == before)
        }
    }

    @Test(arguments: ["prices", "tagged", "words"])
    func `an index with a damaged record is listed as damaged and can be dropped`(
        _ name: String
    ) throws {
        let set = #"UPDATE "values" SET value = x'7B' WHERE key LIKE '%.{name}'"#
        try tamper(set.replacing("{name}", with: name))
        try withStore { store in
            let damaged = try store.read { try $0.damagedIndexNames(in: .default) }
            #expect(damaged == [ExactText(name)])
            try store.write { try $0.deleteIndex(ExactText(name), in: .default) }
            #expect(try store.read { try $0.damagedIndexNames(in: .default) }.isEmpty)
            #expect(try store.inspect().damages.isEmpty)
            #expect(try store.reindex() == 2)
            _ = try store.save("doc-3", in: .default, body: Array(#"{"tags":["z"]}"#.utf8))
        }
        let connection = try StoreConnection(path: database, mode: .readOnly)
        func names(_ pattern: String) throws -> [String] {
            try connection.texts("SELECT name FROM sqlite_schema WHERE name GLOB '\(pattern)'")
        }
        #expect(try names("*_items_*").isEmpty == (name == "tagged"))
        #expect(try names("*_words_*").isEmpty == (name == "words"))
        #expect(try names("*_by_*").count == (name == "words" ? 2 : 1))
    }

    @Test func `each of several indexes with damaged records can be dropped`() throws {
        try tamper(#"UPDATE "values" SET value = x'7B' WHERE space = 'indexes'"#)
        try withStore { store in
            let damaged = try store.read { try $0.damagedIndexNames(in: .default) }
            #expect(damaged.count == 3)
            for name in damaged { try store.write { try $0.deleteIndex(name, in: .default) } }
            #expect(try store.inspect().damages.isEmpty)
            _ = try store.save("doc-3", in: .default, body: Array(#"{"tags":["z"]}"#.utf8))
        }
        let connection = try StoreConnection(path: database, mode: .readOnly)
        let left = try connection.texts(
            """
            SELECT name FROM sqlite_schema
            WHERE name GLOB '*_items_*' OR name GLOB '*_words_*' OR name GLOB '*_by_*'
            """
        )
        #expect(left == [])
    }

    @Test func `full-text indexes are checked during a write and in read-only databases`() throws {
        try tamper("UPDATE \"{words}_content\" SET c0 = 'oak' WHERE id = 2")
        try withStore { store in
            let found = Mutex<[String]>([])
            try store.write { writer in
                _ = try writer.save("new", in: .default, body: Array(#"{"name":"x"}"#.utf8))
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let damages = (try? store.inspect().damages.map { "\($0)" }) ?? []
                    found.withLock { $0 = damages }
                    isDone.signal()
                }
                #expect(isDone.wait(timeout: .now() + 60) == .success)
            }
            #expect(found.withLock { $0.contains { $0.contains("words") } })
        }
        let store = try Store.open(directory: path, options: StoreOptions(readOnly: true))
        defer { try? store.close() }
        let damages = try store.inspect().damages
        #expect(damages.contains { "\($0)".contains("words") }, "\(damages)")
    }

    /// With SQLite 3.44 or later, whose check of pages includes words.
    @Test func `an inconsistent full-text index is reported and does not block other operations`()
        throws
    {
        try tamper("DELETE FROM \"{words}_data\" WHERE id > 100")
        try withStore { store in
            #expect(try store.inspect().damages.contains { "\($0)".contains("the index words") })
            try store.checkPages()
            try store.compact()
            try store.reindex()
            #expect(try store.inspect().damages == [])
        }
    }

    @Test(arguments: [
        ("idx", "segid", "sugid"), ("idx", "term", "turm"), ("docsize", "sz", "sy"),
        ("content", "c0", "c1"), ("data", "block", "blocj"), ("config", "k PRIMARY", "j PRIMARY"),
    ])
    func `a full-text index with a wrong column name is detected and rebuilt`(
        _ part: String,
        _ name: String,
        _ other: String
    ) throws {
        let before = try withStore { try answers($0) }
        let change = "sql = replace(sql, '\(name)', '\(other)') WHERE name = '{words}_\(part)'"
        try tamper("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change)")
        try withStore { store in
            let error = try refusal { try store.checkIntegrity() }
            #expect("\(String(describing: error))".contains("words"))
            try store.reindex()
            try store.checkIntegrity()
            #expect(try answers(store) == before)
            _ = try store.save("new", in: .default, body: Array(#"{"name":"a chair"}"#.utf8))
        }
    }

    @Test(arguments: [true, false])
    func `a full-text index of unknown format is detected and can be rebuilt or dropped`(
        isKept: Bool
    ) throws {
        let before = try withStore { try answers($0) }
        try tamper("UPDATE \"{words}_config\" SET v = 5 WHERE k = 'version'")
        try withStore { store in
            let error = try refusal { try store.checkIntegrity() }
            #expect("\(String(describing: error))".contains("words"))
            if isKept {
                try store.reindex()
                #expect(try answers(store) == before)
            } else {
                try store.write { try $0.deleteIndex("words", in: .default) }
            }
            try store.checkIntegrity()
            _ = try store.save("new", in: .default, body: Array(#"{"name":"a chair"}"#.utf8))
        }
    }

    /// Its indexes have the row under what the body said, where SQLite would not find it.
    @Test(arguments: [true, false])
    func `a damaged document in an indexed collection can be purged and expires`(
        hasExpired: Bool
    ) throws {
        if hasExpired {
            let store = try Store.open(directory: path)
            try store.write { writer in
                for id in ["doc-7", "doc-8"] as [DocumentID] {
                    try writer.setExpiration(5, of: id, in: .default)
                }
            }
            try store.close()
        }
        let file = URL(filePath: database)
        var bytes = try Data(contentsOf: file)
        let body = Data(#"{"name":"Chair 7 of beech","price":7,"#.utf8)
        let found = try #require(bytes.range(of: body))
        bytes[found.upperBound - 2] = UInt8(ascii: "9")
        bytes[found.lowerBound + 12] = UInt8(ascii: "e")
        try bytes.write(to: file)
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        if hasExpired {
            #expect(try store.purgeExpired(now: 10) == 2)
        } else {
            #expect(try store.write { try $0.purge("doc-7", in: .default) })
        }
        #expect(try store.read { try $0.count(in: .default) } == (hasExpired ? 238 : 239))
        try store.checkIntegrity()
        for question in Self.questions {
            #expect(try !PackedQueryTests.rows(question, store).isEmpty)
        }
    }

    private func tamper(_ sql: String) throws {
        let connection = try StoreConnection(path: database, mode: .readWrite)
        func table(_ pattern: String) throws -> String {
            let select = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB"
            return try #require(try connection.text("\(select) '\(pattern)'"))
        }
        let (items, words) = try (table("*_items_*"), table("*_docsize").dropLast(8))
        try connection.execute(
            sql.replacing("{items}", with: items).replacing("{words}", with: String(words))
        )
    }
}
