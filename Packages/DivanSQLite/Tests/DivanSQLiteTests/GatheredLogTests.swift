import DivanSQLite
import DivanTestKit
import Foundation
import Testing

/// What a connection gathers before it writes to the log is there when its transaction is.
@Suite struct GatheredLogTests {
    private static func place(_ path: String, isSealed: Bool) throws -> SQLiteLocation {
        SQLiteLocation(path, encryption: isSealed ? try TestEncryption(1) : nil)
    }

    /// Rows of a table, and their contents.
    private struct Rows {
        let connection: SQLiteConnection<PlainSQLite>
        var values: [Int: Int] = [:]

        init(_ place: SQLiteLocation) throws {
            connection = try SQLiteConnection(place, mode: .create, client: PlainSQLite())
            // Pages are spilled into the log before their transaction ends, and read again.
            try connection.execute(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
                PRAGMA wal_autocheckpoint = 50; PRAGMA cache_size = 8;
                CREATE TABLE rows (id INTEGER PRIMARY KEY, value INTEGER, filler BLOB);
                """
            )
        }

        /// Writes scattered rows, some of them twice, in one transaction that is committed or not.
        mutating func change(using random: inout SeededGenerator) throws {
            let before = values
            try connection.execute("BEGIN IMMEDIATE")
            for _ in 0..<Int.random(in: 1...120, using: &random) {
                let id = Int.random(in: 0..<150, using: &random)
                let value = Int.random(in: 0..<1_000_000, using: &random)
                let size = Int.random(in: 0..<6_000, using: &random)
                try connection.execute(
                    "INSERT OR REPLACE INTO rows VALUES (\(id), \(value), zeroblob(\(size)))"
                )
                values[id] = value
            }
            #expect(try Self.sum(connection) == Self.sum(values))
            guard Int.random(in: 0..<4, using: &random) == 0 else {
                return try connection.execute("COMMIT")
            }
            try connection.execute("ROLLBACK")
            values = before
        }

        static func sum(_ values: [Int: Int]) -> Int64 {
            values.reduce(0) { $0 &+ Int64($1.key + 1) &* Int64($1.value) }
        }

        static func sum(_ connection: SQLiteConnection<PlainSQLite>) throws -> Int64? {
            try connection.integer("SELECT coalesce(sum((id + 1) * value), 0) FROM rows")
        }
    }

    @Test(arguments: [20_000, 30_000, 40_000, 50_000, 60_000, 70_000], [false, true])
    func `pages of a rolled-back transaction never overwrite a commit`(
        byteCount: Int,
        isSealed: Bool
    ) throws {
        let home = try TemporaryDirectory()
        let place = try Self.place(home.file("db"), isSealed: isSealed)
        var rows = try Rows(place)
        let other = try SQLiteConnection(place, mode: .readWrite, client: PlainSQLite())
        let spilling = "INSERT INTO rows VALUES (1, 1, zeroblob(\(byteCount)))"
        // With an empty log, the rollback does not read it, which would write what is held back.
        _ = try rows.connection.integer("PRAGMA wal_checkpoint")
        try rows.connection.execute("BEGIN IMMEDIATE; \(spilling); ROLLBACK")
        for id in 2..<12 {
            try other.execute("INSERT INTO rows VALUES (\(id), \(id), zeroblob(9000))")
            rows.values[id] = id
        }
        #expect(try Rows.sum(rows.connection) == Rows.sum(rows.values))
        for connection in [rows.connection, other] {
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            #expect(try Rows.sum(connection) == Rows.sum(rows.values))
        }
    }

    @Test(arguments: [false, true])
    func `every commit is on disk after other transactions were spilled or rolled back`(
        isSealed: Bool
    ) throws {
        let home = try TemporaryDirectory()
        let seed = TestSeed.choose()
        var random = SeededGenerator(seed: seed)
        let path = home.file("db")
        let place = try Self.place(path, isSealed: isSealed)
        var rows = try Rows(place)
        let other = try SQLiteConnection(place, mode: .readWrite, client: PlainSQLite())
        for round in 0..<60 {
            try rows.change(using: &random)
            // Another connection writes where a rolled-back transaction may have been.
            if Bool.random(using: &random) {
                let id = Int.random(in: 0..<150, using: &random)
                try other.execute(
                    "INSERT OR REPLACE INTO rows VALUES (\(id), \(round), zeroblob(9000))"
                )
                rows.values[id] = round
                #expect(try Rows.sum(rows.connection) == Rows.sum(rows.values), "seed \(seed)")
            }
            let expected = Rows.sum(rows.values)
            #expect(try Rows.sum(other) == expected, "seed \(seed), round \(round)")
            // The files that remain if the process is killed now.
            let left = home.file("left-\(round)")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
            }
            let copy = try Self.place(left, isSealed: isSealed)
            let found = try SQLiteConnection(copy, mode: .readWrite, client: PlainSQLite())
            #expect(try Rows.sum(found) == expected, "seed \(seed), round \(round)")
            #expect(try found.text("PRAGMA integrity_check") == "ok", "seed \(seed)")
        }
    }
}
