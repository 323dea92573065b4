import DivanPlatform
import DivanSQLite
import DivanTestKit
import Testing

/// A pool of readers with one writer.
@Suite struct ReadersTests {
    /// A reader that counts the rows of a table.
    private final class Counter: SQLiteReadingSession {
        typealias Failure = SQLiteError

        let connection: SQLiteConnection<PlainSQLite>

        init(_ connection: SQLiteConnection<PlainSQLite>) {
            self.connection = connection
        }

        func beginReading() throws(SQLiteError) { try connection.execute("BEGIN") }
        func endReading() {
            if isReading { try? connection.execute("ROLLBACK") }
        }
        var isReading: Bool { connection.isInTransaction }

        func count() throws -> Int64? { try connection.integer("SELECT count(*) FROM t") }
    }

    private struct Source: SQLiteReaderSource {
        let path: String
        var isOutdated: Bool { false }

        func open(_ check: () throws(SQLiteError) -> Void) throws(SQLiteError) -> Counter {
            let connection = try SQLiteConnection(
                SQLiteLocation(path),
                mode: .readOnly,
                client: PlainSQLite()
            )
            try check()
            return Counter(connection)
        }

        mutating func refreshSnapshot() {}

        func failure(_ refusal: SQLiteReadersRefusal) -> SQLiteError {
            SQLiteError(code: -1, message: "\(refusal)", path: path)
        }
    }

    private let home: TemporaryDirectory
    private let writer: SQLiteConnection<PlainSQLite>
    private let readers: SQLiteReaders<Source>

    init() throws {
        home = try TemporaryDirectory()
        let path = home.file("a")
        writer = try SQLiteConnection(SQLiteLocation(path), mode: .create, client: PlainSQLite())
        try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        readers = SQLiteReaders(Source(path: path), seesEveryWrite: true)
    }

    private func insert() throws {
        readers.beginWrite()
        defer { readers.endWrite() }
        try writer.execute("INSERT INTO t VALUES (1)")
    }

    private func count() throws -> Int64? {
        let reader = try readers.take()
        defer { readers.giveBack(reader) }
        return try reader.session.count()
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        #expect(throws: SQLiteError.self, performing: body)?.message
    }

    @Test func `a reader keeps its snapshot, and the next one sees every commit`() throws {
        #expect(try count() == 0)
        let reader = try readers.take()
        #expect(try reader.session.count() == 0)
        try insert()
        #expect(try reader.session.count() == 0)
        #expect(!readers.isLatest(reader))
        readers.giveBack(reader)
        #expect(try count() == 1)
    }

    @Test func `an idle reader is reused and keeps its snapshot until the next write`()
        throws
    {
        let first = try readers.take()
        #expect(try first.session.count() == 0)
        readers.giveBack(first)
        #expect(first.session.isReading)
        let second = try readers.take()
        #expect(first === second && readers.isLatest(second))
        readers.giveBack(second)
        readers.beginWrite()
        #expect(!first.session.isReading)
        readers.endWrite()
    }

    @Test func `readers of the same generation have the same snapshot`() throws {
        let (one, other) = (try readers.take(), try readers.take())
        #expect(try one.session.count() == other.session.count())
        #expect(one !== other && one.generation == other.generation)
        #expect(readers.isLatest(one) && readers.isLatest(other))
        readers.giveBack(one)
        readers.giveBack(other)
    }

    @Test func `a pause does not begin while a reader is in use`() throws {
        let reader = try readers.take()
        #expect(try readers.betweenReads { true } == nil)
        readers.giveBack(reader)
        let isWhole = try readers.betweenReads { () throws(SQLiteError) in
            #expect(try readers.takeAtOnce() == nil)
            return try writer.copyLog().isWhole
        }
        #expect(isWhole == true)
    }

    @Test func `readers notice that their file was replaced`() throws {
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try count() == 0)
        let path = readers.source.path
        try FileSystem.rename(path, to: home.file("b"))
        #expect(refusal { try readers.requireFile() } == "fileIsGone")
        try readers.whileClosed { Source(path: home.file("b")) }
        try readers.requireFile()
        #expect(readers.source.path == home.file("b"))
        #expect(try count() == 0)
    }

    @Test func `a closed pool provides no reader`() throws {
        let reader = try readers.take()
        readers.close()
        #expect(try reader.session.count() == 0)
        readers.giveBack(reader)
        #expect(refusal { _ = try readers.take() } == "closed")
    }
}
