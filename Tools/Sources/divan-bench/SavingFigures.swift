import CDivanFloors
import Divan
import DivanJSON
import DivanStore
import Foundation

/// Saving one document at a time, from several threads, and through the public API.
enum SavingFigures {
    private static let batch = 1_000
    private static let publicCount = 20_000

    static func measure(_ workplace: Workplace, into report: inout Report) throws {
        let documents = workplace.documents
        let bodies = try documents.bodies.map { try JSON(parsing: $0.span).canonicalBytes() }
        for (isFull, count) in [(false, 10_000), (true, 1_000)] {
            let file = "\(workplace.directory)/single-\(isFull).sqlite"
            let floor = documents.withFloor { floor_sqlite_single(file, $0, count, isFull ? 1 : 0) }
            guard floor > 0 else { throw BenchFailure("the floor of single commits failed") }
            let rate = Double(count) / floor
            let name = isFull ? "FULL" : "NORMAL"
            try measureSingle(name, isFull, count, bodies, workplace, rate, &report)
        }
        try measurePublic(workplace, bodies, &report)
    }

    private static func measureSingle(
        _ name: String,
        _ isFull: Bool,
        _ count: Int,
        _ bodies: [[UInt8]],
        _ workplace: Workplace,
        _ floor: Double,
        _ report: inout Report
    ) throws {
        let store = try Store.open(
            directory: "\(workplace.directory)/single-\(isFull).cblite2",
            options: StoreOptions(fullSync: isFull)
        )
        defer { try? store.close() }
        let alone = try Stopwatch.best(of: 1) {
            for index in 0..<count { try save(index, "alone", bodies, store) }
        }
        report.add(
            Figure(
                name: "document save, one a transaction, \(name)",
                unit: "docs/s",
                ours: Double(count) / alone,
                floor: floor,
                floorName: "the same in C",
                must: .share(isFull ? 1 / 1.4 : 1 / 3.0)
            )
        )
        measureThreads(name, count, bodies, store, floor, &report)
    }

    private static func measureThreads(
        _ name: String,
        _ count: Int,
        _ bodies: [[UInt8]],
        _ store: Store,
        _ floor: Double,
        _ report: inout Report
    ) {
        let threads = 8
        let together = Stopwatch.best(of: 1) {
            // Threads of their own: a dispatch queue starts only as many as there are processors.
            let group = DispatchGroup()
            for thread in 0..<threads {
                group.enter()
                Thread {
                    for index in 0..<(count / threads) {
                        try? save(index, "thread-\(thread)", bodies, store)
                    }
                    group.leave()
                }.start()
            }
            group.wait()
        }
        report.add(
            Figure(
                name: "document save, \(threads) threads, \(name)",
                unit: "docs/s",
                ours: Double(count) / together,
                floor: floor,
                floorName: "one thread in C"
            )
        )
    }

    private static func save(
        _ index: Int,
        _ prefix: String,
        _ bodies: [[UInt8]],
        _ store: Store
    ) throws {
        let body = bodies[index % bodies.count]
        _ = try store.save("\(prefix)-\(index)", in: .default, body: body)
    }

    /// Documents with objects, in transactions of the public API.
    private static func measurePublic(
        _ workplace: Workplace,
        _ bodies: [[UInt8]],
        _ report: inout Report
    ) throws {
        let documents = workplace.documents
        let rounds = publicCount / bodies.count
        let count = rounds * bodies.count
        let file = "\(workplace.directory)/public.sqlite"
        let floor = documents.withFloor { floor_sqlite_insert(file, $0, rounds, batch) }
        guard floor > 0 else { throw BenchFailure("the SQLite floor failed") }
        var configuration = DatabaseConfiguration()
        configuration.directory = workplace.directory
        let database = try Database(name: "public", config: configuration)
        let collection = try database.defaultCollection()
        let texts = bodies.map { String(decoding: $0, as: UTF8.self) }
        let fresh = try (0..<count).map { index in
            try MutableDocument(
                id: "\(documents.ids[index % bodies.count])-\(index / bodies.count)",
                json: texts[index % bodies.count]
            )
        }
        let seconds = try Stopwatch.best(of: 1) {
            for start in stride(from: 0, to: count, by: batch) {
                try database.inBatch {
                    for document in fresh[start..<min(start + batch, count)] {
                        try collection.save(document: document)
                    }
                }
            }
        }
        try database.close()
        report.add(
            Figure(
                name: "document save, public, 1,000 in inBatch",
                unit: "docs/s",
                ours: Double(count) / seconds,
                floor: Double(count) / floor,
                floorName: "raw SQLite, prepared, same columns",
                must: .share(0.25)
            )
        )
    }
}
