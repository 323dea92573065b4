internal import CDivanSQLiteEngine
internal import DivanSQLite
internal import DivanStorage

/// Runs statements that create indexes, one after another, and reports the progress of each to a control.
///
/// Theory. SQLite reports nothing about a running statement, but calls a handler every so many steps of
/// its machine. An `INSERT … SELECT` counts the rows that it has read. `CREATE INDEX` does not, so its
/// steps are counted and compared with the total it will take: the length of its loop over the table,
/// as `EXPLAIN` shows it, and four more steps for each row after the sorting, times the number of rows.
/// The output of `EXPLAIN` may change with versions; if it is not understood, no progress of the
/// statement is reported until it is done.
///
/// SQLite rolls back the transaction of an interrupted change. Another one is then begun, so that
/// nothing that follows in the same block is committed by itself.
final class SQLiteIndexBuild {
    /// Steps between two checks: about 15 µs.
    private static let stepCount: Int32 = 1_000
    /// Steps for each row after the sorting.
    private static let sortedStepCount = 4

    /// The loop of a statement over the rows of a table.
    private struct Loop {
        let rowCount: Int64
        let length: Int
        /// Whether the statement counts its rows.
        let isCounted: Bool
    }

    private let connection: StoreConnection
    private let control: IndexBuildControl
    private var statement: OpaquePointer?
    private var loop: Loop?
    private var looks = 0.0

    init(on connection: StoreConnection, _ control: IndexBuildControl) {
        self.connection = connection
        self.control = control
    }

    func run(_ sql: String) throws {
        do {
            defer { endLooks() }
            try connection.execute(sql, willRun: beginLooks)
        } catch {
            if !connection.isInTransaction { try? connection.execute("BEGIN IMMEDIATE") }
            // What SQLite reports of a change that was stopped is only the interruption.
            try control.check()
            throw error
        }
        try control.check()
    }

    /// Makes SQLite check from now on how far a statement is.
    private func beginLooks(at statement: OpaquePointer) {
        endLooks()  // what finds the loop is no part of it
        loop = Self.loop(of: statement, on: connection)
        self.statement = statement
        looks = 0
        let context = Unmanaged.passUnretained(self).toOpaque()
        connection.call(each: Self.stepCount, with: context) { context in
            // Called while this build has the connection run a statement.
            guard let context else { return 0 }
            return Unmanaged<SQLiteIndexBuild>.fromOpaque(context).takeUnretainedValue().look()
        }
    }

    private func endLooks() {
        connection.call(each: 0, with: nil, nil)
        statement = nil
    }

    /// Returns whether to stop: 0 is no.
    private func look() -> Int32 {
        looks += 1
        guard !control.mustStop else { return 1 }
        guard let loop, let statement, loop.rowCount > 0 else { return 0 }
        let share: Double
        if loop.isCounted {
            let count = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)
            share = Double(count) / Double(loop.rowCount)
        } else {
            let length = Double(loop.length + Self.sortedStepCount)
            share = looks * Double(Self.stepCount) / (length * Double(loop.rowCount))
        }
        control.report(min(1, share))
        return 0
    }

    /// The loop of a statement that creates or fills a table or an index; `nil` for others, and if the
    /// plan cannot be interpreted.
    private static func loop(
        of statement: OpaquePointer,
        on connection: StoreConnection
    ) -> Loop? {
        guard let text = sqlite3_sql(statement) else { return nil }
        let sql = String(cString: text).drop(while: \.isWhitespace)
        guard sql.hasPrefix("CREATE INDEX") || sql.hasPrefix("INSERT INTO") else { return nil }
        return try? loop(of: String(sql), on: connection)
    }

    private static func loop(
        of sql: String,
        on connection: StoreConnection
    ) throws(StoreError) -> Loop? {
        let steps = try connection.prepare("EXPLAIN " + sql)
        var roots: [Int64: Int64] = [:]
        while try steps.step() {
            let (address, name) = (steps.integer(0), steps.text(1))
            if name == "OpenRead" { roots[steps.integer(2)] = steps.integer(3) }
            guard name == "Next", let root = roots[steps.integer(2)] else { continue }
            let length = Int(clamping: address - steps.integer(3) + 1)
            let isCounted = steps.integer(6) == Int64(SQLITE_STMTSTATUS_FULLSCAN_STEP)
            let table = try connection.text(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = \(root)"
            )
            guard let table, length > 0 else { return nil }
            // Names of our tables contain no quotes.
            let rowCount = try connection.integer("SELECT count(*) FROM \"\(table)\"") ?? 0
            return Loop(rowCount: rowCount, length: length, isCounted: isCounted)
        }
        return nil
    }
}

extension SQLiteSession {
    func changeIndexes(_ sql: String) throws(StoreError) {
        try changingIndexes(by: sql) { () throws(StoreError) in try connection.execute(sql) }
    }

    func makeIndexesBesideDamage(_ statements: [String]) throws(StoreError) {
        connection.bodies.passesDamage = true
        defer { connection.bodies.passesDamage = false }
        for sql in statements { try changeIndexes(sql) }
    }

    func withoutIndexes(
        of collection: CollectionID,
        _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let records = try indexRecords(of: collection)
        if !records.isEmpty { try removeIndexes(of: collection, except: []) }
        try body()
        try makeIndexesBesideDamage(records.statements)
    }

    func changeIndexes(_ sql: String, controlledBy control: IndexBuildControl) throws {
        try changingIndexes(by: sql) { try SQLiteIndexBuild(on: connection, control).run(sql) }
    }

    private func changingIndexes<E: Error>(
        by sql: String,
        _ body: () throws(E) -> Void
    ) throws(E) {
        defer {
            forgetStatements()
            try? KeptPages.begin(onWriter: connection)
        }
        // What is sorted spills beyond the size of the cache. Tables of items and words are filled in no order.
        let isSorted = sql.hasPrefix("CREATE INDEX")
        try? isSorted
            ? KeptPages.keepSortedPages(on: connection) : KeptPages.keepIndexPages(on: connection)
        try connection.sortingInOnePiece(body)
    }
}
