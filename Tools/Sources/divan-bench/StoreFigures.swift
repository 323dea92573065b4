import CDivanFloors
import DivanJSON
import DivanStore
import Foundation

/// Saving and reading documents, beside raw SQLite with prepared statements and the same columns.
enum StoreFigures {
    private static let rounds = 50
    private static let batch = 1000
    private static let reads = 50_000

    static func measure(
        _ documents: Documents,
        in directory: String,
        into report: inout Report
    ) throws {
        let count = Double(rounds * documents.bodies.count)
        let file = "\(directory)/floor.sqlite"
        let floorInsert = documents.withFloor { floor_sqlite_insert(file, $0, rounds, batch) }
        let floorRead = documents.withFloor { floor_sqlite_read(file, $0, rounds, reads) }
        guard floorInsert > 0, floorRead > 0 else { throw BenchFailure("the SQLite floor failed") }

        let bodies = try documents.bodies.map { try JSON(parsing: $0.span).canonicalBytes() }
        let store = try Store.open(directory: "\(directory)/bench.cblite2")
        defer { try? store.close() }
        let saving = try Stopwatch.best(of: 1) { try save(bodies, documents.ids, store) }
        report.add(
            Figure(
                name: "document insert, 1,000 a transaction, store",
                unit: "docs/s",
                ours: count / saving,
                floor: count / floorInsert,
                floorName: "raw SQLite, prepared, same columns"
            )
        )
        let reading = try Stopwatch.best { try read(documents.ids, store) }
        report.add(
            Figure(
                name: "document read by ID, store",
                unit: "docs/s",
                ours: Double(reads) / reading,
                floor: Double(reads) / floorRead,
                floorName: "raw SQLite, prepared"
            )
        )
    }

    private static func save(_ bodies: [[UInt8]], _ ids: [String], _ store: Store) throws {
        var done = 0
        while done < rounds * bodies.count {
            try store.write { writer in
                for index in done..<min(done + batch, rounds * bodies.count) {
                    let which = index % bodies.count
                    _ = try writer.save(
                        "\(ids[which])-\(index / bodies.count)",
                        in: .default,
                        body: bodies[which]
                    )
                }
            }
            done += batch
        }
    }

    private static func read(_ ids: [String], _ store: Store) throws {
        var random: UInt64 = 88_172_645_463_325_252
        try store.read { reader in
            for _ in 0..<reads {
                random ^= random << 13
                random ^= random >> 7
                random ^= random << 17
                let which = Int(random % UInt64(ids.count))
                let id = "\(ids[which])-\(Int(random >> 32) % rounds)"
                guard try reader.document(id, in: .default) != nil else {
                    throw BenchFailure("document \(id) is gone")
                }
            }
        }
    }
}
