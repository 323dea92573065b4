import CDivanFloors
import DivanFullText
import DivanJSON
import DivanQuery
import DivanStore

/// A store and a plain SQLite database with the same documents, queried side by side.
///
/// Times are processor time of the one querying thread, so that other load counts little.
final class QueryBench {
    /// A question in both languages.
    typealias Question = (name: String, query: String, sql: String?)

    let store: Store
    let raw: OpaquePointer

    init(in directory: String) throws {
        store = try Store.open(directory: "\(directory)/queries.cblite2")
        guard let opened = floor_query_open("\(directory)/queries.sqlite") else {
            throw Failure(text: "the floor's database cannot be opened")
        }
        raw = opened
        try fill()
    }

    deinit {
        try? store.close()
        floor_query_close(raw)
    }

    struct Failure: Error {
        let text: String
    }

    private func fill() throws {
        try QueryDocuments.fill(store)
        for start in stride(from: 0, to: QueryDocuments.count, by: 1_000) {
            try change("BEGIN")
            for number in start..<start + 1_000 { try saveRaw(number) }
            try change("COMMIT")
        }
    }

    func saveRaw(_ number: Int, changedBy shift: Int = 0) throws {
        let isStored = try QueryDocuments.body(number + shift).withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            return floor_query_insert(raw, QueryDocuments.id(number), start, bytes.count)
        }
        guard isStored == 1 else { throw Failure(text: "the floor cannot store") }
    }

    /// Seconds that SQLite alone needs for a change.
    @discardableResult
    func change(_ sql: String) throws -> Double {
        let seconds = floor_query_change(raw, sql)
        guard seconds >= 0 else { throw Failure(text: "the floor cannot run \(sql)") }
        return seconds
    }

    /// Adds a figure for a question in SQL++ and the same one in SQL; all rows are read.
    func compare(
        _ name: String,
        _ query: String,
        _ sql: String?,
        onlyFirst: Bool = false,
        to report: inout Report
    ) throws {
        var (ours, floor) = (Double.infinity, Double.infinity)
        let statement = try checked(query)
        // In turns, so that both see the same load.
        for _ in 0..<5 {
            let time = try Stopwatch.bestWork(of: 1) {
                let rows = try store.rows(of: StorageQuery(statement))
                defer { rows.end() }
                while try rows.next() != nil, !onlyFirst {}
            }
            ours = min(ours, time)
            guard let sql else { continue }
            let seconds = floor_query_read(raw, sql, onlyFirst ? 1 : 0)
            guard seconds >= 0 else { throw Failure(text: "the floor cannot run \(sql)") }
            floor = min(floor, seconds)
        }
        add(name, ours, floor: sql == nil ? nil : floor, to: &report)
    }

    func add(
        _ name: String,
        _ seconds: Double,
        floor: Double?,
        to report: inout Report
    ) {
        report.add(
            Figure(
                name: "query: \(name)",
                unit: "ms",
                ours: seconds * 1_000,
                floor: floor.map { $0 * 1_000 },
                floorName: floor == nil ? "100,000 documents of 1.2 KB" : "SQLite, json_extract"
            )
        )
    }

    func checked(_ sql: String) throws -> CheckedStatement {
        try QueryStatement(sql: sql).checked(against: AnyCatalogue(), text: sql)
    }

    /// Says that everything exists.
    private struct AnyCatalogue: QueryCatalogue {
        var databaseName: ExactText { "queries" }
        func hasCollection(_ collection: QueryCollection) -> Bool { true }
        func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool { true }
    }
}
