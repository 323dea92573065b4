import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import Testing

/// What a running query may hold.
@Suite struct QueryMemoryTests {
    private static let bodyByteCount = 1 << 20
    /// 24 MiB for one query; a connection caches 10 MiB of pages.
    private static let memory = QueryMemory(byteLimit: 48 << 20)

    /// Documents of a megabyte each, with many small properties.
    private func room(count: Int = 24) throws -> StoreFixture {
        let room = try StoreFixture(.file)
        let names = (0..<160).map { #""p\#($0)":\#($0)"# }.joined(separator: ",")
        for number in 0..<count {
            let digit = String(number % 10)
            let filling = String(repeating: digit, count: Self.bodyByteCount)
            try room.save(
                DocumentID(unchecked: "d\(number)"),
                #"{"big":"\#(filling)","n":\#(number),\#(names),"words":["a","b","c"]}"#
            )
        }
        return room
    }

    private func count(
        _ sql: String,
        in room: StoreFixture,
        _ memory: QueryMemory
    ) throws -> Int {
        let catalogue = StoreCatalogue(room.store, named: "memory")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        let control = QueryControl(memory: memory)
        let rows = try room.store.rows(of: StorageQuery(statement, control: control))
        defer { rows.end() }
        var count = 0
        while try rows.next() != nil { count += 1 }
        return count
    }

    @Test func `the properties of a large document share one copy of it`() throws {
        let room = try room()
        let columns = (0..<160).map { "p\($0)" }.joined(separator: ", ")
        #expect(try count("SELECT \(columns) FROM _", in: room, Self.memory) == 24)
    }

    @Test(arguments: [
        "SELECT big FROM _ ORDER BY big DESC",
        "SELECT DISTINCT big FROM _",
        "SELECT big, COUNT(*) FROM _ GROUP BY big",
        "SELECT ARRAY_AGG(big) FROM _",
        "SELECT \(Array(repeating: "big", count: 24).joined(separator: " || ")) FROM _",
        "SELECT \(Array(repeating: "big", count: 24).joined(separator: ", ")) FROM _",
    ])
    func `a query that needs too much memory fails, and the next one runs`(_ sql: String) throws {
        let room = try room()
        #expect(throws: QueryStop.tookTooMuchMemory(byteLimit: 24 << 20)) {
            _ = try count(sql, in: room, Self.memory)
        }
        #expect(try count("SELECT n FROM _ WHERE n >= 20", in: room, Self.memory) == 4)
        #expect(try count(sql, in: room, .process) > 0)
    }

    /// An alias is expanded wherever it is used: 20,000 calls of a few thousand bytes.
    @Test func `a query that needs too much memory to compile fails, and the next one runs`() throws
    {
        let room = try room(count: 1)
        let sum = (0..<50).map { "p\($0)" }.joined(separator: " + ")
        let uses = Array(repeating: "c", count: 400).joined(separator: ", ")
        let sql = "SELECT \(sum) AS c FROM _ WHERE 5 IN (\(uses))"
        let memory = QueryMemory(byteLimit: 8 << 20)
        #expect(throws: QueryStop.tookTooMuchMemory(byteLimit: 4 << 20)) {
            _ = try count(sql, in: room, memory)
        }
        #expect(try count("SELECT n FROM _", in: room, memory) == 1)
    }

    @Test func `a query does not wait for memory that other queries hold`() throws {
        let room = try room(count: 8)
        let memory = QueryMemory(byteLimit: 2 * 40 * Self.bodyByteCount)
        let sql = "SELECT big FROM _ ORDER BY big"
        let catalogue = StoreCatalogue(room.store, named: "memory")
        let statement = try QueryStatement(sql: sql).checked(against: catalogue, text: sql)
        var open: [StorageRows] = []
        defer { for rows in open { rows.end() } }
        #expect(throws: QueryStop.othersHoldMemory) {
            while open.count < 20 {
                let control = QueryControl(memory: memory)
                let rows = try room.store.rows(of: StorageQuery(statement, control: control))
                open.append(rows)
                _ = try rows.next()
            }
        }
        #expect(open.count > 1)
        for rows in open { rows.end() }
        open = []
        #expect(try count(sql, in: room, memory) == 8)
    }

    /// Wherever memory runs out, a query fails as a whole and says why, or returns all its rows.
    @Test(arguments: [
        "SELECT SUM(n), ARRAY_AGG(words), MIN(UPPER(words[0])) FROM _ GROUP BY n % 3 ORDER BY SUM(n)",
        "SELECT w, _.n FROM _ UNNEST _.words AS w WHERE w LIKE '%b%' OR REGEXP_LIKE(w, 'a+') ORDER BY w",
        "SELECT {'a': n, 'b': words}, ARRAY_COUNT(words), REGEXP_REPLACE(words[1], 'b', 'x') FROM _",
        "SELECT n FROM _ WHERE ANY w IN words SATISFIES w = 'c' END ORDER BY CONCAT('x', TOSTRING(n))",
        "SELECT DISTINCT n / 2, MILLIS_TO_STR(n), LOWER('É' || words[2]) FROM _ ORDER BY n / 2 DESC",
    ])
    func `a query fails cleanly wherever memory runs out`(_ sql: String) throws {
        let room = try StoreFixture(.file)
        for number in 0..<40 {
            try room.save(
                DocumentID(unchecked: "d\(number)"),
                #"{"n":\#(number),"words":["ab","b","c"],"t":"\#(String(repeating: "é", count: 900))"}"#
            )
        }
        let whole = try count(sql, in: room, .process)
        var failures = 0
        for kilobytes in stride(from: 0, to: 400, by: 1) {
            do {
                let memory = QueryMemory(byteLimit: 2 * kilobytes << 10)
                #expect(try count(sql, in: room, memory) == whole)
            } catch is QueryStop {
                failures += 1
            }
        }
        #expect(failures > 0)
    }
}
