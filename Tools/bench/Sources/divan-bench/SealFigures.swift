import CDivanFloors
@_spi(Stores) import Divan
import DivanRevisions
import DivanStore
import Foundation

/// A sealed database beside a plain one: the two take turns, and the plain one is the floor.
enum SealFigures {
    private static let documentCount = 50_000
    private static let readCount = 50_000
    private static let turns = 5

    /// What one database took, in seconds, and its size in bytes.
    private struct Times {
        var insert = Double.infinity
        var read = Double.infinity
        var scan = Double.infinity
        var open = Double.infinity
        var pull = Double.infinity
        var byteCount = 0.0
    }

    static func measure(_ workplace: Workplace, into report: inout Report) throws {
        let bodies = workplace.documents.bodies.map { Array($0) }
        let key = EncryptionKey.key(Data((0..<32).map { UInt8($0) }))
        var (plain, sealed) = (Times(), Times())
        var blobs = SealedBlobFigures(workplace.directory)
        for turn in 0..<turns {
            let place = "\(workplace.directory)/seal-\(turn)"
            try measure("\(place)-plain.cblite2", nil, bodies, &plain)
            try measure("\(place)-sealed.cblite2", try key.sealing(), bodies, &sealed)
            try blobs.measure(turn: turn, try key.sealing())
        }
        try measurePull(workplace, bodies, key, &plain, &sealed)
        addRates(sealed, beside: plain, to: &report)
        blobs.add(to: &report)
        addCosts(sealed, beside: plain, to: &report)
    }

    private static func addRates(_ sealed: Times, beside plain: Times, to report: inout Report) {
        let (count, reads) = (Double(documentCount), Double(readCount))
        for (name, unit, ours, floor) in [
            (
                "insert, 1,000 a transaction", "docs/s", count / sealed.insert,
                count / plain.insert
            ),
            ("read by ID, warm", "docs/s", reads / sealed.read, reads / plain.read),
            ("all documents, cold cache", "docs/s", count / sealed.scan, count / plain.scan),
            ("pull in one process", "docs/s", count / sealed.pull, count / plain.pull),
        ] {
            report.add(
                Figure(
                    name: "sealed: \(name)",
                    unit: unit,
                    ours: ours,
                    floor: floor,
                    floorName: "the same, not sealed"
                )
            )
        }
    }

    private static func addCosts(_ sealed: Times, beside plain: Times, to report: inout Report) {
        report.add(
            Figure(
                name: "sealed: open, longer by",
                unit: "ms",
                ours: (sealed.open - plain.open) * 1_000,
                floorName: "raw key"
            )
        )
        report.add(
            Figure(
                name: "sealed: size of the file",
                unit: "bytes",
                ours: sealed.byteCount,
                floor: plain.byteCount,
                floorName: "the same, not sealed"
            )
        )
    }

    private static func measure(
        _ path: String,
        _ sealing: (any StoreSealing)?,
        _ bodies: [[UInt8]],
        _ times: inout Times
    ) throws {
        let options = StoreOptions(sealing: sealing)
        let store = try Store.open(directory: path, options: options)
        let insert = try Stopwatch.best(of: 1) { try fill(store, bodies) }
        times.insert = min(times.insert, insert)
        try read(store)
        times.read = min(times.read, try Stopwatch.best(of: 1) { try read(store) })
        try store.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/db.sqlite3")
        times.byteCount = (attributes[.size] as? NSNumber)?.doubleValue ?? 0
        let open = try Stopwatch.best(of: 5) {
            let store = try Store.open(directory: path, options: options)
            _ = try store.read { try $0.document("d-0", in: .default) }
            try store.close()
        }
        times.open = min(times.open, open)
        let again = try Store.open(directory: path, options: options)
        times.scan = min(times.scan, try Stopwatch.best(of: 1) { try scan(again) })
        try again.close()
    }

    /// Pulls from a plain database into empty ones.
    private static func measurePull(
        _ workplace: Workplace,
        _ bodies: [[UInt8]],
        _ key: EncryptionKey,
        _ plain: inout Times,
        _ sealed: inout Times
    ) throws {
        var config = DatabaseConfiguration()
        config.directory = try workplace.newDirectory()
        let store = try Store.open(directory: config.directory + "/source.cblite2")
        defer { try? store.close() }
        try fill(store, bodies)
        let source = try Database(name: "source", config: config)
        defer { try? source.close() }
        for turn in 0..<turns {
            for key in [nil, key] {
                config.encryptionKey = key
                let name = "target-\(turn)-\(key == nil ? "plain" : "sealed")"
                let target = try Database(name: name, config: config)
                let seconds = try SyncOnce.pullSeconds(from: source, into: target)
                if key == nil {
                    plain.pull = min(plain.pull, seconds)
                } else {
                    sealed.pull = min(sealed.pull, seconds)
                }
            }
        }
    }

    private static func fill(_ store: Store, _ bodies: [[UInt8]]) throws {
        for start in stride(from: 0, to: documentCount, by: 1_000) {
            try store.write { writer in
                for number in start..<start + 1_000 {
                    _ = try writer.save(
                        DocumentID(unchecked: "d-\(number)"),
                        in: .default,
                        body: bodies[number % bodies.count]
                    )
                }
            }
        }
    }

    private static func read(_ store: Store) throws {
        var generator = Xorshift()
        try store.read { reader in
            for _ in 0..<readCount {
                // Two thousand of them: what a cache holds.
                let number = Int(generator.next() % 2_000)
                let id = DocumentID(unchecked: "d-\(number)")
                guard try reader.document(id, in: .default) != nil else {
                    throw BenchFailure("document \(id) is gone")
                }
            }
        }
    }

    private static func scan(_ store: Store) throws {
        var (count, last) = (0, UInt64(0))
        try store.read { reader in
            while case let page = try reader.documents(in: .default, after: last, limit: 500),
                let final = page.last
            {
                count += page.count
                last = final.sequence
            }
        }
        guard count == documentCount else { throw BenchFailure("documents are gone") }
    }
}
