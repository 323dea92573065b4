import CDivanFloors
import CouchbaseLiteSwift
import DivanDatabase
import DivanJSON
import DivanRevisions
import Foundation

/// A database of 100,000 documents: its size, opening it, and reading from it.
enum ReadingFigures {
    static let reads = 20_000
    private static let count = 100_000

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let documents = workplace.documents
        let bodies = try documents.bodies.map { try JSON(parsing: $0.span).canonicalBytes() }
        let rounds = count / bodies.count
        let file = "\(workplace.directory)/reading.sqlite"
        let directory = "\(workplace.directory)/reading.cblite2"
        guard documents.withFloor({ floor_sqlite_insert(file, $0, rounds, 1_000) }) > 0 else {
            throw BenchFailure("the SQLite floor failed")
        }
        try fill(directory, rounds, documents.ids, bodies)
        measureSize(directory, rounds, bodies, &report)
        try measureOpening(workplace, &report)
        try measureDocuments(workplace, rounds, file, &report)
        try measureFeed(directory, rounds * bodies.count, file, &report)
    }

    static func fill(
        _ directory: String,
        _ rounds: Int,
        _ ids: [String],
        _ bodies: [[UInt8]]
    ) throws {
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        for round in 0..<rounds {
            try store.write { writer in
                for (id, body) in zip(ids, bodies) {
                    _ = try writer.save(
                        DocumentID(unchecked: "\(id)-\(round)"),
                        in: .default,
                        body: body
                    )
                }
            }
        }
    }

    private static func measureSize(
        _ directory: String,
        _ rounds: Int,
        _ bodies: [[UInt8]],
        _ report: inout Report
    ) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let byteCount = names.reduce(0) { sum, name in
            let path = directory + "/" + name
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
        let text = rounds * bodies.reduce(0) { $0 + $1.count }
        report.add(
            Figure(
                name: "size on disk, 100,000 documents",
                unit: "MB",
                ours: Double(byteCount) / 1e6,
                floor: Double(text) / 1e6,
                floorName: "their JSON text"
            )
        )
    }

    private static func measureOpening(_ workplace: BenchContext, _ report: inout Report) throws {
        var configuration = DatabaseConfiguration()
        configuration.directory = workplace.directory
        let seconds = try Stopwatch.best(of: 5) {
            let database = try Database(name: "reading", config: configuration)
            guard try database.defaultCollection().count > 0 else {
                throw BenchFailure("the documents are missing")
            }
            try database.close()
        }
        report.add(
            Figure(
                name: "open, count and close, 100,000 documents",
                unit: "ms",
                ours: seconds * 1e3,
                floor: nil,
                floorName: "raw SQLite opens in about 0.4 ms"
            )
        )
    }

    /// Random documents by ID: one field, and the whole as a dictionary.
    private static func measureDocuments(
        _ workplace: BenchContext,
        _ rounds: Int,
        _ file: String,
        _ report: inout Report
    ) throws {
        let documents = workplace.documents
        let scan = documents.withFloor { floor in Stopwatch.bestWork { _ = floor_json_tape(floor) }
        }
        let scans = scan * Double(reads) / Double(documents.bodies.count)
        var configuration = DatabaseConfiguration()
        configuration.directory = workplace.directory
        let database = try Database(name: "reading", config: configuration)
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        var (floor, field, whole) = (Double.infinity, Double.infinity, Double.infinity)
        for _ in 0..<5 {
            let raw = documents.withFloor { floor_sqlite_read(file, $0, rounds, reads, 0) }
            guard raw > 0 else { throw BenchFailure("the SQLite floor failed") }
            floor = min(floor, raw)
            let one = try Stopwatch.bestWork(of: 1) {
                try read(collection, documents.ids, rounds) { $0.string(forKey: "airline") != nil }
            }
            field = min(field, one)
            let all = try Stopwatch.bestWork(of: 1) {
                try read(collection, documents.ids, rounds) { !$0.toDictionary().isEmpty }
            }
            whole = min(whole, all)
        }
        report.add(
            figure("document read by ID, public, one field", field, floor, "raw SQLite read")
        )
        report.add(
            figure(
                "document read by ID, public, as dictionary",
                whole,
                floor + scans,
                "raw SQLite read and a tape in C"
            )
        )
    }

    private static func figure(
        _ name: String,
        _ seconds: Double,
        _ floor: Double,
        _ floorName: String
    ) -> Figure {
        Figure(
            name: name,
            unit: "docs/s",
            ours: Double(reads) / seconds,
            floor: Double(reads) / floor,
            floorName: floorName
        )
    }

    static func read(
        _ collection: CouchbaseLiteSwift.Collection,
        _ ids: [String],
        _ rounds: Int,
        count: Int = reads,
        _ isRight: (Document) -> Bool
    ) throws {
        var generator = Xorshift()
        for _ in 0..<count {
            let random = generator.next()
            let which = Int(random % UInt64(ids.count))
            let id = "\(ids[which])-\(Int(random >> 32) % rounds)"
            guard let document = try collection.document(id: id), isRight(document) else {
                throw BenchFailure("document \(id) is missing")
            }
        }
    }

    private static func measureFeed(
        _ directory: String,
        _ count: Int,
        _ file: String,
        _ report: inout Report
    ) throws {
        let store = try Store.open(directory: directory)
        defer { try? store.close() }
        let summaries = try Stopwatch.best {
            try scan(store) { reader, last in
                try reader.changes(in: .default, after: last, limit: 200).map(\.sequence)
            }
        }
        let bodies = try Stopwatch.best {
            try scan(store) { reader, last in
                try reader.documents(in: .default, after: last, limit: 200).map(\.sequence)
            }
        }
        for (name, seconds, withBodies) in [
            ("metadata", summaries, Int32(0)), ("with bodies", bodies, Int32(1)),
        ] {
            let floor = (0..<3).map { _ in floor_sqlite_scan(file, withBodies) }.min() ?? -1
            guard floor > 0 else { throw BenchFailure("the floor of scans failed") }
            report.add(
                Figure(
                    name: "changes feed scan, \(name)",
                    unit: "docs/s",
                    ours: Double(count) / seconds,
                    floor: Double(count) / floor,
                    floorName: "raw SQLite scan"
                )
            )
        }
    }

    private static func scan(
        _ store: Store,
        _ page: (StoreReader, UInt64) throws -> [UInt64]
    ) throws {
        try store.read { reader in
            var last: UInt64 = 0
            while let end = try page(reader, last).last { last = end }
        }
    }
}
