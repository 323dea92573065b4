import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

@testable import DivanDatabase
// Rows get sequences that no writer assigns.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Scans that several threads share return the same rows as a single thread.
@Suite(.timeLimit(.minutes(5))) struct ParallelScanTests {
    private static let count = 30_000

    private static let questions = [
        "SELECT COUNT(*) FROM _ WHERE n > 5", "SELECT COUNT(v) FROM _ WHERE n >= 0",
        "SELECT MIN(v), MAX(v), COUNT(*), COUNT(n) FROM _ WHERE NOT (n = 3)",
        "SELECT MIN(nothing), MAX(nothing) FROM _ WHERE n = 1",
        "SELECT COUNT(*) FROM _ WHERE name LIKE '%99%'",
        "SELECT COUNT(*), MIN(t) FROM _ AS d UNNEST d.tags AS t WHERE t <> 'a3'",
        "SELECT COUNT(*), MIN(m.v), MAX(d.v) FROM _ d JOIN _ m ON META(m).id = d.mate WHERE d.n < 7",
        "SELECT COUNT(*), COUNT(m.n) FROM _ d LEFT JOIN _ m ON META(m).id = d.mate WHERE d.n > 1",
        "SELECT COUNT(*) FROM _ d JOIN _ m ON m.mate = META(d).id WHERE d.n = 1 AND m.n = 2",
        "SELECT META().id, v FROM _ ORDER BY v LIMIT 40",
        "SELECT META().id FROM _ ORDER BY v DESC, n LIMIT 25 OFFSET 30",
        "SELECT n FROM _ WHERE n < 4 ORDER BY n DESC, name LIMIT 7",
        "SELECT v FROM _ WHERE n = 4 ORDER BY v LIMIT 9223372036854775807 OFFSET 1",
        "SELECT META().id FROM _ WHERE ANY t IN tags SATISFIES t = 'a1' END ORDER BY name LIMIT 9",
    ]

    private static func body(_ generator: inout SeededGenerator) -> String {
        let values = [
            "null", "true", "false", "0", "1", "1.0", "-0.5", "9007199254740993",
            "9007199254740992.0",
            "\"\"", "\"a\"", "\"ä\"", "[]", "[1]", "{}", "{\"a\":1}", "18446744073709551615",
            "1e300",
        ]
        let value = values.randomElement(using: &generator) ?? "null"
        let number = Int.random(in: 0..<10, using: &generator)
        let name = Int.random(in: 0..<5_000, using: &generator)
        let part = Int.random(in: 0..<4, using: &generator) == 0 ? "" : ",\"v\":\(value)"
        // Some have none.
        let mate = Int.random(in: 0..<2 * count, using: &generator)
        let start = #"{"mate":"d\#(mate)","n":\#(number)"#
        return start + #","name":"doc \#(name)","tags":["a\#(number % 4)","b"]\#(part)}"#
    }

    private func makeRoom(
        _ kind: EngineKind,
        _ generator: inout SeededGenerator
    ) throws -> StoreFixture {
        let room = try StoreFixture(kind)
        var bodies: [String] = []
        for _ in 0..<Self.count { bodies.append(Self.body(&generator)) }
        try room.store.write { writer in
            for (number, body) in bodies.enumerated() {
                let id = DocumentID(unchecked: "d\(number)")
                _ = try writer.save(id, in: .default, body: Array(body.utf8))
                // Gaps in the sequences, and rows at the end that are older documents.
                if number % 7 == 0 {
                    _ = try writer.save(id, in: .default, body: Array(body.utf8))
                }
            }
        }
        return room
    }

    private func rows(
        _ text: String,
        in store: Store,
        control: QueryControl = QueryControl()
    ) throws -> [[QueryValue]] {
        let catalogue = StoreCatalogue(store, named: "divided")
        let statement = try QueryStatement(sql: text).checked(against: catalogue)
        let rows = try store.rows(of: StorageQuery(statement, control: control))
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        return found
    }

    @Test(arguments: [EngineKind.file, .sealed])
    func `a parallel scan returns the same rows as a single thread`(_ kind: EngineKind) throws {
        let seed = TestSeed.choose()
        var generator = SeededGenerator(seed: seed)
        let room = try makeRoom(kind, &generator)
        let store = room.store
        defer { withExtendedLifetime(room) {} }
        for text in Self.questions {
            let divided = try rows(text, in: store)
            // In a transaction of its own, a query has a single connection.
            let alone = try store.write { _ in try rows(text, in: store) }
            #expect(divided == alone, "\(text), seed \(seed)")
        }
    }

    /// A peer's bodies are kept byte for byte: what is compared is not how they are spelled.
    @Test func `objects are ordered the same regardless of their JSON formatting`() throws {
        let room = try StoreFixture(.file)
        defer { withExtendedLifetime(room) {} }
        try room.store.write { writer in
            for number in 0..<Self.count {
                let key = #""a":\#((number * 7_919) % Self.count)"#
                // Each third is spelled by the canonical order of its keys.
                let object =
                    switch number % 3 {
                    case 0: "{\(key),\"b\":1}"
                    case 1: "{\"b\":1, \(key)}"
                    default: "{ \(key), \"\\u0062\":1}"
                    }
                let received = RemoteRevision(
                    documentID: DocumentID(unchecked: "d\(number)"),
                    revisionID: try revision("1-aa"),
                    history: [],
                    isTombstone: false,
                    body: Array(#"{"z":0,"o":\#(object)}"#.utf8),
                    hasBlobs: false,
                    remote: RemoteID(rawValue: 1),
                    refusesConflicts: false
                )
                _ = try writer.insert(received, in: .default)
            }
        }
        for text in [
            "SELECT META().id, o FROM _ ORDER BY o LIMIT 9",
            "SELECT META().id FROM _ ORDER BY o DESC LIMIT 9 OFFSET 4",
            "SELECT MIN(o), MAX(o) FROM _ WHERE z = 0",
        ] {
            let divided = try rows(text, in: room.store)
            let alone = try room.store.write { _ in try rows(text, in: room.store) }
            #expect(divided == alone, "\(text)")
        }
    }

    /// A part of an ordered query has a column more for each key.
    @Test func `a scan with the maximum number of columns is not parallelized`() throws {
        var generator = SeededGenerator(seed: 4)
        let room = try makeRoom(.file, &generator)
        defer { withExtendedLifetime(room) {} }
        let columns = (["n"] + (1..<2_000).map { "p\($0)" }).joined(separator: ", ")
        let text = "SELECT \(columns) FROM _ WHERE n < 4 ORDER BY n LIMIT 3"
        let found = try rows(text, in: room.store)
        #expect(found.map { $0[0] } == Array(repeating: .integer(0), count: 3))
    }

    @Test func `a parallel scan sees a single snapshot while others write`() async throws {
        var generator = SeededGenerator(seed: 1)
        let room = try makeRoom(.file, &generator)
        let store = room.store
        defer { withExtendedLifetime(room) {} }
        let before = try rows("SELECT COUNT(*) FROM _ WHERE n >= 0", in: store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Each commit moves one document from one end to the other, so that the count is
                // correct in each state, and hardly ever in a mixture of two.
                for number in 0..<300 {
                    try store.write { writer in
                        let id = DocumentID(unchecked: "d\(number)")
                        try writer.purge(id, in: .default)
                        let other = DocumentID(unchecked: "e\(number)")
                        _ = try writer.save(other, in: .default, body: Array(#"{"n":1}"#.utf8))
                    }
                }
            }
            group.addTask {
                for _ in 0..<60 {
                    let now = try rows("SELECT COUNT(*) FROM _ WHERE n >= 0", in: store)
                    #expect(now == before)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a parallel scan can be cancelled, and the store can still be used and closed`()
        throws
    {
        var generator = SeededGenerator(seed: 2)
        let room = try makeRoom(.file, &generator)
        let store = room.store
        defer { withExtendedLifetime(room) {} }
        let control = QueryControl()
        control.cancel()
        #expect(throws: QueryStop.cancelled) {
            _ = try rows(Self.questions[0], in: store, control: control)
        }
        #expect(try rows(Self.questions[0], in: store).count == 1)
        try store.close()
        #expect(throws: StoreError.self) { _ = try rows(Self.questions[0], in: store) }
    }

    /// A thousand rows of 6 KB from each of sixteen or more parts, where a single scan holds a thousand.
    @Test func `a query falls back to one thread if a parallel scan exceeds the memory limit`()
        throws
    {
        let room = try StoreFixture(.file)
        defer { withExtendedLifetime(room) {} }
        let text = String(repeating: "x", count: 6_000)
        try room.store.write { writer in
            for number in 0..<20_000 {
                let body = Array(#"{"n":\#(number),"t":"\#(text)"}"#.utf8)
                _ = try writer.save(DocumentID(unchecked: "d\(number)"), in: .default, body: body)
            }
        }
        let sql = "SELECT n, t FROM _ ORDER BY n DESC LIMIT 1000"
        let catalogue = StoreCatalogue(room.store, named: "divided")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue)
        let engine = try #require(room.store.engine as? SQLiteEngine)
        let reader = try engine.readers.take()
        defer { engine.readers.giveBack(reader) }
        let control = QueryControl(memory: QueryMemory(byteLimit: 160 << 20))
        let query = StorageQuery(statement, control: control)
        #expect(try SQLiteParallelScan.rows(of: query, on: reader, of: engine.readers) == nil)
        let usual = StorageQuery(statement)
        let rows = try SQLiteParallelScan.rows(of: usual, on: reader, of: engine.readers)
        // With a single processor nothing is divided.
        #expect(rows == nil || rows?.count == 1_000)
        #expect(try self.rows(sql, in: room.store, control: control).count == 1_000)
    }

    @Test(arguments: [Int64.min + 1, -5], [Int64.max - 1, 1 << 62])
    func `invalid sequences in a file do not trap a parallel scan`(
        _ first: Int64,
        _ last: Int64
    ) throws {
        var generator = SeededGenerator(seed: 3)
        let room = try makeRoom(.file, &generator)
        try room.store.write { writer in
            let session = try #require(try writer.changing() as? SQLiteSession)
            // SQLite treats both as row numbers.
            for (end, sequence) in [("min", first), ("max", last)] {
                try session.connection.execute(
                    """
                    UPDATE docs_1 SET sequence = \(sequence)
                    WHERE sequence = (SELECT \(end)(sequence) FROM docs_1)
                    """
                )
            }
        }
        let count = try rows("SELECT COUNT(*) FROM _ WHERE n >= 0", in: room.store)
        #expect(count == [[.integer(Int64(Self.count))]])
    }
}
