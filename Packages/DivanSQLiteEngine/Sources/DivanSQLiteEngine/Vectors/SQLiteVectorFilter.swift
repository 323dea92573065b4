internal import CDivanSQLiteEngine
internal import DivanSQLite
internal import DivanStorage

/// The conditions of a query that documents near a vector must meet.
///
/// Theory of operation: if an index finds the documents that meet the conditions and they are few, all of them are
/// candidates, and no vector is looked at. Otherwise, the search asks for each document that may be among the nearest.
/// If one of `s` documents meets the conditions, the `k` nearest of those are among about the `s·k` nearest of all, so
/// a small multiple of `s·k` documents is tested instead of computing the distances of all that meet the conditions.
final class SQLiteVectorFilter {
    /// The statement that finds documents.
    let list: String
    private let test: String
    private let values: [OpaquePointer?]
    /// The number of the parameter after those of the values.
    private let parameter: Int32
    private let connection: StoreConnection
    private let testing: StoreStatement
    /// The number of documents that were tested.
    private(set) var testedCount = 0
    /// The number of those that meet the conditions.
    private(set) var metCount = 0

    /// - Parameters:
    ///   - list: Selects the sequences of some documents that meet the conditions; the last parameter is their number.
    ///   - test: Selects a row if a document meets the conditions; the last parameter is its sequence.
    ///   - values: What is bound to the other parameters; used only while the function is called that got them.
    ///   - connection: Where the documents are.
    /// - Throws: SQLite's error if a statement cannot be prepared.
    init(
        list: String,
        test: String,
        _ values: [OpaquePointer?],
        on connection: StoreConnection
    ) throws(StoreError) {
        self.list = list
        self.test = test
        self.values = values
        self.connection = connection
        parameter = Int32(clamping: values.count + 1)
        testing = try connection.idleQuery(test)
        try bind(testing)
    }

    deinit {
        keep(testing, for: test)
    }

    private func bind(_ statement: StoreStatement) throws(StoreError) {
        for (number, value) in zip(Int32(1)..., values) {
            try statement.check(sqlite3_bind_value(statement.handle, number, value))
        }
    }

    /// Leaves a statement to the next search.
    private func keep(_ statement: StoreStatement, for sql: String) {
        statement.reset()
        statement.clearBindings()
        connection.keepIdleQuery(statement, for: sql)
    }

    /// Whether a document meets the conditions.
    func isMet(by sequence: Int64) throws(StoreError) -> Bool {
        try testing.bind(sequence, at: parameter)
        defer { testing.reset() }
        testedCount += 1
        guard try testing.step() else { return false }
        metCount += 1
        return true
    }

    /// The documents that meet the conditions, if they are at most `limit`.
    func few(_ limit: Int) throws(StoreError) -> [Int64]? {
        let rows = try connection.idleQuery(list)
        defer { keep(rows, for: list) }
        try bind(rows)
        try rows.bind(Int64(limit + 1), at: parameter)
        var sequences: [Int64] = []
        while try rows.step() { sequences.append(rows.integer(0)) }
        return sequences.count <= limit ? sequences : nil
    }

    /// Whether an index finds the documents, instead of a scan of all.
    func isIndexed() throws(StoreError) -> Bool {
        Self.isIndexed(try connection.plan(of: list))
    }

    /// Whether these steps find the documents by an index.
    static func isIndexed(_ steps: [QueryPlan.Step]) -> Bool {
        // A partial index may be scanned, too.
        !steps.contains { step in
            step.parent == 0 && step.text.hasPrefix("SCAN") && !step.text.contains(" INDEX ")
        }
    }
}
