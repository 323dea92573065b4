import CouchbaseLiteSwift
import DivanTestKit
import Foundation

struct PicturesFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Documents with one picture each, pulled with and without their pictures; then each picture is
/// fetched while connections are cut, and must arrive complete, without repeating what had arrived before.
struct PicturesTrial {
    private let documentCount: Int
    private let byteCount: Int
    private let cutCount: Int
    private let directory: TemporaryDirectory
    private let start = ContinuousClock.now

    /// Pictures that are fetched at a time.
    private static let width = 8
    /// How often a picture is requested again; each cut ends at most those in progress.
    private static let attemptLimit = 20

    init(documentCount: Int, byteCount: Int, cutCount: Int) throws {
        self.documentCount = documentCount
        self.byteCount = byteCount
        self.cutCount = cutCount
        directory = try TemporaryDirectory()
    }

    func run() async throws {
        let source = try database("source")
        try fill(source)
        say("\(documentCount) documents with a picture of \(byteCount) bytes each are written")
        let listener = try listen(to: source)
        defer { listener.stop() }

        let other = try database("eager")
        let eager = try await pull(.eager, into: other, from: listener).statistics.byteCount
        say("an eager pull moves \(eager) bytes")
        try other.delete()

        let here = try database("lazy")
        let replicator = try await pull(.lazy, into: here, from: listener)
        let lazy = replicator.statistics.byteCount
        let share = Double(lazy) / Double(eager) * 100
        say("a lazy pull moves \(lazy) bytes, \(String(format: "%.3f", share)) % of them")
        try require(share < 1, "a lazy pull has to move less than 1 %")
        try require(try here.defaultCollection().count == documentCount, "documents are missing")

        try await fetchAll(into: here, from: listener)
        try check(here)
        withExtendedLifetime(replicator) {}
    }

    private func database(_ name: String) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.directory = directory.path
        return try Database(name: name, config: configuration)
    }

    private func fill(_ database: Database) throws {
        let collection = try database.defaultCollection()
        for first in stride(from: 0, to: documentCount, by: 20) {
            try database.inBatch {
                for number in first..<min(first + 20, documentCount) {
                    let document = MutableDocument(id: "photo-\(number)")
                    let picture = Blob(contentType: "image/jpeg", data: content(number))
                    document.setBlob(picture, forKey: "picture")
                    try collection.save(document: document)
                }
            }
        }
    }

    /// Incompressible bytes, different for each number.
    private func content(_ number: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(number) &+ 1)
        let words = (0..<(byteCount + 7) / 8).map { _ in generator.next() }
        return words.withUnsafeBytes { Data($0.prefix(byteCount)) }
    }

    private func listen(to database: Database) throws -> URLEndpointListener {
        var configuration = URLEndpointListenerConfiguration(
            collections: [try database.defaultCollection()]
        )
        configuration.port = 0
        configuration.networkInterface = "127.0.0.1"
        configuration.disableTLS = true
        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        return listener
    }

    private func pull(
        _ blobs: BlobReplication,
        into database: Database,
        from listener: URLEndpointListener
    ) async throws -> Replicator {
        guard let url = listener.urls?.first else { throw PicturesFailure("listener has no URL") }
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try database.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        configuration.replicatorType = .pull
        configuration.blobs = blobs
        let replicator = Replicator(config: configuration)
        try await replicator.run()
        return replicator
    }

    private func picture(_ number: Int, in database: Database) throws -> Blob {
        let document = try database.defaultCollection().document(id: "photo-\(number)")
        guard let blob = document?.blob(forKey: "picture") else {
            throw PicturesFailure("photo-\(number) has no picture")
        }
        return blob
    }

    // MARK: Fetching

    private func fetchAll(into database: Database, from listener: URLEndpointListener) async throws
    {
        let before = listener.statistics.sentByteCount
        let distance = max(documentCount / (cutCount + 1), 1)
        var (resumedCount, resumedByteCount, next) = (0, UInt64(0), 0)
        try await withThrowingTaskGroup(of: [UInt64].self) { group in
            func begin() throws {
                let blob = try picture(next, in: database)
                let isCut = next % distance == distance - 1
                group.addTask { try await fetch(blob, cutting: isCut ? listener : nil) }
                next += 1
            }
            while next < min(Self.width, documentCount) { try begin() }
            while let resumed = try await group.next() {
                resumedCount += resumed.count
                resumedByteCount += resumed.reduce(0, +)
                if next < documentCount { try begin() }
            }
        }
        let sent = listener.statistics.sentByteCount - before
        let content = UInt64(documentCount) * UInt64(byteCount)
        say(
            """
            each picture is fetched with connections cut \(documentCount / distance) times: \
            \(resumedCount) resume after \(resumedByteCount) bytes, \(sent) bytes for \(content)
            """
        )
        try require(resumedCount > 0, "no fetch was resumed")
        try require(sent < content + content / 50, "more than 2 % were sent again")
    }

    /// Fetches a picture, even after cuts.
    ///
    /// - Parameters:
    ///   - blob: The picture.
    ///   - listener: Cuts all its connections once a piece of the picture has arrived.
    /// - Returns: The offset at which it resumed each time.
    /// - Throws: The error that ended it too often.
    private func fetch(
        _ blob: Blob,
        cutting listener: URLEndpointListener?
    ) async throws -> [UInt64] {
        let progress = Progress(cutting: listener)
        for attempt in 1... {
            do {
                try await blob.fetch { progress.hear($0) }
                return progress.resumed
            } catch {
                guard attempt < Self.attemptLimit else { throw error }
                progress.begin()
            }
        }
        return []
    }

    // MARK: Checking

    private func check(_ database: Database) throws {
        for number in 0..<documentCount {
            let picture = try picture(number, in: database)
            try require(picture.isHere, "picture \(number) did not come")
            try require(picture.content == content(number), "picture \(number) is another one")
        }
        try database.performMaintenance(type: .integrityCheck)
        say("every picture is what was written, and the database is intact")
    }

    private func require(_ condition: Bool, _ problem: String) throws {
        guard condition else { throw PicturesFailure(problem) }
    }

    private func say(_ line: String) {
        let seconds = (ContinuousClock.now - start).components.seconds
        print("\(seconds) s: \(line)")
    }
}
