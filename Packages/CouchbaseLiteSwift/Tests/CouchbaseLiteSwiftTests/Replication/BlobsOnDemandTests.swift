import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Documents first, blobs on demand.
@Suite(.timeLimit(.minutes(5))) struct BlobsOnDemandTests {
    /// Incompressible bytes, different for each number.
    private static func content(_ number: Int, _ byteCount: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(number))
        return Data((0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private func putPictures(_ count: Int, of byteCount: Int, in database: Database) throws {
        let collection = try database.defaultCollection()
        try database.inBatch {
            for number in 0..<count {
                let document = MutableDocument(id: "photo-\(number)")
                let data = Self.content(number, byteCount)
                document.setBlob(Blob(contentType: "image/jpeg", data: data), forKey: "picture")
                try collection.save(document: document)
            }
        }
    }

    private func picture(_ number: Int, in database: Database) throws -> Blob {
        try #require(
            try database.defaultCollection().document(id: "photo-\(number)")?
                .blob(forKey: "picture")
        )
    }

    private func pull(
        _ blobs: BlobReplication,
        into database: Database,
        from listener: URLEndpointListener
    ) async throws -> Replicator {
        let entry = CollectionConfiguration(collection: try database.defaultCollection())
        var configuration = ReplicatorConfiguration(
            collections: [entry],
            target: try listener.endpoint()
        )
        configuration.replicatorType = .pull
        configuration.blobs = blobs
        let replicator = Replicator(config: configuration)
        try await replicator.run()
        return replicator
    }

    @Test
    func `a lazy pull transfers less than 1 % of the bytes, and blobs are fetched on request`()
        async throws
    {
        let (count, byteCount) = (TestLength.of(60, long: 100), 200_000)
        let peers = try Peers()
        try putPictures(count, of: byteCount, in: peers.there)
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }

        let other = try Database.inMemory()
        let eager = try await pull(.eager, into: other, from: listener).statistics
        let replicator = try await pull(.lazy, into: peers.here, from: listener)
        let lazy = replicator.statistics
        #expect(lazy.pulledDocumentCount == eager.pulledDocumentCount)
        #expect(lazy.byteCount * 100 < eager.byteCount, "\(lazy.byteCount) of \(eager.byteCount)")

        #expect(try peers.here.defaultCollection().count == UInt64(count))
        try peers.here.performMaintenance(type: .integrityCheck)
        let first = try picture(0, in: peers.here)
        #expect(!first.isHere && first.content == nil && first.length == UInt64(byteCount))

        let heard = Heard<BlobProgress>()
        try await first.fetch { heard.append($0) }
        #expect(first.isHere && first.content == Self.content(0, byteCount))
        #expect(heard.elements.count == 3, "200,000 bytes in pieces of 64 KiB")
        #expect(heard.elements.last?.receivedByteCount == UInt64(byteCount))
        #expect(heard.elements.allSatisfy { $0.totalByteCount == UInt64(byteCount) })
        #expect(heard.elements.allSatisfy { $0.resumedByteCount == 0 })

        let connectionCount = listener.statistics.connectionCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let blob = try picture(number, in: peers.here)
                group.addTask { try await blob.fetch() }
            }
            try await group.waitForAll()
        }
        for number in 0..<count {
            #expect(try picture(number, in: peers.here).content == Self.content(number, byteCount))
        }
        let extra = listener.statistics.connectionCount - connectionCount
        #expect(extra <= 50, "\(extra) connections for \(count) blobs")
        try peers.here.performMaintenance(type: .integrityCheck)
        withExtendedLifetime(replicator) {}
    }

    @Test func `small blobs are pulled with their documents, large ones are not`() async throws {
        let peers = try Peers()
        try putPictures(1, of: 1_000, in: peers.there)
        let collection = try peers.there.defaultCollection()
        let large = MutableDocument(id: "photo-1")
        large.setBlob(
            Blob(contentType: "image/jpeg", data: Self.content(1, 1_001)),
            forKey: "picture"
        )
        try collection.save(document: large)
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        _ = try await pull(.upTo(1_000), into: peers.here, from: listener)
        #expect(try picture(0, in: peers.here).isHere)
        #expect(try !picture(1, in: peers.here).isHere)
    }

    @Test func `an interrupted fetch resumes, even after a restart of the program`()
        async throws
    {
        let byteCount = 4_000_000
        let directory = try TemporaryDirectory()
        var settings = DatabaseConfiguration()
        settings.directory = directory.path
        let peers = try Peers()
        try putPictures(1, of: byteCount, in: peers.there)
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var here = try Database(name: "edge", config: settings)
        var replicator = try await pull(.lazy, into: here, from: listener)

        // Cancelled halfway, with the database closed, as after an app is killed.
        let half = Heard<BlobProgress>()
        let blob = try picture(0, in: here)
        let task = Task {
            try await blob.fetch { progress in
                half.append(progress)
                if progress.receivedByteCount > 1_000_000 {
                    for connection in listener.connections { listener.disconnect(connection) }
                }
            }
        }
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(!blob.isHere)
        try here.close()

        here = try Database(name: "edge", config: settings)
        defer { try? here.close() }
        replicator = try await pull(.lazy, into: here, from: listener)
        let before = listener.statistics.sentByteCount
        let heard = Heard<BlobProgress>()
        let again = try picture(0, in: here)
        try await again.fetch { heard.append($0) }
        #expect(again.content == Self.content(0, byteCount))
        let resumed = try #require(heard.elements.first).resumedByteCount
        #expect(resumed > 1_000_000, "what had arrived is kept")
        let sent = listener.statistics.sentByteCount - before
        #expect(sent < UInt64(byteCount) - resumed + 100_000, "and is not sent again")
        withExtendedLifetime(replicator) {}
    }

    @Test func `a document whose blob was not downloaded can be edited and pushed`() async throws {
        let peers = try Peers()
        try putPictures(1, of: 100_000, in: peers.there)
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        _ = try await pull(.lazy, into: peers.here, from: listener)
        let collection = try peers.here.defaultCollection()
        let document = try #require(try collection.document(id: "photo-0")).toMutable()
        try collection.save(document: document.setString("Ghent", forKey: "place"))
        let push = Replicator(
            config: try peers.configuration(.push, target: listener.endpoint())
        )
        #expect(await push.finalCode() == 0)
        let there = try #require(try peers.there.defaultCollection().document(id: "photo-0"))
        #expect(there.string(forKey: "place") == "Ghent")
        #expect(there.blob(forKey: "picture")?.content == Self.content(0, 100_000))
        #expect(try !picture(0, in: peers.here).isHere)
    }

    @Test func `a client can fetch blobs only of documents that it can read`() async throws {
        let peers = try Peers()
        try putPictures(2, of: 50_000, in: peers.there)
        let hides = Atomic(false)
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.access = { _ in
                var access = ListenerAccess()
                access.readFilter = { document, _ in
                    document.id == "photo-0" || !hides.load(ordering: .relaxed)
                }
                return access
            }
        }
        defer { listener.stop() }
        let replicator = try await pull(.lazy, into: peers.here, from: listener)
        hides.store(true, ordering: .relaxed)
        try await picture(0, in: peers.here).fetch()
        #expect(try picture(0, in: peers.here).isHere)
        let error = await #expect(throws: NSError.self) {
            try await picture(1, in: peers.here).fetch()
        }
        #expect(error?.code == CBLError.httpNotFound)
        withExtendedLifetime(replicator) {}
    }

    @Test func `a failed fetch reports the reason`() async throws {
        let peers = try Peers()
        try putPictures(1, of: 10_000, in: peers.there)
        let listener = try peers.listen { $0.disableTLS = true }
        weak var replicator: Replicator?
        replicator = try await pull(.lazy, into: peers.here, from: listener)
        // Its queues hold it a moment longer.
        while replicator != nil { await Task.yield() }
        let blob = try picture(0, in: peers.here)
        var error = await #expect(throws: NSError.self) { try await blob.fetch() }
        #expect(error?.code == CBLError.notFound)
        #expect(
            error?.localizedDescription.contains("no replicator of its collection exists") == true
        )

        var configuration = try peers.configuration(.pull, target: try listener.endpoint())
        configuration.maxAttempts = 1
        listener.stop()
        let given = configuration
        error = await #expect(throws: NSError.self) { try await blob.fetch(from: given) }
        #expect(error?.domain == NSPOSIXErrorDomain)

        try await Blob(contentType: "text/plain", data: Data("x".utf8)).fetch()  // its own bytes
        let task = Task { try await blob.fetch(from: given) }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }
}
