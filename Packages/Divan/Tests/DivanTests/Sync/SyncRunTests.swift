import Divan
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Running once and continuously, stopping, and errors.
@Suite(.timeLimit(.minutes(5))) struct SyncRunTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    @Test func `a blob that a pull did not download is fetched from the peer`() async throws {
        let photo = Data(repeating: 7, count: 200_000)
        try await peers.theirNotes.save(
            Document(id: "rome", ["photo": Blob(photo, type: "image/png").documentValue])
        )
        let listener = try await peers.listen()
        let sync = try peers.sync(listener) { $0.blobs = .none }
        try await sync.run()
        let found = try await peers.notes.get("rome")?.photo?.blob
        let blob = try #require(found)
        #expect(!blob.isHere)
        let error = await #expect(throws: DivanError.self) { try await blob.data() }
        #expect(error?.code == .notFound)
        #expect(error?.remedy?.contains("fetch(from:)") == true)
        let received = Mutex(0)
        try await blob.fetch(from: sync) { count in received.withLock { $0 = count } }
        #expect(blob.isHere)
        #expect(received.withLock { $0 } == photo.count)
        #expect(try await blob.data() == photo)
        try await blob.fetch(from: sync)
        let loose = try Document(json: #"{"a":{"@type":"blob","digest":"\#(blob.digest)"}}"#)
        let unknown = await #expect(throws: DivanError.self) {
            try await loose.a?.blob?.fetch(from: sync)
        }
        #expect(unknown?.code == .notFound)
        let gone = Blob(Data([1]), type: "image/png")
        #expect(gone.isHere)
        await listener.stop()
        try await peers.there.close()
    }

    @Test(arguments: ["album.jsonl", "album.sqlite"])
    func `an export leaves out the content of blobs that are only at the peer, and counts them`(
        _ name: String
    ) async throws {
        let folder = try TemporaryDirectory()
        let file = URL(filePath: folder.path).appending(path: name)
        try await peers.theirNotes.save(
            Document(id: "rome", ["photo": Blob(Data("arch".utf8)).documentValue])
        )
        let listener = try await peers.listen()
        let sync = try peers.sync(listener) { $0.blobs = .none }
        try await sync.run()
        try await peers.notes.save(
            Document(id: "pisa", ["photo": Blob(Data("tower".utf8)).documentValue])
        )
        let partly = try await peers.notes.export(to: file, includingBlobs: true)
        #expect((partly.documentCount, partly.missingBlobCount) == (2, 1))
        let digest = try #require(try await peers.notes.get("rome")?.photo?.blob?.digest)
        #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains(digest))
        try await peers.notes.get("rome")?.photo?.blob?.fetch(from: sync)
        let complete = try await peers.notes.export(to: file, includingBlobs: true)
        #expect(complete.missingBlobCount == 0)
        await listener.stop()
    }

    @Test func `a blob that the peer does not have is reported as missing`() async throws {
        try await peers.theirNotes.save(
            Document(id: "rome", ["photo": Blob(Data([1, 2, 3])).documentValue])
        )
        let listener = try await peers.listen()
        let sync = try peers.sync(listener) { $0.blobs = .none }
        try await sync.run()
        let found = try await peers.notes.get("rome")?.photo?.blob
        try await peers.theirNotes.purge("rome")
        try await peers.there.compact()
        let blob = try #require(found)
        let other = Sync(peers.there, with: peers.here)
        let foreign = await #expect(throws: DivanError.self) { try await blob.fetch(from: other) }
        #expect(foreign?.code == .invalidArgument)
        let error = await #expect(throws: DivanError.self) { try await blob.fetch(from: sync) }
        #expect(error?.code == .notFound)
        await listener.stop()
    }

    @Test func `one run transfers all documents in both directions`() async throws {
        for n in 0..<20 { try await peers.notes.save(Document(id: "mine-\(n)", ["n": 1])) }
        for n in 0..<10 { try await peers.theirNotes.save(Document(id: "yours-\(n)", ["n": 2])) }
        let listener = try await peers.listen()
        let sync = try peers.sync(listener)
        let summary = try await sync.run()
        #expect(summary.pushedCount == 20 && summary.pulledCount == 10)
        #expect(summary.sentByteCount > 0 && summary.receivedByteCount > 0)
        #expect(summary.failureCount == 0)
        #expect(try await peers.theirNotes.get("mine-7")?.n?.int == 1)
        #expect(try await peers.notes.get("yours-3")?.n?.int == 2)
        #expect(sync.status.activity == .stopped && sync.status.error == nil)

        let second = try await sync.run()
        #expect(second.pushedCount == 0 && second.pulledCount == 0)
        #expect(sync.statistics.pushedCount == 20)
        #expect(sync.connectionID != nil)
        await listener.stop()
    }

    @Test func `the plain form of run blocks until both sides are in sync`() throws {
        try peers.notes.save(Document(id: "a"))
        let summary = try Sync(peers.here, with: peers.there).run()
        #expect(summary.pushedCount == 1)
        #expect(try peers.theirNotes.get("a") != nil)
    }

    @Test(arguments: [Sync.Direction.push, .pull])
    func `a direction is respected`(_ direction: Sync.Direction) async throws {
        try await peers.notes.save(Document(id: "mine"))
        try await peers.theirNotes.save(Document(id: "yours"))
        try await Sync(peers.here, with: peers.there, direction: direction).run()
        #expect(try await (peers.theirNotes.get("mine") != nil) == (direction == .push))
        #expect(try await (peers.notes.get("yours") != nil) == (direction == .pull))
    }

    @Test func `a continuous sync becomes idle, transfers later changes, and is stopped`()
        async throws
    {
        let listener = try await peers.listen()
        let sync = try peers.sync(listener)
        var documents = sync.documents.makeAsyncIterator()
        for await status in sync.start() where status.isIdle { break }
        #expect(sync.status.isIdle)
        try await peers.theirNotes.save(Document(id: "later", ["n": 5]))
        let document = await documents.next()
        #expect(document?.id == "later" && document?.collection == "notes")
        #expect(document?.isPush == false && document?.error == nil)
        #expect(try await peers.notes.get("later")?.n?.int == 5)
        await sync.stop()
        #expect(sync.status.activity == .stopped)
        #expect(await documents.next() == nil)
        await listener.stop()
    }

    @Test func `starting a running sync returns another sequence of its status`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        let (first, second) = (sync.start(), sync.start())
        for await status in first where status.isIdle { break }
        for await status in second where status.isIdle { break }
        async let rest = second.reduce(into: [Sync.Activity]()) { $0.append($1.activity) }
        await sync.stop()
        #expect(await rest.last == .stopped)
    }

    @Test func `cancelling the task of run stops it, and throws cancelled`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (never, kept) = AsyncStream.makeStream(of: Void.self)
        let listener = try await peers.listen(
            access: { _ in
                asking.yield()
                // Ends when the listener is stopped, which cancels it.
                for await _ in never {}
                return .full
            }
        )
        let sync = try peers.sync(listener)
        let task = Task { try await sync.run() }
        for await _ in asked { break }
        task.cancel()
        let error = await #expect(throws: DivanError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(sync.status.activity == .stopped)
        await listener.stop()
        kept.finish()
    }

    @Test func `a run in a cancelled task does not begin`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await sync.run()
        }
        let error = await #expect(throws: DivanError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `cancelling a loop over a continuous sync stops the sync`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        let (idle, reporting) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await status in sync.start() where status.isIdle { reporting.yield() }
            return sync.status.activity
        }
        for await _ in idle { break }
        task.cancel()
        #expect(await task.value == .stopped)
    }

    @Test func `leaving a loop over a continuous sync does not stop it`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        for await status in sync.start() where status.isIdle { break }
        #expect(sync.status.activity != .stopped)
        await sync.stop()
    }

    @Test func `a continuous sync cannot also run once`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        for await status in sync.start() where status.isIdle { break }
        let error = await failure(of: sync)
        #expect(error?.code == .busy && error?.remedy != nil)
        await sync.stop()
        try await sync.run()
    }

    @Test func `runs of one sync take place one after another`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        try await peers.notes.save(Document(id: "a"))
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 { group.addTask { try await sync.run().pushedCount } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(counts.sorted() == [0, 0, 0, 0, 1])
    }

    @Test func `the status sequence begins with the current status`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        var statuses = sync.statuses.makeAsyncIterator()
        #expect(await statuses.next()?.activity == .stopped)
        try await sync.run()
        var seen: [Sync.Activity] = []
        while let status = await statuses.next() {
            seen.append(status.activity)
            if status.activity == .stopped { break }
        }
        #expect(seen.first == .connecting && seen.last == .stopped)
    }

    @Test func `all collections are synced unless some are chosen`() async throws {
        for name in ["notes", "photos", "shop.orders"] {
            _ = try await peers.there.collection(name)
            try await peers.here.collection(name).save(Document(id: "a"))
        }
        let photos = try await peers.here.collection("photos")
        try await Sync(peers.here, with: peers.there, collections: [.init(photos)]).run()
        #expect(try await peers.there.collection("photos").get("a") != nil)
        #expect(try await peers.there.collection("notes").get("a") == nil)
        try await Sync(peers.here, with: peers.there).run()
        #expect(try await peers.there.collection("notes").get("a") != nil)
        #expect(try await peers.there.collection("shop.orders").get("a") != nil)
    }
}

/// The errors of a run.
@Suite(.timeLimit(.minutes(5))) struct SyncErrorTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    @Test(arguments: ["https://a/b", "wss://a", "not a URL", "wss://user:secret@a/b"])
    func `an invalid URL ends a run with an error that says what to write`(
        _ text: String
    ) async throws {
        let error = await failure(of: Sync(peers.here, with: text))
        #expect(error?.code == .invalidArgument)
        #expect(error?.remedy != nil)
    }

    @Test(arguments: ["http://a/b", "https://a/b", "ftp://a/b", "file:///b", "a/b"])
    func `a URL with another scheme is a permanent error that says which schemes work`(
        _ text: String
    ) async throws {
        let url = try #require(URL(string: text))
        for sync in [Sync(peers.here, with: text), Sync(peers.here, with: url)] {
            let error = await failure(of: sync)
            #expect(error?.code == .invalidArgument)
            #expect(error?.canRetry == false)
            #expect(error?.remedy?.contains("wss:// or ws://") == true, "\(error as Any)")
            var activities: [Sync.Activity] = []
            for await status in sync.start() { activities.append(status.activity) }
            #expect(activities.last == .stopped)
            #expect(!activities.contains(.offline))
            #expect(sync.status.error?.canRetry == false)
        }
    }

    @Test func `a sync accepts a URL that is text in a variable`() async throws {
        let listener = try await peers.listen()
        let address = try #require(listener.localURL).absoluteString
        try await peers.notes.save(Document(id: "a"))
        let summary = try await Sync(peers.here, with: address).run()
        #expect(summary.pushedCount == 1)
        await listener.stop()
        // A literal is one too.
        #expect(Sync(peers.here, with: "wss://a/b").description.contains("wss://a/b"))
    }

    @Test func `a port without a listener is unreachable, and a retry can help`() async throws {
        let listener = try await peers.listen()
        let sync = try peers.sync(listener)
        await listener.stop()
        let error = await failure(of: sync)
        #expect(error?.code == .unreachable)
        #expect(error?.canRetry == true)
        #expect(sync.status.error?.code == .unreachable)
    }

    @Test func `a collection that the peer does not have is named`() async throws {
        _ = try await peers.here.collection("mystery")
        let listener = try await peers.listen()
        let error = await failure(of: try peers.sync(listener))
        #expect(error?.code == .notFound)
        #expect("\(error as Any)".contains("mystery"))
        await listener.stop()
    }

    @Test func `a closed database is not open`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        try await peers.here.close()
        #expect(await failure(of: sync)?.code == .notOpen)
        #expect(throws: DivanError.self) { try sync.pending() }
        let last = await sync.start().reduce(nil) { $1 as Sync.Status? }
        #expect(last?.error?.code == .notOpen)
    }

    @Test func `closing the database ends a continuous sync`() async throws {
        let sync = Sync(peers.here, with: peers.there)
        var last: Sync.Status?
        for await status in sync.start() {
            if status.isIdle, last?.isIdle != true { try await peers.here.close() }
            last = status
        }
        #expect(last?.activity == .stopped)
    }

    @Test func `a database cannot be synced with itself`() async throws {
        let error = await failure(of: Sync(peers.here, with: peers.here))
        #expect(error?.code == .invalidArgument && error?.remedy != nil)
    }

    @Test func `a collection of another database is refused`() async throws {
        let selection = Sync.Selection(try peers.theirNotes)
        let sync = Sync(peers.here, with: peers.there, collections: [selection])
        let error = await failure(of: sync)
        #expect(error?.code == .invalidArgument && error?.remedy != nil)
    }

    @Test func `a failed document is in the summary, and does not end the run`() async throws {
        try await peers.notes.save(Document(id: "secret"))
        try await peers.notes.save(Document(id: "open"))
        let listener = try await peers.listen(
            access: { _ in Listener.Access(writes: .where { $0.id == "open" }) }
        )
        let summary = try await peers.sync(listener).run()
        #expect(summary.pushedCount == 1 && summary.failureCount == 1)
        let failed = try #require(summary.failures.first)
        #expect(failed.id == "secret" && failed.isPush)
        #expect(failed.error?.code == .forbidden)
        #expect(failed.error?.place == "collection notes, document secret")
        await listener.stop()
    }
}
