import DivanDatabase
import DivanFullText
import DivanJSON
import DivanQuery

/// A store and a plain SQLite database with the same documents, queried side by side.
///
/// Times are processor time of the one querying thread, so that other load counts little.
final class QueryBench {
    /// A question in both languages.
    typealias Question = (name: String, query: String, sql: String?)

    let store: Store
    let floor: QueryFloor

    init(in directory: String) throws {
        store = try Store.open(directory: "\(directory)/queries.cblite2")
        floor = try QueryFloor(at: "\(directory)/queries.sqlite")
        try QueryDocuments.fill(store)
        try floor.fill()
    }

    deinit {
        try? store.close()
    }

    /// Adds a figure for a question in SQL++ and the same one in SQL; all rows are read.
    func compare(
        _ name: String,
        _ query: String,
        _ sql: String?,
        onlyFirst: Bool = false,
        to report: inout Report
    ) throws {
        var (ours, plain) = (Double.infinity, Double.infinity)
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
            plain = min(plain, try floor.read(sql, onlyFirst: onlyFirst))
        }
        add(name, ours, floor: sql == nil ? nil : plain, to: &report)
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
