internal import CDivanSQLiteEngine
internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage
internal import DivanVectors

/// The functions with which statements of one connection search vector indexes.
///
/// - `divan_vector_distance1(metric, dimensions, target, vector)`: the exact distance of two vectors of floats.
/// - `divan_nearest1(table, target, probes, count)`: the sequences of documents that may be among the nearest, as JSON;
///   `probes` is 0 for the default number of cells, and negative for all. Further arguments are the two statements of a
///   `SQLiteVectorFilter`, and the values of their parameters.
/// - `divan_is_placed1(table)`: whether vectors have the right codes in the right cells.
///
/// They are called only during calls of the connection, and by one thread at a time.
final class SQLiteVectorFunctions {
    // The connection owns this object: SQLite releases it when the handle is closed.
    private unowned let connection: StoreConnection
    private var latest: (metric: String, target: [UInt8], query: VectorQuery)?
    private var latestPlan: (schema: Int64, list: String, isIndexed: Bool)?
    private var indexes: [String: SQLiteVectorIndex] = [:]

    private init(_ connection: StoreConnection) {
        self.connection = connection
    }

    /// Returns SQLite's result code.
    static func add(to connection: StoreConnection) -> Int32 {
        let code = add(
            "divan_vector_distance1",
            4,
            SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
            to: connection
        ) { functions, context, arguments in
            try functions.distance(context, arguments)
        }
        guard code == SQLITE_OK else { return code }
        let found = add("divan_nearest1", -1, SQLITE_DIRECTONLY, to: connection) {
            functions,
            context,
            arguments in
            try functions.nearest(context, arguments)
        }
        guard found == SQLITE_OK else { return found }
        return add("divan_is_placed1", 1, SQLITE_DIRECTONLY, to: connection) {
            functions,
            context,
            arguments in
            try functions.isPlaced(context, arguments)
        }
    }

    /// What SQLite passes back for each call.
    private final class Call {
        let functions: SQLiteVectorFunctions
        let body: Body

        init(_ functions: SQLiteVectorFunctions, _ body: @escaping Body) {
            self.functions = functions
            self.body = body
        }
    }

    private typealias Arguments = UnsafeMutableBufferPointer<OpaquePointer?>
    private typealias Body = (SQLiteVectorFunctions, OpaquePointer?, Arguments) throws -> Void

    private static func add(
        _ name: String,
        _ count: Int32,
        _ flags: Int32,
        to connection: StoreConnection,
        _ body: @escaping Body
    ) -> Int32 {
        // Released by SQLite, also if it rejects the function.
        let call = Unmanaged.passRetained(Call(SQLiteVectorFunctions(connection), body))
        return sqlite3_create_function_v2(
            connection.handle,
            name,
            count,
            SQLITE_UTF8 | flags,
            call.toOpaque(),
            { context, count, values in
                guard let values, let data = sqlite3_user_data(context) else { return }
                let call = Unmanaged<Call>.fromOpaque(data).takeUnretainedValue()
                let arguments = Arguments(start: values, count: Int(count))
                do {
                    try call.body(call.functions, context, arguments)
                } catch {
                    SQLiteVectorFunctions.fail(context, error)
                }
            },
            nil,
            nil,
            { data in
                if let data { Unmanaged<Call>.fromOpaque(data).release() }
            }
        )
    }

    /// Ends the statement with an error.
    private static func fail(_ context: OpaquePointer?, _ error: any Error) {
        var text = "\(error)"
        if let error = error as? StoreError {
            if case .sqlite(let code, let message) = error.code {
                // What a function in a condition says about its arguments.
                guard code == SQLITE_ERROR else { return sqlite3_result_error_code(context, code) }
                text = message
            } else if error.isDamage {
                return sqlite3_result_error_code(context, SQLITE_CORRUPT)
            }
        }
        sqlite3_result_error(context, text, Int32(clamping: text.utf8.count))
    }

    // MARK: Functions

    private func distance(_ context: OpaquePointer?, _ arguments: Arguments) throws {
        let vector = SQLiteArgument.bytes(arguments[3])
        guard !vector.isEmpty else { return sqlite3_result_null(context) }
        let metric = SQLiteArgument.text(arguments[0])
        let query = try vectorQuery(metric, Self.target(arguments[2], arguments[1]))
        var distance: [Float] = [0]
        try query.distances(to: vector.span.bytes, into: distance.mutableSpan)
        sqlite3_result_double(context, Double(distance[0]))
    }

    private func vectorQuery(
        _ metric: String,
        _ target: UnsafeBufferPointer<UInt8>
    ) throws -> VectorQuery {
        if let latest, latest.metric == metric, latest.target.isEqual(to: target) {
            return latest.query
        }
        guard let known = QueryVectorMetric(rawValue: metric) else {
            throw QueryError("unknown metric \(metric)")
        }
        let made = try VectorQuery(target.floats, metric: known.distanceMetric)
        latest = (metric, Array(target), made)
        return made
    }

    private func nearest(_ context: OpaquePointer?, _ arguments: Arguments) throws {
        guard arguments.count >= 4, arguments.count != 5 else {
            throw QueryError("wrong number of arguments to function divan_nearest1()")
        }
        let index = try self.index(SQLiteArgument.text(arguments[0]))
        let count = Int(clamping: sqlite3_value_int64(arguments[3]))
        let dimensions = index.options.dimensions
        guard sqlite3_value_type(arguments[1]) != SQLITE_NULL else {
            throw Self.noTarget(dimensions)
        }
        let probes = Int(clamping: sqlite3_value_int64(arguments[2]))
        let filter = try filter(Array(arguments.dropFirst(4)))
        if count > 0, let filter, try isIndexed(filter),
            let few = try filter.few(SQLiteEngineLimits.fewFilteredVectorCount)
        {
            return give(few, context)
        }
        var search = SQLiteVectorSearch(
            index,
            near: SQLiteArgument.bytes(arguments[1]).floats,
            wanted: count,
            isExact: probes < 0,
            filter: filter,
            on: connection
        )
        give(try search.run(probes: probes), context)
    }

    /// Returns sequences as JSON.
    private func give(_ sequences: [Int64], _ context: OpaquePointer?) {
        let text = "[" + sequences.map { "\($0)" }.joined(separator: ",") + "]"
        divan_give_text(context, text, Int32(clamping: text.utf8.count))
    }

    private func filter(_ arguments: [OpaquePointer?]) throws -> SQLiteVectorFilter? {
        guard arguments.count >= 2 else { return nil }
        return try SQLiteVectorFilter(
            list: SQLiteArgument.text(arguments[0]),
            test: SQLiteArgument.text(arguments[1]),
            Array(arguments.dropFirst(2)),
            on: connection
        )
    }

    /// Whether an index finds the documents that meet the conditions; remembered while the schema is the same.
    private func isIndexed(_ filter: SQLiteVectorFilter) throws -> Bool {
        let schema = try connection.schemaVersion()
        if let latestPlan, let schema, latestPlan.schema == schema, latestPlan.list == filter.list {
            return latestPlan.isIndexed
        }
        let isIndexed = try filter.isIndexed()
        latestPlan = schema.map { ($0, filter.list, isIndexed) }
        return isIndexed
    }

    private func isPlaced(_ context: OpaquePointer?, _ arguments: Arguments) throws {
        let table = SQLiteArgument.text(arguments[0])
        let isPlaced = try SQLiteVectorCheck(table, on: connection).isPlaced()
        sqlite3_result_int(context, isPlaced ? 1 : 0)
    }

    private func index(_ table: String) throws -> SQLiteVectorIndex {
        let index = try SQLiteVectorIndex(table, on: connection, knownAs: indexes[table])
        indexes = [table: index]
        return index
    }

    private static func noTarget(_ dimensions: Int) -> QueryError {
        QueryError(
            "the target of APPROX_VECTOR_DISTANCE() is not a vector of \(dimensions) dimensions"
        )
    }

    // MARK: Arguments

    private static func target(
        _ value: OpaquePointer?,
        _ dimensions: OpaquePointer?
    ) throws(QueryError) -> UnsafeBufferPointer<UInt8> {
        guard sqlite3_value_type(value) != SQLITE_NULL else {
            throw noTarget(Int(clamping: sqlite3_value_int64(dimensions)))
        }
        return SQLiteArgument.bytes(value)
    }
}
