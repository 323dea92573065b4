import DivanPlatform
internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import Synchronization

/// A scan that several connections share, each on a thread of its own.
///
/// Theory of operation. The rows are divided by their sequences into more parts than there are threads;
/// a thread that is done with one takes the next. The requesting thread does its share, and needs none
/// of the others: a helper that starts late, finds no connection or has another snapshot does nothing.
/// All of them read the same state of the database: `SQLiteReaders` says after a connection's first
/// read whether anything was written since a certain moment, and each helper compares that moment with
/// the requesting thread's. The others have ended when the run returns, whatever happens.
final class SQLiteParallelScan: Sendable {
    /// A collection with fewer documents is scanned before a thread could start.
    static let documentCount = 20_000
    /// Parts for each thread, so that none waits long for another.
    private static let partCount = 8
    private static let threadLimit = 4
    /// Determined once: the system opens a file for it, which takes longer than a small query.
    private static let processorCount = CurrentProcess.processorCount

    private struct Progress {
        var rows: [[[QueryValue]]?]
        var failure: (any Error)?
    }

    private let parts: [StorageQuery]
    private let readers: SQLiteReaders<EngineReaders>
    private let generation: UInt64
    private let next = Atomic<Int>(0)
    // Bytes of gathered values: SQLite, which counts the memory of a query, does not know of them.
    private let heldByteCount = Atomic<Int>(0)
    private let progress: Mutex<Progress>

    private init(
        _ parts: [StorageQuery],
        _ readers: SQLiteReaders<EngineReaders>,
        at generation: UInt64
    ) {
        self.parts = parts
        self.readers = readers
        self.generation = generation
        progress = Mutex(Progress(rows: parts.map { _ in nil }))
    }

    /// The rows of a query, if it is a scan that is worth dividing; `reader` is the caller's.
    ///
    /// Returns `nil` if the parts take more than a query may hold: each may have as many rows as the whole.
    static func rows(
        of query: StorageQuery,
        on reader: SQLiteReader<SQLiteSession>,
        of readers: SQLiteReaders<EngineReaders>
    ) throws -> [[QueryValue]]? {
        let session = reader.session
        guard processorCount > 1, try session.mayScan(query),
            let scan = ParallelScan(query.statement)
        else { return nil }
        let id = try SQLiteQuerySchema(session).id(of: scan.collection)
        let state = try session.state(of: id)
        guard state.liveCount >= documentCount, readers.isLatest(reader),
            try session.scans(query), let first = try session.firstSequence(in: id)
        else { return nil }
        let threadCount = min(processorCount, threadLimit)
        let last = Int64(clamping: state.lastSequence)
        // Other values are only caused by damage, and would overflow.
        guard first > 0, last < 1 << 62 else { return nil }
        let ranges = ranges(first, last, count: threadCount * partCount)
        let parts = ranges.map { range in
            StorageQuery(scan.part(range), parameters: query.parameters, control: query.control)
        }
        let run = SQLiteParallelScan(parts, readers, at: reader.generation)
        let others = (1..<threadCount).map { _ in JoinedThread { run.help() } }
        defer { for helper in others { helper?.join() } }
        run.work(on: session)
        for helper in others { helper?.join() }
        guard run.hasRoom else { return nil }
        return scan.whole(try run.result())
    }

    private static func ranges(_ first: Int64, _ last: Int64, count: Int) -> [Range<Int64>] {
        let width = max(1, (last - first) / Int64(count) + 1)
        return stride(from: first, through: last, by: Int64.Stride(width)).map { start in
            start..<(start + width)
        }
    }

    /// Whether less was gathered than a single query may hold.
    private var hasRoom: Bool {
        heldByteCount.load(ordering: .relaxed) <= (parts.first?.control.memory.singleByteLimit ?? 0)
    }

    private func help() {
        do {
            // A thread that replaces the file waits for the requesting thread, which waits for this one.
            guard let reader = try readers.takeAtOnce() else { return }
            defer { readers.giveBack(reader) }
            // The first read begins the snapshot.
            _ = try reader.session.collections()
            guard reader.generation == generation, readers.isLatest(reader) else { return }
            work(on: reader.session)
        } catch {
            // The requesting thread manages without.
        }
    }

    private func work(on session: SQLiteSession) {
        // How many pages are kept only changes how long the scan takes.
        try? session.pages.beginScan(on: session.connection)
        defer { try? session.pages.endScan(on: session.connection) }
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < parts.count, hasRoom, progress.withLock({ $0.failure == nil })
            else { return }
            do {
                let run = try SQLiteQueryRun(parts[index], on: session, isKept: false)
                defer { run.end() }
                var rows: [[QueryValue]] = []
                while hasRoom, let row = try run.next() {
                    rows.append(row)
                    let byteCount = row.reduce(0) { $0 + $1.heldByteCount }
                    heldByteCount.add(byteCount, ordering: .relaxed)
                }
                progress.withLock { $0.rows[index] = rows }
            } catch {
                progress.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    private func result() throws -> [[[QueryValue]]] {
        try progress.withLock { progress in
            if let failure = progress.failure { throw failure }
            return progress.rows.compactMap(\.self)
        }
    }
}

extension QueryValue {
    /// Bytes that it holds in addition to its slot in a row.
    fileprivate var heldByteCount: Int {
        switch self {
        case .missing, .null, .boolean, .integer, .double: 0
        case .string(let text): text.utf8.count
        case .container(let bytes), .binary(let bytes): bytes.count
        }
    }
}

extension SQLiteSession {
    /// Whether the query may scan: it is not known yet that an index answers it.
    fileprivate func mayScan(_ query: StorageQuery) throws -> Bool {
        guard let version = try connection.schemaVersion() else { return true }
        return queries[query.statement, version].isScan ?? true
    }

    /// Whether a query reads all rows of its first source, determined once per version of the
    /// schema.
    fileprivate func scans(_ query: StorageQuery) throws -> Bool {
        let version = try connection.schemaVersion()
        if let version, let known = queries[query.statement, version].isScan { return known }
        let schema = SQLiteQuerySchema(self)
        let (translation, plan) = try SQLiteQueryRun.steps(of: query, schema, on: self)
        let steps = plan.map(\.text)
        // In the order of an index, or of the rows, few of them are read anyway.
        let isSorted = steps.contains { $0.hasPrefix("USE TEMP B-TREE FOR ORDER BY") }
        // Each part of a join would build such an index of its own.
        let makesIndex = steps.contains { $0.contains(" AUTOMATIC ") || $0.contains("BLOOM") }
        let isScan =
            steps.contains("SCAN s0") && !makesIndex && (query.statement.isAggregate || isSorted)
        if let version, translation.byteCount <= SQLiteEngineLimits.keptQueryByteCount {
            queries[query.statement, version].isScan = isScan
        }
        return isScan
    }

    /// The least sequence of a collection; `nil` if there is no row.
    fileprivate func firstSequence(in collection: CollectionID) throws(StoreError) -> Int64? {
        let statement = try statement("SELECT min(sequence) FROM \(SQLiteSchema.table(collection))")
        defer { statement.reset() }
        return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
    }
}
