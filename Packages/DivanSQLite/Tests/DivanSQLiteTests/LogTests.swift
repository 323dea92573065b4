import DivanPlatform
import DivanSQLite
import DivanTestKit
import Testing

/// The log of a writer, and the memory of a thread.
@Suite struct LogTests {
    private let home: TemporaryDirectory
    private let place: SQLiteLocation
    private let writer: SQLiteConnection<PlainSQLite>

    init() throws {
        home = try TemporaryDirectory()
        place = SQLiteLocation(home.file("a"))
        writer = try SQLiteConnection(place, mode: .create, client: PlainSQLite())
        try writer.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE t (a)"
        )
        writer.followLog()
    }

    private func logByteCount() throws -> Int {
        try FileStatus(of: place.path + "-wal").byteCount
    }

    @Test func `a checkpointer keeps the log of continuous writes at a bounded length`() throws {
        let checkpointer = SQLiteCheckpointer { [place] () throws(SQLiteError) in
            try SQLiteConnection(place, mode: .readWrite, client: PlainSQLite())
        }
        for _ in 0..<200 {  // 100 MiB
            try writer.execute("INSERT INTO t VALUES (zeroblob(500000))")
            try checkpointer.logDidGrow(to: writer.logByteCount, on: writer)
        }
        try checkpointer.finish()
        let most = SQLiteLimits.logByteCount + SQLiteLimits.logLagByteCount + (1 << 20)
        #expect(try logByteCount() <= most)
        #expect(try writer.integer("SELECT count(*) FROM t") == 200)
        #expect(try writer.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `a checkpoint does not copy pages that a reader still needs`() throws {
        let reader = try SQLiteConnection(place, mode: .readOnly, client: PlainSQLite())
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(try writer.copyLog().isWhole)
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        try writer.execute("INSERT INTO t VALUES (zeroblob(100000))")
        try writer.execute("INSERT INTO t VALUES (zeroblob(100000))")
        let copy = try writer.copyLog()
        #expect(!copy.isWhole && copy.copiedByteCount < writer.logByteCount)
        try reader.execute("ROLLBACK")
        #expect(try writer.copyLog().isWhole)
    }

    @Test func `a rewritten log contains the same commits`() throws {
        try writer.execute("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
        #expect(try logByteCount() > 0)
        #expect(SQLiteLog.rewrite(ofDatabaseAt: place.path))
        let other = try SQLiteConnection(place, mode: .readOnly, client: PlainSQLite())
        #expect(try other.integer("SELECT sum(a) FROM t") == 3)
        #expect(SQLiteLog.rewrite(ofDatabaseAt: home.file("missing")))
    }

    @Test func `a moved database file is reported until it is back`() throws {
        var presence = FilePresence(at: place.path)
        var isGone = [presence.isGone(from: place.path, atOnce: true)]
        try FileSystem.rename(place.path, to: home.file("b"))
        isGone.append(presence.isGone(from: place.path, atOnce: true))
        try FileSystem.rename(home.file("b"), to: place.path)
        isGone.append(presence.isGone(from: place.path, atOnce: true))
        #expect(isGone == [false, true, false])
    }

    /// Grants so many bytes at once.
    private final class Fixed: SQLiteMemoryBudget {
        private var free: Int64

        init(_ byteCount: Int64) {
            free = byteCount
            super.init()
        }

        override func grant(_ byteCount: Int64) -> Int64 {
            guard byteCount <= free else { return 0 }
            defer { free = 0 }
            return free
        }
    }

    @Test func `a budget limits the memory of a statement`() throws {
        let sql = "SELECT length(group_concat(hex(zeroblob(100000)))) FROM json_each('[1,2,3,4,5]')"
        func run(_ byteCount: Int64) throws -> Int64? {
            try Fixed(byteCount).within { try writer.integer(sql) }
        }
        #expect(try run(16 << 20) == 1_000_004)
        let error = #expect(throws: SQLiteError.self) { _ = try run(500_000) }
        #expect(error?.code == 7)
        #expect(try writer.integer(sql) == 1_000_004)
    }
}
