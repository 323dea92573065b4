import DivanTransport
import Foundation
import Synchronization
import Testing

// Database services are internal to the module.
@testable import CouchbaseLiteSwift

/// `behaviour.md` §15 and §18.
@Suite(.timeLimit(.minutes(5))) struct ClosingRuleTests {
    @Test func `deleting a closed database throws notOpen and keeps its files`() throws {
        let home = try TemporaryDatabase()
        try home.database.close()
        expect(CBLError.notOpen) { try home.database.delete() }
        try home.reopened().delete()
        expect(CBLError.notOpen) { try home.database.delete() }
    }

    @Test func `on a closed database a replicator ends with notOpen and a listener throws it`()
        async throws
    {
        let peers = try Peers()
        let replicator = Replicator(config: try peers.configuration())
        let collections = [try peers.there.defaultCollection()]
        let listener = URLEndpointListener(
            config: URLEndpointListenerConfiguration(collections: collections)
        )
        try peers.here.close()
        try peers.there.close()
        #expect(await replicator.finalCode() == CBLError.notOpen)
        expect(CBLError.notOpen) { try listener.start() }
    }

    @Test func `on a deleted collection a replicator ends with notOpen and a listener throws it`()
        async throws
    {
        let peers = try Peers()
        let here = try peers.here.createCollection(name: "hotels")
        let there = try peers.there.createCollection(name: "hotels")
        let replicator = Replicator(config: try peers.configuration(collections: [here]))
        let listener = URLEndpointListener(
            config: URLEndpointListenerConfiguration(collections: [there])
        )
        try peers.here.deleteCollection(name: "hotels")
        try peers.there.deleteCollection(name: "hotels")
        #expect(await replicator.finalCode() == CBLError.notOpen)
        expect(CBLError.notOpen) { _ = try replicator.pendingDocumentIds(collection: here) }
        expect(CBLError.notOpen) { try listener.start() }
        // A recreated collection is a different one: old objects do not lead to it.
        _ = try peers.here.createCollection(name: "hotels")
        #expect(await replicator.finalCode() == CBLError.notOpen)
    }

    @Test func `threads can close a database at the same time`() async throws {
        for _ in 0..<20 {
            let peers = try Peers()
            var configuration = try peers.configuration()
            configuration.continuous = true
            let replicator = Replicator(config: configuration)
            replicator.start()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try peers.here.close() } }
                try await group.waitForAll()
            }
            #expect(peers.here.path == nil)
            #expect(replicator.status.activity == .stopped)
        }
    }

    @Test func `closing waits until the replicator has stopped`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        _ = await replicator.start(until: .idle)
        try peers.here.close()
        #expect(replicator.status.activity == .stopped)
        #expect(peers.here.path == nil)
    }

    @Test func `closing or deleting the database stops its listener`() async throws {
        let peers = try Peers()
        let first = try peers.listen()
        try peers.there.close()
        #expect(first.port == nil)
        let home = try TemporaryDatabase()
        var config = URLEndpointListenerConfiguration(collections: [try home.collection])
        config.disableTLS = true
        config.networkInterface = "127.0.0.1"
        let second = URLEndpointListener(config: config)
        try second.start()
        try home.database.delete()
        #expect(second.port == nil && second.urls == nil)
    }

    @Test func `a filter can close the database without a deadlock`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("doc", 1)
        let database = peers.here
        let configuration = try peers.configuration(.push) { entry in
            entry.pushFilter = { _, _ in
                try? database.close()
                return true
            }
        }
        _ = try? await Replicator(config: configuration).run()
        while peers.here.path != nil { await Task.yield() }
        #expect(throws: NSError.self) { try database.defaultCollection().put("other", 1) }
    }

    /// Syncs a database of its own while it decides, and closes it.
    private struct BusyResolver: ConflictResolverProtocol {
        let own: Database
        let other: Database
        let closings = Heard<Bool>()

        func resolve(conflict: CouchbaseLiteSwift.Conflict) -> Document? {
            do {
                let collections = [CollectionConfiguration(collection: try own.defaultCollection())]
                var config = ReplicatorConfiguration(
                    collections: collections,
                    target: DatabaseEndpoint(database: other)
                )
                config.continuous = true
                Replicator(config: config).start()
                try own.close()
                closings.append(true)
            } catch {
                Issue.record(error)
            }
            return conflict.remoteDocument
        }
    }

    @Test func `a resolver can sync and close another database`() async throws {
        let (peers, own, other) = (try Peers(), try TemporaryDatabase(), try TemporaryDatabase())
        try peers.here.defaultCollection().put("doc", 1)
        try peers.there.defaultCollection().put("doc", 2)
        let resolver = BusyResolver(own: own.database, other: other.database)
        let configuration = try peers.configuration(.pull) { $0.conflictResolver = resolver }
        try await Replicator(config: configuration).run()
        #expect(resolver.closings.elements.count == 1)
        while own.database.path != nil { await Task.yield() }
    }

    /// Ends when the work that it waits for has ended, like a replicator whose revisions are being stored.
    private final class Service: DatabaseService {
        private let work = DispatchSemaphore(value: 0)
        private let asked = DispatchSemaphore(value: 0)

        func finishWork() { work.signal() }

        func waitUntilAsked() { asked.wait() }

        func beginStop() { asked.signal() }

        func waitForStop() { work.wait() }
    }

    /// Objects captured by a listener may be released on the committing thread, where a peer's revisions are stored.
    @Test func `a database can be closed on a thread that close waits for`()
        async throws
    {
        let home = try TemporaryDatabase()
        let service = Service()
        try home.database.register(service)
        await withCheckedContinuation { isAsked in
            WorkQueue(label: "test", limit: 1).async { [database = home.database] in
                try? database.close()
                service.finishWork()
                isAsked.resume()
            }
        }
        Database.closings.sync(flags: .barrier) {}
        #expect(!home.database.isOpen)
    }

    @Test func `a database that once fetched a blob can be closed inside another database's batch`()
        throws
    {
        let (home, other) = (try TemporaryDatabase(), try TemporaryDatabase("other"))
        _ = try home.database.service { RemoteBlobFetcher() }
        try other.database.inBatch { try home.database.close() }
        #expect(!home.database.isOpen)
    }

    @Test func `closing a second time inside another database's batch does nothing`() throws {
        let (home, other) = (try TemporaryDatabase(), try TemporaryDatabase("other"))
        let service = Service()
        try home.database.register(service)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [database = home.database] in
            try? database.close()
            isDone.signal()
        }
        defer {
            service.finishWork()
            isDone.wait()
        }
        service.waitUntilAsked()
        try other.database.inBatch { try home.database.close() }
    }

    @Test func `a change listener can close the database`() async throws {
        let home = try TemporaryDatabase()
        let database = home.database
        let collection = try home.collection
        let queue = DispatchQueue(label: "listener")
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            collection.addChangeListener(queue: queue) { _ in
                try? database.close()
                continuation.resume()
            }
            try? collection.put("doc", 1)
        }
        #expect(database.path == nil)
    }

    @Test func `after closing, documents stay readable and every throwing call throws notOpen`()
        throws
    {
        let home = try TemporaryDatabase()
        let database = home.database
        let collection = try home.collection
        let scope = try database.defaultScope()
        try collection.put("doc", 1)
        let document = try #require(try collection.document(id: "doc"))
        try database.close()
        #expect(document.int(forKey: "value") == 1)
        #expect(document.toMutable().int(forKey: "value") == 1)
        #expect(document.id == "doc" && document.collection == collection)
        #expect(collection.name == "_default" && collection.count == 0)
        #expect(!collection["doc"].exists)
        let blob = Blob(contentType: "a/b", data: Data([1]))
        let calls: [() throws -> Void] = [
            { _ = try collection.document(id: "doc") },
            { try collection.save(document: document.toMutable()) },
            { try collection.delete(document: document) },
            { try collection.purge(document: document) },
            { try collection.purge(id: "doc") },
            { try collection.setDocumentExpiration(id: "doc", expiration: nil) },
            { _ = try collection.getDocumentExpiration(id: "doc") },
            { _ = try database.defaultCollection() },
            { _ = try database.defaultScope() },
            { _ = try database.scopes() },
            { _ = try database.scope(name: "s") },
            { _ = try database.collections() },
            { _ = try database.collection(name: "c") },
            { _ = try database.createCollection(name: "c") },
            { try database.deleteCollection(name: "c") },
            { _ = try scope.collections() },
            { _ = try scope.collection(name: "c") },
            { try database.saveBlob(blob: blob) },
            { try database.delete() },
            { try database.inBatch {} },
            { try database.performMaintenance(type: .optimize) },
        ]
        for (index, call) in calls.enumerated() {
            expect(CBLError.notOpen, "call \(index)") { try call() }
        }
    }

    /// `behaviour.md` §18.
    @Test func `compaction shrinks the file`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let path = try #require(home.database.path) + "db.sqlite3"
        func byteCount() throws -> Int {
            try #require(
                try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
            ).intValue
        }
        let text = String(repeating: "filler ", count: 300)
        try home.database.inBatch {
            for number in 0..<500 {
                let document = MutableDocument(id: "d\(number)", data: ["t": text, "n": number])
                try collection.save(document: document)
            }
        }
        try home.database.performMaintenance(type: .compact)
        let before = try byteCount()
        try home.database.inBatch {
            for number in 0..<500 { try collection.purge(id: "d\(number)") }
        }
        try home.database.performMaintenance(type: .compact)
        #expect(try byteCount() < before / 4)
    }

    /// `behaviour.md` §18.
    @Test func `integrityCheck throws corruptData if the database is damaged`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try home.database.inBatch {
            for number in 0..<300 {
                let filler = String(repeating: "\(number)", count: 100)
                try collection.save(
                    document: MutableDocument(id: "d\(number)", data: ["t": filler])
                )
            }
        }
        try home.database.performMaintenance(type: .integrityCheck)
        let path = try #require(home.database.path) + "db.sqlite3"
        try home.database.close()
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let end = try file.seekToEnd()
        for offset in stride(from: UInt64(16_384), to: end - 600, by: 4_096) {
            try file.seek(toOffset: offset)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 512))
        }
        try file.close()
        expect(CBLError.corruptData) {
            try home.reopened().performMaintenance(type: .integrityCheck)
        }
    }
}
