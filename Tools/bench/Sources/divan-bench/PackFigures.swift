@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanJSON
import DivanQuery

/// A collection with packed bodies, compared with a plain one, which is the floor: the two take turns, and
/// alternate in going first.
struct PackFigures {
    private let compression: BodyCompression
    /// The prefix of each figure's name.
    private let title: String

    private init(_ compression: BodyCompression) {
        self.compression = compression
        title = compression == .lz4 ? "packed" : "packed by \(compression.rawValue)"
    }

    private static let documentCount = PairedStores.documentCount
    private static let turns = 5
    private static let question = "SELECT COUNT(*) AS n FROM _ WHERE distance > 5000"

    /// The times of one database, in seconds, and bytes of its file for each document.
    private struct Times {
        var insert = 0.0
        var read = 0.0
        var query = 0.0
        var byteCount = 0.0
    }

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let words = WordsDocument.bodies(count: documentCount)
        for compression in BodyCompression.allCases where compression != .none {
            guard compression.isAvailable else { continue }
            let figures = PackFigures(compression)
            try figures.measure(workplace, "1.2 KB", try routes(), turns: turns, into: &report)
            try figures.measure(workplace, "1 KB of random words", words, turns: 1, into: &report)
        }
    }

    /// The fixture's routes with different digits, so that no document is in the dictionary as a whole.
    private static func routes() throws -> [[UInt8]] {
        let bodies = try DocumentShape.routes.bodies()
        var generator = Xorshift()
        return (0..<documentCount).map { number in
            bodies[number % bodies.count].map { byte in
                guard (0x31...0x39).contains(byte) else { return byte }
                return 0x31 + UInt8(truncatingIfNeeded: generator.next() % 9)
            }
        }
    }

    private func measure(
        _ workplace: BenchContext,
        _ size: String,
        _ bodies: [[UInt8]],
        turns: Int,
        into report: inout Report
    ) throws {
        var (insert, read, query, room) = (Turns(), Turns(), Turns(), Turns())
        for turn in 0..<turns {
            let place = try workplace.newDirectory()
            var times: [Bool: Times] = [:]
            for isPacked in PairedStores.order(of: turn) {
                times[isPacked] = try self.times("\(place)/\(isPacked).cblite2", isPacked, bodies)
            }
            guard let packed = times[true], let plain = times[false] else { continue }
            insert.add(ours: packed.insert, floor: plain.insert)
            read.add(ours: packed.read, floor: plain.read)
            query.add(ours: packed.query, floor: plain.query)
            room.add(ours: packed.byteCount, floor: plain.byteCount)
        }
        report.add(
            Figure(
                name: "\(title): file, \(size)",
                unit: "bytes/doc",
                ours: room.middle.ours,
                floor: room.middle.floor,
                floorName: "the same, plain"
            )
        )
        guard turns > 1 else { return }
        let pull = try pull(workplace, bodies, turns: turns)
        for (name, count, turns) in [
            ("insert, 1,000 a transaction", Self.documentCount, insert),
            ("read by ID, warm", PairedStores.readCount, read),
            ("count with a condition", Self.documentCount, query),
            ("pull in one process", Self.documentCount, pull),
        ] {
            report.add(
                Figure(
                    name: "\(title): \(name)",
                    unit: "docs/s",
                    ours: Double(count) / turns.middle.ours,
                    floor: Double(count) / turns.middle.floor,
                    floorName: "the same, plain"
                )
            )
        }
    }

    private func pull(
        _ workplace: BenchContext,
        _ bodies: [[UInt8]],
        turns: Int
    ) throws -> Turns {
        try PairedStores.pull(workplace, bodies, turns: turns) {
            name,
            isPacked,
            config in
            let target = try Database(name: name, config: config)
            if isPacked { try target.defaultCollection().setBodyCompression(compression) }
            return target
        }
    }

    private func times(
        _ path: String,
        _ isPacked: Bool,
        _ bodies: [[UInt8]]
    ) throws -> Times {
        let store = try Store.open(directory: path, options: StoreOptions(packing: .bundled))
        var times = Times()
        if isPacked { try pack(store) }
        times.insert = try Stopwatch.best(of: 1) { try PairedStores.fill(store, bodies) }
        try PairedStores.read(store)
        times.read = try Stopwatch.best(of: 3) { try PairedStores.read(store) }
        _ = try Self.count(store)
        times.query = try Stopwatch.best(of: 3) { _ = try Self.count(store) }
        try store.close()
        times.byteCount = try PairedStores.byteCount(path) / Double(Self.documentCount)
        return times
    }

    private func pack(_ store: Store) throws {
        try store.write { try $0.packBodies(of: .default, with: compression.codec) }
    }

    private static func count(_ store: Store) throws -> Int {
        let statement = try QueryStatement(sql: question)
            .checked(against: StoreCatalogue(store, named: "db"), text: question)
        let rows = try store.rows(of: StorageQuery(statement))
        guard case .integer(let count)? = try rows.next()?.first else {
            throw BenchFailure("no row")
        }
        return Int(count)
    }
}
