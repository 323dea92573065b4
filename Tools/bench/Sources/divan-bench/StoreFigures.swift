import CDivanFloors
import DivanDatabase
import DivanJSON
import DivanRevisions
import Foundation

/// Saving and reading documents, compared with raw SQLite with prepared statements and the same columns;
/// they take turns.
enum StoreFigures {
    private static let rounds = 50
    private static let batch = 1000
    private static let reads = 50_000
    private static let turns = 3

    static func measure(
        _ documents: Documents,
        in directory: String,
        into report: inout Report
    ) throws {
        let count = Double(rounds * documents.bodies.count)
        let bodies = try documents.bodies.map { try JSON(parsing: $0.span).canonicalBytes() }
        var (floorInsert, saving) = (Double.infinity, Double.infinity)
        var (floorRead, reading) = (Double.infinity, Double.infinity)
        for turn in 0..<turns {
            let file = "\(directory)/floor-\(turn).sqlite"
            let raw = documents.withFloor { floor_sqlite_insert(file, $0, rounds, batch) }
            let rawRead = documents.withFloor { floor_sqlite_read(file, $0, rounds, reads, 1) }
            guard raw > 0, rawRead > 0 else { throw BenchFailure("the SQLite floor failed") }
            (floorInsert, floorRead) = (min(floorInsert, raw), min(floorRead, rawRead))

            let store = try Store.open(directory: "\(directory)/bench-\(turn).cblite2")
            defer { try? store.close() }
            saving = min(
                saving,
                try Stopwatch.best(of: 1) { try save(bodies, documents.ids, store) }
            )
            reading = min(
                reading,
                try Stopwatch.bestWork(of: 1) { try read(documents.ids, store) }
            )
        }
        for (name, ours, floor) in [
            ("insert, 1,000 a transaction", count / saving, count / floorInsert),
            ("read by ID, one snapshot", Double(reads) / reading, Double(reads) / floorRead),
        ] {
            report.add(
                Figure(
                    name: "document \(name), store",
                    unit: "docs/s",
                    ours: ours,
                    floor: floor,
                    floorName: "raw SQLite, prepared, same columns"
                )
            )
        }
    }

    private static func save(_ bodies: [[UInt8]], _ ids: [String], _ store: Store) throws {
        var done = 0
        while done < rounds * bodies.count {
            try store.write { writer in
                for index in done..<min(done + batch, rounds * bodies.count) {
                    let which = index % bodies.count
                    _ = try writer.save(
                        DocumentID(unchecked: "\(ids[which])-\(index / bodies.count)"),
                        in: .default,
                        body: bodies[which]
                    )
                }
            }
            done += batch
        }
    }

    private static func read(_ ids: [String], _ store: Store) throws {
        var generator = Xorshift()
        try store.read { reader in
            for _ in 0..<reads {
                let random = generator.next()
                let which = Int(random % UInt64(ids.count))
                let id = DocumentID(
                    unchecked: "\(ids[which])-\(Int(random >> 32) % rounds)"
                )
                guard try reader.document(id, in: .default) != nil else {
                    throw BenchFailure("document \(id) is missing")
                }
            }
        }
    }
}
