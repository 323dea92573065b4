import CDivanFloors
import CouchbaseLiteSwift
import DivanDatabase
import DivanJSON
import DivanRevisions
import Foundation
import Synchronization

/// Saving one document at a time, from several threads, and through the public API.
enum SavingFigures {
    private static let batch = 1_000
    private static let publicCount = 20_000
    private static let threads = 8
    private static let turns = 5

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let bodies = try workplace.documents.bodies.map {
            try JSON(parsing: $0.span).canonicalBytes()
        }
        for isFull in [false, true] {
            try measureSingle(isFull, isFull ? 500 : 4_000, bodies, workplace, &report)
        }
        try measurePublic(workplace, bodies, &report)
    }

    /// Both begin with a new file in each turn; the best turn counts, because anything else that uses the
    /// disk makes any of them slower.
    private static func measureSingle(
        _ isFull: Bool,
        _ count: Int,
        _ bodies: [[UInt8]],
        _ workplace: BenchContext,
        _ report: inout Report
    ) throws {
        let name = isFull ? "FULL" : "NORMAL"
        var (floor, alone, together) = (Double.infinity, Double.infinity, Double.infinity)
        for turn in 0..<turns {
            let path = "\(workplace.directory)/single-\(name)-\(turn)"
            let raw = workplace.documents.withFloor {
                floor_sqlite_single("\(path).sqlite", $0, count, isFull ? 1 : 0)
            }
            guard raw > 0 else { throw BenchFailure("the floor of single commits failed") }
            floor = min(floor, raw)
            let store = try Store.open(
                directory: "\(path).cblite2",
                options: StoreOptions(fullSync: isFull)
            )
            defer { try? store.close() }
            let seconds = try Stopwatch.best(of: 1) {
                for index in 0..<count { try save(index, "alone", bodies, store) }
            }
            alone = min(alone, seconds)
            together = min(together, try measureThreads(count, bodies, store))
        }
        for (what, seconds) in [
            ("one a transaction", alone), ("\(threads) threads", together),
        ] {
            report.add(
                Figure(
                    name: "document save, \(what), \(name)",
                    unit: "docs/s",
                    ours: Double(count) / seconds,
                    floor: Double(count) / floor,
                    floorName: "one thread in C"
                )
            )
        }
    }

    private static func measureThreads(
        _ count: Int,
        _ bodies: [[UInt8]],
        _ store: Store
    ) throws -> Double {
        let failure = Mutex<(any Error)?>(nil)
        let seconds = Stopwatch.best(of: 1) {
            // Separate threads: a dispatch queue starts only as many as there are processors.
            let group = DispatchGroup()
            for thread in 0..<threads {
                group.enter()
                Thread {
                    do {
                        for index in stride(from: thread, to: count, by: threads) {
                            try save(index, "thread-\(thread)", bodies, store)
                        }
                    } catch {
                        failure.withLock { $0 = error }
                    }
                    group.leave()
                }.start()
            }
            group.wait()
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return seconds
    }

    private static func save(
        _ index: Int,
        _ prefix: String,
        _ bodies: [[UInt8]],
        _ store: Store
    ) throws {
        let body = bodies[index % bodies.count]
        _ = try store.save(DocumentID(unchecked: "\(prefix)-\(index)"), in: .default, body: body)
    }

    /// Documents with objects, in transactions of the public API.
    private static func measurePublic(
        _ workplace: BenchContext,
        _ bodies: [[UInt8]],
        _ report: inout Report
    ) throws {
        let documents = workplace.documents
        let rounds = publicCount / bodies.count
        let count = rounds * bodies.count
        let texts = bodies.map { String(decoding: $0, as: UTF8.self) }
        var configuration = DatabaseConfiguration()
        configuration.directory = workplace.directory
        var (floor, seconds) = (Double.infinity, Double.infinity)
        for turn in 0..<3 {
            let file = "\(workplace.directory)/public-\(turn).sqlite"
            let raw = documents.withFloor { floor_sqlite_insert(file, $0, rounds, batch) }
            guard raw > 0 else { throw BenchFailure("the SQLite floor failed") }
            floor = min(floor, raw)
            let fresh = try (0..<count).map { index in
                try MutableDocument(
                    id: "\(documents.ids[index % bodies.count])-\(index / bodies.count)",
                    json: texts[index % bodies.count]
                )
            }
            let database = try Database(name: "public-\(turn)", config: configuration)
            seconds = min(seconds, try Stopwatch.best(of: 1) { try save(fresh, in: database) })
            try database.close()
        }
        report.add(
            Figure(
                name: "document save, public, 1,000 in inBatch",
                unit: "docs/s",
                ours: Double(count) / seconds,
                floor: Double(count) / floor,
                floorName: "raw SQLite, prepared, same columns"
            )
        )
    }

    static func save(_ documents: [MutableDocument], in database: Database) throws {
        let collection = try database.defaultCollection()
        for start in stride(from: 0, to: documents.count, by: batch) {
            try database.inBatch {
                for document in documents[start..<min(start + batch, documents.count)] {
                    try collection.save(document: document)
                }
            }
        }
    }
}
