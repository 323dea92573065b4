internal import CDivanSQLiteEngine
import DivanPlatform
public import DivanSQLite
public import DivanStorage

/// A connection that reports `StoreError`s and has the functions that our tables and queries need.
public typealias StoreConnection = SQLiteConnection<StoreFunctions>
/// A statement of such a connection.
typealias StoreStatement = SQLiteStatement<StoreFunctions>

/// The functions of one connection: checksums at once, and those of queries when a statement needs them.
public struct StoreFunctions: SQLiteClient {
    /// Unpacks bodies, also for SQL functions; kept by the connection, and released after its handle.
    let bodies: SQLiteBodies
    /// The cells that searches share; `nil` for a connection that sees data before it is committed.
    var cells: VectorCellCache?
    /// Keeps statements for the functions.
    let owner = StatementsReference()

    /// The statements of the session that uses the connection, which may end earlier.
    final class StatementsReference {
        weak var statements: SQLiteKeptStatements?
    }

    /// The error with the path and the code of a store.
    public static func failure(_ error: SQLiteError) -> StoreError { StoreError(error) }

    /// Adds checksums, and what decompresses bodies.
    public func prepare(_ connection: OpaquePointer) -> Int32 {
        bodies.read(from: connection)
        return divan_add_checksums(connection)
    }

    /// Adds the functions of queries and vectors.
    public func addFunctions(to connection: StoreConnection) -> Int32 {
        let code = SQLiteQueryFunctions.add(to: connection.handle, unpackingBy: bodies)
        return code == SQLITE_OK ? SQLiteVectorFunctions.add(to: connection) : code
    }
}

extension SQLiteConnection<StoreFunctions> {
    convenience init(path: String, mode: SQLiteMode) throws(StoreError) {
        try self.init(DatabaseFileLocation(path), mode: mode)
    }

    /// Opens a file with its key; `namesOthers` lets statements refer to other files by URI, and `cells` are for
    /// readers.
    convenience init(
        _ place: DatabaseFileLocation,
        mode: SQLiteMode,
        namesOthers: Bool = false,
        cells: VectorCellCache? = nil
    ) throws(StoreError) {
        let functions = StoreFunctions(bodies: SQLiteBodies(place.packing), cells: cells)
        try self.init(place.file, mode: mode, client: functions, namesOthers: namesOthers)
    }

    /// A statement for a function, which resets it before it returns; the session keeps it for the next call.
    func functionStatement(_ sql: String) throws(StoreError) -> StoreStatement {
        guard let statements = client.owner.statements else { return try prepare(sql) }
        return try statements.statement(sql, on: self)
    }

    /// The version of the snapshot's schema; `nil` if nothing may be kept under it, as in a transaction
    /// that writes: after a rollback, another schema gets the same version.
    func schemaVersion() throws(StoreError) -> Int64? {
        guard isInTransaction, !isWriting, let queries = client.owner.statements?.queries else {
            return nil
        }
        if let known = queries.schemaVersion { return known }
        let statement = try functionStatement("PRAGMA schema_version")
        defer { statement.reset() }
        queries.schemaVersion = try statement.step() ? statement.integer(0) : nil
        return queries.schemaVersion
    }

    /// A statement that depends on a query, for a function that keeps it afterwards.
    func idleQuery(_ sql: String) throws(StoreError) -> StoreStatement {
        if let kept = client.owner.statements?.queries.take(sql) { return kept }
        return try prepare(sql)
    }

    /// Keeps an idle statement among those of queries, whose number is limited.
    func keepIdleQuery(_ statement: StoreStatement, for sql: String) {
        client.owner.statements?.queries.keep(statement, for: sql)
    }

    /// Unpacks the bodies that the connection reads.
    var bodies: SQLiteBodies { client.bodies }

    /// Opens another connection to the same file, to read what is committed.
    func reader() throws(StoreError) -> StoreConnection {
        let functions = StoreFunctions(bodies: SQLiteBodies(.none))
        let place = SQLiteLocation(path, encryption: encryption)
        return try StoreConnection(place, mode: .readOnly, client: functions)
    }

    /// The first bytes of a database's file, none if it has fewer.
    public static func head(of path: String, count: Int) throws(StoreError) -> [UInt8] {
        do throws(SQLiteError) {
            return try SQLiteHead.read(path, count: count)
        } catch {
            throw StoreError(error)
        }
    }

    /// Copies the whole database, as it is committed now, over that of `target`.
    func copy(to target: StoreConnection) throws(StoreError) {
        let control = LongWork.control
        let isWhole = try copy(
            to: target,
            mustStop: control.map { control in { control.mustStop } }
        )
        try LongWork.check(at: path)
        guard isWhole else {
            throw .stopped(at: path)
        }
    }

    /// Steps of SQLite's machine between two looks at a control: about 50 µs.
    private static var controlStepCount: Int32 { 4_000 }

    /// Makes SQLite ask `control` now and then whether to stop; `nil` ends that.
    ///
    /// The caller keeps the control alive until then.
    func setControl(_ control: QueryControl?) {
        guard let control else { return call(each: 0, with: nil, nil) }
        call(each: Self.controlStepCount, with: Unmanaged.passUnretained(control).toOpaque()) {
            context in
            // Called only during calls of this connection, while the caller keeps the control alive.
            guard let context else { return 0 }
            return Unmanaged<QueryControl>.fromOpaque(context).takeUnretainedValue().mustStop
                ? 1 : 0
        }
    }

    /// Runs one of SQLite's own checks, which returns `ok` or what it found.
    func check(_ pragma: String, of path: String) throws(StoreError) {
        let finding = try text(pragma) ?? "no answer"
        // SQLite 3.44 also checks the words of full-text indexes once all pages are found sound. Documents
        // are not found by those, and `checkWords` names the index.
        guard finding != "ok", !finding.contains("inverted index for FTS5 table") else { return }
        // A page that the disk failed to read is reported, too, but says nothing about what is stored there.
        let code = finding.split(separator: "error code=").dropFirst().first
        let primary = code.flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }.map { $0 & 255 }
        if primary == Int(SQLITE_IOERR) { throw StoreError(.io(.ioError), at: path) }
        throw StoreError(.corrupt(finding), at: path)
    }
}

extension SQLiteStatement<StoreFunctions> {
    /// Unpacks bodies that the statement finds.
    var bodies: SQLiteBodies { connection.bodies }

    /// An error that reports the file as damaged; `detail` says where.
    func corrupt(_ detail: String) -> StoreError {
        StoreError(.corrupt(detail), at: path)
    }
}
