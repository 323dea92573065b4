import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// The public API as a current application uses it: that this compiles without a warning, in Swift 6 mode and on the
/// main actor by default, is half of each test.
@Suite(.timeLimit(.minutes(5))) struct ApplicationTests {
    private let directory: TemporaryDirectory
    private let here: Database
    private let there: Database

    init() throws {
        directory = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = directory.path
        here = try Database(name: "here", config: config)
        there = try Database(name: "there", config: config)
    }

    @Test func `listeners on the main actor run there and miss no changes`() async throws {
        let collection = try here.defaultCollection()
        try there.defaultCollection().save(document: MutableDocument(id: "pulled"))
        let target = DatabaseEndpoint(database: there)
        let replicator = Replicator(
            config: ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: collection)],
                target: target
            )
        )
        let screen = Screen()
        screen.show(collection, replicator)
        for number in 0..<100 {
            try collection.save(document: MutableDocument(id: "d\(number)"))
        }
        try collection.save(document: MutableDocument(id: "title"))
        try await replicator.run()
        await screen.settle()
        screen.leave()
        #expect(screen.changedIDs.count == 102)
        #expect(screen.titleChangeCount == 1)
        #expect(Set(screen.transferredIDs).count == 102)
        #expect(screen.activities.last == .stopped)
    }

    @Test func `filters, resolvers, authenticators and log sinks run off the main actor`()
        async throws
    {
        let (mine, theirs) = (try here.defaultCollection(), try there.defaultCollection())
        try mine.save(document: MutableDocument(id: "both", data: ["n": 2]))
        try theirs.save(document: MutableDocument(id: "both", data: ["n": 1]))
        let (asked, logins, lines) = (Tally(), Tally(), LineCounter())
        LogSinks.custom = CustomLogSink(level: .info, logSink: lines)
        defer { LogSinks.custom = nil }
        var shared = URLEndpointListenerConfiguration(collections: [theirs])
        shared.disableTLS = true
        shared.networkInterface = "127.0.0.1"
        shared.authenticator = ListenerPasswordAuthenticator { _, password in
            logins.add()
            return password == "right"
        }
        let listener = URLEndpointListener(config: shared)
        try listener.start()
        defer { listener.stop() }
        var entry = CollectionConfiguration(collection: mine)
        entry.pushFilter = { document, _ in
            asked.add()
            return document.revisionID != nil
        }
        entry.pullFilter = { _, flags in
            asked.add()
            return !flags.contains(.deleted)
        }
        entry.conflictResolver = GreaterWins()
        var config = ReplicatorConfiguration(
            collections: [entry],
            target: URLEndpoint(url: try #require(listener.urls?.first))
        )
        config.authenticator = BasicAuthenticator(username: "ada", password: "right")
        try await Replicator(config: config).run()
        #expect(try theirs.document(id: "both")?.int(forKey: "n") == 2)
        #expect(asked.total >= 2 && logins.total == 1 && lines.total > 0)
    }

    @Test func `documents, blobs, endpoints and configurations can be sent between actors`()
        async throws
    {
        let collection = try here.defaultCollection()
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        try collection.save(document: MutableDocument(id: "a", data: ["list": [1], "blob": blob]))
        let document = try #require(try collection.document(id: "a"))
        let entry = CollectionConfiguration(collection: collection)
        let config = ReplicatorConfiguration(
            collections: [entry],
            target: DatabaseEndpoint(database: there)
        )
        let shared = URLEndpointListenerConfiguration(collections: [collection])
        let count = await Task.detached {
            (document.array(forKey: "list")?.count ?? 0) + (blob.content?.count ?? 0)
                + config.collections.count + shared.collections.count
                + (entry.collection == nil ? 0 : 1)
        }.value
        #expect(count == 9)
        #expect(document.dictionary(forKey: "blob") == nil && document.blob(forKey: "blob") == blob)
    }

    @Test func `reading and saving do not block the main actor`() async throws {
        let collection = try here.defaultCollection().background
        let document = MutableDocument(id: "a", data: ["n": 1])
        try await collection.save(document)
        let read = try #require(try await collection.document(id: "a"))
        #expect(read.int(forKey: "n") == 1 && read.revisionID == document.revisionID)
        let old = read.toMutable()
        try await collection.update(id: "a") { $0.setInt($0.int(forKey: "n") + 1, forKey: "n") }
        #expect(try await collection.save(old, concurrencyControl: .failOnConflict) == false)
        await #expect(throws: CancellationError.self) {
            try await collection.update(id: "a") { document in
                document.setInt(9, forKey: "n")
                throw CancellationError()
            }
        }
        let current = try #require(try await collection.document(id: "a"))
        #expect(current.int(forKey: "n") == 2)
        try await collection.delete(current)
        #expect(try await collection.document(id: "a") == nil)
        try await collection.purge(id: "a")
        await #expect(throws: (any Error).self) { try await collection.purge(id: "a") }
        let database = here
        let isMain = try await database.inBackground { Thread.isMainThread }
        #expect(!isMain)
    }

    @Test func `a struct can be edited on one actor and saved on another`() async throws {
        let collection = try here.defaultCollection()
        var seat = TypedDocument(id: "seat", Seat(row: 1))
        try collection.save(&seat)
        let moved = try await Task.detached { [seat] in
            var seat = seat
            seat.content.row = 2
            try collection.save(&seat)
            return seat
        }.value
        #expect(moved.content == Seat(row: 2))
        #expect(seat.content == Seat(row: 1))
        #expect(try !collection.save(&seat, concurrencyControl: .failOnConflict))
    }
}

/// An application's data; usable on every actor.
nonisolated private struct Seat: Codable, Equatable, Sendable { var row: Int }
