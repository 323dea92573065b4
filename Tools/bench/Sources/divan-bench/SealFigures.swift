import CDivanFloors
@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import Foundation

/// An encrypted database and a plain one, which is the floor: the two take turns, and alternate in going first.
enum SealFigures {
    private static let documentCount = PairedStores.documentCount
    private static let turns = 7

    /// The times of one database, in seconds, and its size in bytes.
    private struct Times {
        var insert = 0.0
        var read = 0.0
        var scan = 0.0
        var open = 0.0
        var byteCount = 0.0
    }

    /// The turns of each figure.
    private struct AllTurns {
        var insert = Turns()
        var read = Turns()
        var scan = Turns()
        var open = Turns()
        var pull = Turns()
        var byteCount = Turns()

        mutating func add(_ sealed: Times, _ plain: Times) {
            insert.add(ours: sealed.insert, floor: plain.insert)
            read.add(ours: sealed.read, floor: plain.read)
            scan.add(ours: sealed.scan, floor: plain.scan)
            open.add(ours: sealed.open, floor: plain.open)
            byteCount.add(ours: sealed.byteCount, floor: plain.byteCount)
        }
    }

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let bodies = workplace.documents.bodies.map { Array($0) }
        let key = EncryptionKey.key(Data((0..<32).map { UInt8($0) }))
        var all = AllTurns()
        var blobs = SealedBlobFigures(workplace.directory)
        for turn in 0..<turns {
            let place = "\(workplace.directory)/seal-\(turn)"
            let sealing = try key.sealing()
            let plainIsFirst = turn.isMultiple(of: 2)
            let first = try times("\(place)-first.cblite2", plainIsFirst ? nil : sealing, bodies)
            let second = try times("\(place)-second.cblite2", plainIsFirst ? sealing : nil, bodies)
            if plainIsFirst { all.add(second, first) } else { all.add(first, second) }
            try blobs.measure(turn: turn, sealing)
        }
        all.pull = try PairedStores.pull(workplace, bodies, turns: turns) {
            name,
            isSealed,
            config in
            var config = config
            config.encryptionKey = isSealed ? key : nil
            return try Database(name: name, config: config)
        }
        addRates(all, to: &report)
        blobs.add(to: &report)
        addCosts(all, to: &report)
    }

    private static func addRates(_ all: AllTurns, to report: inout Report) {
        for (name, count, turns) in [
            ("insert, 1,000 a transaction", documentCount, all.insert),
            ("read by ID, warm", PairedStores.readCount, all.read),
            ("all documents, cold cache", documentCount, all.scan),
            ("pull in one process", documentCount, all.pull),
        ] {
            report.add(
                Figure(
                    name: "sealed: \(name)",
                    unit: "docs/s",
                    ours: Double(count) / turns.middle.ours,
                    floor: Double(count) / turns.middle.floor,
                    floorName: "the same, not sealed"
                )
            )
        }
    }

    private static func addCosts(_ all: AllTurns, to report: inout Report) {
        report.add(
            Figure(
                name: "sealed: open, longer by",
                unit: "ms",
                ours: (all.open.middle.ours - all.open.middle.floor) * 1_000,
                floorName: "raw key"
            )
        )
        report.add(
            Figure(
                name: "sealed: size of the file",
                unit: "bytes",
                ours: all.byteCount.middle.ours,
                floor: all.byteCount.middle.floor,
                floorName: "the same, not sealed"
            )
        )
    }

    private static func times(
        _ path: String,
        _ sealing: (any StoreSealing)?,
        _ bodies: [[UInt8]]
    ) throws -> Times {
        let options = StoreOptions(sealing: sealing)
        let store = try Store.open(directory: path, options: options)
        var times = Times()
        times.insert = try Stopwatch.best(of: 1) { try PairedStores.fill(store, bodies) }
        try PairedStores.read(store)
        times.read = try Stopwatch.best(of: 3) { try PairedStores.read(store) }
        try store.close()
        times.byteCount = try PairedStores.byteCount(path)
        times.open = try Stopwatch.best(of: 5) {
            let store = try Store.open(directory: path, options: options)
            _ = try store.read { try $0.document("d-0", in: .default) }
            try store.close()
        }
        let again = try Store.open(directory: path, options: options)
        times.scan = try Stopwatch.best(of: 1) { try scan(again) }
        try again.close()
        return times
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
