import DivanPlatform
import DivanSQLite
import DivanTestKit
import Testing

/// Opening files, running statements, and the errors of both.
@Suite struct ConnectionTests {
    private let home: TemporaryDirectory

    init() throws {
        home = try TemporaryDirectory()
    }

    private var path: String { home.file("a.sqlite3") }

    private func open(
        _ mode: SQLiteMode,
        key: UInt8? = nil
    ) throws -> SQLiteConnection<PlainSQLite> {
        let place = SQLiteLocation(path, encryption: try key.map { try TestEncryption($0) })
        return try SQLiteConnection(place, mode: mode, client: PlainSQLite())
    }

    @Test func `only the owner can read and write a file that was created`() throws {
        let connection = try open(.create)
        try connection.execute("CREATE TABLE t (a)")
        #expect(try FileStatus(of: path).permissions & 0o777 == 0o600)
    }

    @Test func `a missing file is an error with the reason of the system`() throws {
        let error = #expect(throws: SQLiteError.self) { _ = try open(.readWrite) }
        #expect(error?.kind == .cannotOpen)
        #expect(error?.systemError == .noSuchFileOrDirectory)
        #expect(error?.path == path)
    }

    @Test func `a link is followed only on request`() throws {
        try open(.create).execute("CREATE TABLE t (a)")
        let link = home.file("link")
        try FileSystem.symbolicLink(link, to: path)
        #expect(throws: SQLiteError.self) {
            try SQLiteConnection(SQLiteLocation(link), mode: .readOnly, client: PlainSQLite())
        }
        let followed = SQLiteLocation(link, followsLinks: true)
        let connection = try SQLiteConnection(followed, mode: .readOnly, client: PlainSQLite())
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `an encrypted file needs its key`() throws {
        try open(.create, key: 1).execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7)"
        )
        #expect(try open(.readOnly, key: 1).integer("SELECT a FROM t") == 7)
        for key in [2, nil] as [UInt8?] {
            let error = #expect(throws: SQLiteError.self) {
                _ = try open(.readOnly, key: key).integer("SELECT a FROM t")
            }
            #expect(error?.kind == .notADatabase)
        }
    }

    @Test func `bound values are read back unchanged`() throws {
        let connection = try open(.create)
        let statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6")
        try statement.bind(Int64.min, at: 1)
        try statement.bind(double: 0.1, at: 2)
        try statement.bind("Zürich\u{0}", at: 3)
        try statement.bind([0, 255], at: 4)
        try statement.bind([UInt8](), at: 5)
        try #require(try statement.step())
        #expect(statement.integer(0) == .min)
        guard case .double(let number) = statement.value(1) else { throw Unexpected() }
        #expect(number == 0.1)
        #expect(statement.text(2) == "Zürich\u{0}")
        #expect(statement.bytes(3) == [0, 255])
        guard case .blob(let nothing) = statement.value(4) else { throw Unexpected() }
        #expect(nothing.isEmpty)
        #expect(statement.isNull(5))
        #expect(try !statement.step())
        statement.reset()
        statement.clearBindings()
        try #require(try statement.step())
        #expect((0..<6).allSatisfy { statement.isNull($0) })
    }

    private struct Unexpected: Error {}

    @Test func `a failed statement can run again, and its transaction continues`() throws {
        let connection = try open(.create)
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY); BEGIN")
        connection.transactionDidBegin()
        let insertion = try connection.prepare("INSERT INTO t VALUES (?)")
        try insertion.bind(1, at: 1)
        try insertion.run()
        let error = #expect(throws: SQLiteError.self) { try insertion.run() }
        #expect(error?.kind == .constraint)
        try insertion.bind(2, at: 1)
        try insertion.run()
        #expect(connection.lastInsertedRow == 2)
        #expect(connection.isInTransaction && connection.isWriting)
        #expect(connection.undoing == nil)
        try connection.execute("COMMIT")
        #expect(try connection.texts("SELECT a FROM t ORDER BY a") == ["1", "2"])
        #expect(connection.undoing?.code == 4)
    }

    @Test func `a blob is read and written in place`() throws {
        let connection = try open(.create)
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000))")
        let row = connection.lastInsertedRow
        let blob = try SQLiteBlob(of: "a", in: "t", row: row, on: connection, isWritten: true)
        #expect(blob.byteCount == 100_000)
        try blob.write([1, 2, 3], at: 99_997)
        #expect(throws: SQLiteError.self) { try blob.write([1], at: 100_000) }
        #expect(try blob.bytes().suffix(4) == [0, 1, 2, 3])
        #expect(throws: SQLiteError.self) {
            try SQLiteBlob(of: "a", in: "t", row: row + 1, on: connection)
        }
    }

    @Test func `a copy contains all commits and can be stopped`() throws {
        let connection = try open(.create)
        try connection.execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(9000000))"
        )
        let place = SQLiteLocation(home.file("copy"))
        let target = try SQLiteConnection(place, mode: .create, client: PlainSQLite())
        #expect(try !connection.copy(to: target) { true })
        #expect(try connection.copy(to: target) { false })
        #expect(try target.integer("SELECT length(a) FROM t") == 9_000_000)
        #expect(try target.text("PRAGMA integrity_check") == "ok")
    }

    @Test func `only an unencrypted database writes sorted data to temporary files`() throws {
        for key in [nil, 1] as [UInt8?] {
            let file = SQLiteLocation(
                home.file("spill-\(key ?? 0)"),
                encryption: try key.map { try TestEncryption($0) }
            )
            let connection = try SQLiteConnection(file, mode: .create, client: PlainSQLite())
            try connection.execute(
                "PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY; CREATE TABLE t (a)"
            )
            var inside: Int64?
            try connection.sortingInOnePiece {
                inside = try connection.integer("PRAGMA temp_store")
            }
            // What an encrypted database spills would be plain.
            #expect(inside == (key == nil ? 1 : 2))
            #expect(try connection.integer("PRAGMA temp_store") == 2)
            try connection.vacuum()
        }
    }

    @Test func `the file header can be read while a connection writes`() throws {
        let connection = try open(.create)
        try connection.execute("CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
        let head = try SQLiteHead.read(path, count: 16)
        #expect(String(decoding: head, as: UTF8.self) == "SQLite format 3\0")
        #expect(try SQLiteHead.read(home.file("missing"), count: 16).isEmpty)
        #expect(try SQLiteHead.read(home.path, count: 16).isEmpty)
        try connection.execute("COMMIT")
    }
}
