@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanJSON
import DivanPlatform
import DivanRevisions
import Foundation

/// One kind of work, alone and many times over, to be profiled (`make profile`).
///
/// What it needs is prepared before; `--control FIFO` tells `perf` when the work itself begins and ends.
enum Work: String, CaseIterable {
    /// Public saves of new documents, in batches of 1,000.
    case save
    /// Saves below the public API, each in its own transaction.
    case single
    /// Public reads by ID, one property of each document.
    case field
    /// Public reads by ID, the whole as a dictionary.
    case dictionary
    /// A blob of 64 MiB, read; the count is blobs.
    case blob
    /// The same in an encrypted database.
    case sealedBlob = "sealed-blob"
    /// A pull of documents of 1.2 KB by one process from another.
    case pull
    /// The same between databases of version vectors.
    case pullVectors = "pull-vectors"
    /// The same with documents of 199 bytes.
    case pullSmall = "pull-small"
    /// The push in the other direction.
    case push
    /// A pull of blobs; the count is megabytes.
    case pullBlob = "pull-blob"
    /// Pushes of one document each, from start to stopped.
    case pushOne = "push-one"
    /// A pull of documents of 1.2 KB from a database of this process.
    case pullLocal = "pull-local"
    /// The same into a database with four value indexes.
    case pullIndexed = "pull-indexed"
    /// Saves that update a live query with an index, each after a pause.
    case live
    /// Vector searches among 100,000 vectors of 384 dimensions.
    case nearest
    /// The same among a tenth of the documents.
    case nearestFiltered = "nearest-filtered"
    /// Saves of documents with such vectors, in batches of 1,000, with a search after each.
    case saveNearest = "save-nearest"

    /// Does the work, and prints the cost of one item.
    func run(count: Int, control: String?) throws {
        let workplace = try BenchContext()
        defer { workplace.remove() }
        let work = try prepared(count, workplace)
        let gate = control.flatMap { try? FileDescriptor.open($0, .writeOnly) }
        Self.tell(gate, "enable\n")
        let before = PeerUsage.now().processorSeconds
        let start = Stopwatch.seconds()
        try work()
        let wall = Stopwatch.seconds() - start
        let processor = PeerUsage.now().processorSeconds - before
        Self.tell(gate, "disable\n")
        let (each, own) = (wall / Double(count) * 1e6, processor / Double(count) * 1e6)
        say(String(format: "%@: %.2f µs each, %.2f µs of this process", rawValue, each, own))
    }

    private static func tell(_ gate: FileDescriptor?, _ word: String) {
        guard let gate else { return }
        try? gate.writeAll(Array(word.utf8))
        CurrentThread.sleep(milliseconds: 100)  // the profiler reads its pipe a few times a second
    }

    private func prepared(_ count: Int, _ place: BenchContext) throws -> () throws -> Void {
        switch self {
        case .save: try Self.saves(count, place)
        case .single: try Self.singles(count, place)
        case .field: try Self.reads(count, place) { $0.string(forKey: "airline") != nil }
        case .dictionary: try Self.reads(count, place) { !$0.toDictionary().isEmpty }
        case .blob: try Self.blobs(count, place, key: nil)
        case .sealedBlob:
            try Self.blobs(count, place, key: .key(Data((0..<32).map { UInt8($0) })))
        case .pull: try Self.sync(count, place, .routes, isPush: false)
        case .pullVectors:
            try Self.sync(count, place, .routes, isPush: false, scheme: .vectors)
        case .pullSmall: try Self.sync(count, place, .airlines, isPush: false)
        case .push: try Self.sync(count, place, .routes, isPush: true)
        case .pullBlob: try Self.pullBlob(count, place)
        case .pushOne: try Self.pushes(count, place)
        case .pullLocal: try Self.pullLocal(count, place, indexes: [])
        case .live: try Self.live(count, place)
        case .nearest: try VectorSearchFigures.searches(count, place)
        case .nearestFiltered:
            try VectorSearchFigures.searches(count, place, where: "WHERE g < 100")
        case .saveNearest: try VectorSearchFigures.saves(count, place)
        case .pullIndexed: try Self.pullLocal(count, place, indexes: IndexedPullFigures.indexed)
        }
    }

    // MARK: One process

    private static func open(_ place: BenchContext, _ name: String) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.directory = place.directory
        return try Database(name: name, config: configuration)
    }

    private static func saves(_ count: Int, _ place: BenchContext) throws -> () throws -> Void {
        let bodies = try place.documents.bodies.map {
            String(decoding: try JSON(parsing: $0.span).canonicalBytes(), as: UTF8.self)
        }
        let documents = try (0..<count).map { index in
            try MutableDocument(
                id: "\(place.documents.ids[index % bodies.count])-\(index / bodies.count)",
                json: bodies[index % bodies.count]
            )
        }
        let database = try open(place, "saving")
        return { try SavingFigures.save(documents, in: database) }
    }

    private static func singles(_ count: Int, _ place: BenchContext) throws -> () throws -> Void {
        let bodies = try DocumentShape.words.bodies()
        let store = try Store.open(directory: "\(place.directory)/single.cblite2")
        return {
            for index in 0..<count {
                _ = try store.save(
                    DivanRevisions.DocumentID(unchecked: DocumentShape.documentID(index)),
                    in: .default,
                    body: bodies[index % bodies.count]
                )
            }
        }
    }

    private static func reads(
        _ count: Int,
        _ place: BenchContext,
        _ isRight: @escaping (Document) -> Bool
    ) throws -> () throws -> Void {
        let bodies = try place.documents.bodies.map { try JSON(parsing: $0.span).canonicalBytes() }
        let rounds = 100_000 / bodies.count
        let directory = "\(place.directory)/reading.cblite2"
        try ReadingFigures.fill(directory, rounds, place.documents.ids, bodies)
        let collection = try open(place, "reading").defaultCollection()
        let ids = place.documents.ids
        return { try ReadingFigures.read(collection, ids, rounds, count: count, isRight) }
    }

    private static func blobs(
        _ count: Int,
        _ place: BenchContext,
        key: EncryptionKey?
    ) throws -> () throws -> Void {
        let store = try Store.open(
            directory: "\(place.directory)/blob.cblite2",
            options: StoreOptions(sealing: try key?.sealing())
        )
        let digest = try SealedBlobFigures.write(store)
        return { for _ in 0..<count { try SealedBlobFigures.read(digest, store) } }
    }

    /// Documents of `QueryDocuments`; the count is rounded up to a thousand.
    private static func pullLocal(
        _ count: Int,
        _ place: BenchContext,
        indexes: [String]
    ) throws -> () throws -> Void {
        let store = try Store.open(directory: "\(place.directory)/full.cblite2")
        try QueryDocuments.fill(store, count: count)
        try store.close()
        let (source, target) = (try open(place, "full"), try open(place, "empty"))
        try IndexedPullFigures.make(indexes, in: target)
        return { _ = try SyncOnce.pullSeconds(from: source, into: target) }
    }

    private static func live(_ count: Int, _ place: BenchContext) throws -> () throws -> Void {
        let database = try QueryLiveFigures.prepare(in: place.directory)
        return {
            let times = try QueryLiveFigures.measure(.index, in: database, rounds: count)
            let saved = times.map(\.saved).sorted()[count / 2]
            let told = times.map(\.told).sorted()[count / 2]
            say(String(format: "until saved, p50: %.3f ms, until told: %.3f ms", saved, told))
        }
    }

    // MARK: Two processes

    private static func sync(
        _ count: Int,
        _ place: BenchContext,
        _ shape: DocumentShape,
        isPush: Bool,
        scheme: PeerCommand.Scheme = .trees
    ) throws -> () throws -> Void {
        let pair = try PeerPair(in: place.newDirectory())
        let (full, empty) = isPush ? (pair.active, pair.passive) : (pair.passive, pair.active)
        try empty.ask(.fill(database: "empty", shape: shape, count: 0, scheme: scheme))
        try full.ask(.fill(database: "full", shape: shape, count: count, scheme: scheme))
        let url = try pair.passive.listen(isPush ? "empty" : "full")
        let order = PeerCommand.Order(
            database: isPush ? "full" : "empty",
            url: url,
            isPush: isPush
        )
        let before = try usage(pair)
        return {
            let outcome = try pair.active.sync(order)
            try printUsage(pair, count, since: before)
            guard outcome.documentCount == count else { throw BenchFailure("documents are gone") }
        }
    }

    private static func pullBlob(_ count: Int, _ place: BenchContext) throws -> () throws -> Void {
        let pair = try PeerPair(in: place.newDirectory())
        try pair.passive.ask(.attach(database: "full", byteCount: count * 1_000_000))
        let url = try pair.passive.listen("full")
        let order = PeerCommand.Order(database: "empty", url: url)
        let before = try usage(pair)
        return {
            _ = try pair.active.sync(order)
            try printUsage(pair, count, since: before)
        }
    }

    private static func pushes(_ count: Int, _ place: BenchContext) throws -> () throws -> Void {
        let pair = try PeerPair(in: place.newDirectory())
        for run in 0..<count {
            try pair.active.ask(.fill(database: "one-\(run)", shape: .airlines, count: 1))
        }
        let orders = try (0..<count).map { run in
            let url = try pair.passive.listen("none-\(run)")
            return PeerCommand.Order(database: "one-\(run)", url: url, isPush: true)
        }
        return {
            let times = try orders.map { try pair.active.sync($0).seconds }.sorted()
            say(String(format: "start to stopped, p50: %.2f ms", times[count / 2] * 1e3))
        }
    }

    /// Seconds of processor time that both have used so far.
    private static func usage(_ pair: PeerPair) throws -> [Double] {
        try [pair.active, pair.passive].map { try $0.usage().processorSeconds }
    }

    private static func printUsage(
        _ pair: PeerPair,
        _ count: Int,
        since before: [Double]
    ) throws {
        for (name, seconds) in zip(["active", "passive"], zip(try usage(pair), before)) {
            let each = (seconds.0 - seconds.1) / Double(count) * 1e6
            say(String(format: "%@: %.2f µs each", name, each))
        }
    }
}
