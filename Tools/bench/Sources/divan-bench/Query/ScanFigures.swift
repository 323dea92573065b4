import CDivanFloors
import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit

/// Scans in wall-clock time: what sharing them among threads saves, and what a million rows take.
enum ScanFigures {
    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        try measureSharing(in: workplace.newDirectory(), into: &report)
        try measureMillion(in: workplace.newDirectory(), into: &report)
    }

    // MARK: Threads

    /// A question that is divided among threads, and the same one written so that it is not.
    private static let questions = [
        (
            name: "count where a number", shared: "SELECT COUNT(*) FROM _ WHERE price > 500",
            alone: "SELECT COUNT(*) FROM _ WHERE price > 500 LIMIT 1"
        ),
        (
            name: "LIKE '%…%'", shared: "SELECT COUNT(*) FROM _ WHERE name LIKE '%99%'",
            alone: "SELECT COUNT(*) FROM _ WHERE name LIKE '%99%' LIMIT 1"
        ),
        (
            name: "ORDER BY … LIMIT 20", shared: "SELECT name FROM _ ORDER BY price LIMIT 20",
            alone: "SELECT name FROM _ ORDER BY price LIMIT 10 + 10"
        ),
    ]

    private static func measureSharing(in directory: String, into report: inout Report) throws {
        let bench = try QueryBench(in: directory)
        for question in questions {
            let shared = try bench.checked(question.shared)
            let alone = try bench.checked(question.alone)
            var (ours, floor) = (Double.infinity, Double.infinity)
            // In turns, so that both see the same load.
            for _ in 0..<10 {
                ours = min(ours, try Stopwatch.best(of: 1) { try read(shared, in: bench.store) })
                floor = min(floor, try Stopwatch.best(of: 1) { try read(alone, in: bench.store) })
            }
            report.add(
                Figure(
                    name: "scan shared by threads: \(question.name)",
                    unit: "ms",
                    ours: ours * 1_000,
                    floor: floor * 1_000,
                    floorName: "the same on one thread, by the clock on the wall"
                )
            )
        }
    }

    private static func read(_ statement: CheckedStatement, in store: Store) throws {
        let rows = try store.rows(of: StorageQuery(statement))
        defer { rows.end() }
        while try rows.next() != nil {}
    }

    // MARK: A million rows

    private static let million = 1_000_000
    /// Rows between two measurements of the memory.
    private static let lookInterval = 10_000

    private static func measureMillion(in directory: String, into report: inout Report) throws {
        let store = try Store.open(directory: "\(directory)/million.cblite2")
        defer { try? store.close() }
        for start in stride(from: 0, to: million, by: 1_000) {
            try store.write { writer in
                for number in start..<start + 1_000 {
                    let body = #"{"name":"Chair \#(number)","price":\#(number % 977)}"#
                    let id = DocumentID(unchecked: "doc-\(number)")
                    _ = try writer.save(id, in: .default, body: Array(body.utf8))
                }
            }
        }
        for (name, order) in [("as they are found", ""), ("sorted", " ORDER BY price")] {
            let query = "SELECT META().id, name FROM _ WHERE price >= 0\(order)"
            report.add(
                Figure(
                    name: "memory of 1,000,000 rows, \(name)",
                    unit: "MB",
                    ours: Double(try growth(of: query, in: store)) / 1e6,
                    floorName: "above what the process had before"
                )
            )
        }
    }

    /// How far the resident memory grows while all rows of a query are read.
    private static func growth(of query: String, in store: Store) throws -> Int {
        let catalogue = StoreCatalogue(store, named: "million")
        let statement = try QueryStatement(sql: query).checked(against: catalogue)
        // Memory freed by earlier work would be reused without being seen.
        floor_give_memory_back()
        let before = OwnProcess.residentByteCount
        var (most, count) = (before, 0)
        let rows = try store.rows(of: StorageQuery(statement))
        defer { rows.end() }
        while try rows.next() != nil {
            count += 1
            if count % lookInterval == 0 { most = max(most, OwnProcess.residentByteCount) }
        }
        guard count == million else { throw BenchFailure("\(count) rows of \(million)") }
        return most - before
    }
}
