import CouchbaseLiteSwift
import Dispatch
import DivanPlatform
import Foundation
import Testing

/// Application callbacks that do what they should not: block, close, delete, stop.
@Suite(.timeLimit(.minutes(5))) struct CallbackTests {
    /// Document `a`, changed on both sides since its last replication.
    private func conflicted() async throws -> Peers {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        try await Replicator(config: peers.configuration()).run()
        try peers.here.defaultCollection().put("a", 2)
        try peers.there.defaultCollection().put("a", 3)
        return peers
    }

    private struct Asking: ConflictResolverProtocol {
        let ask: @Sendable (Conflict) -> Document?

        func resolve(conflict: Conflict) -> Document? { ask(conflict) }
    }

    @Test func `a conflict handler that closes the database makes the save throw notOpen`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try collection.put("a", 1)
        let mine = try #require(try collection.document(id: "a")).toMutable()
        try collection.put("a", 2)
        expect(CBLError.notOpen) {
            _ = try collection.save(document: mine) { _, _ in
                try? home.database.close()
                return true
            }
        }
        #expect(home.database.path == nil)
    }

    @Test func `a conflict handler can delete the collection or change the document`()
        throws
    {
        let home = try TemporaryDatabase()
        let collection = try home.database.createCollection(name: "c")
        try collection.put("a", 1)
        let mine = try #require(try collection.document(id: "a")).toMutable()
        try collection.put("a", 2)
        var askedCount = 0
        let isSaved = try collection.save(document: mine) { document, _ in
            askedCount += 1
            if askedCount < 5 { try? collection.put("a", 10 + askedCount) }
            document.setInt(100, forKey: "value")
            return true
        }
        #expect(isSaved && askedCount == 5)
        #expect(try collection.value("a") == 100)
        let again = try #require(try collection.document(id: "a")).toMutable()
        try collection.put("a", 3)
        expect(CBLError.notOpen) {
            _ = try collection.save(document: again) { _, _ in
                try? home.database.deleteCollection(name: "c")
                return true
            }
        }
    }

    @Test func `closing the database inside a batch throws, and the batch continues`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try home.database.inBatch {
            expect(CBLError.transactionNotClosed) { try home.database.close() }
            expect(CBLError.transactionNotClosed) { try home.database.delete() }
            try collection.put("a", 1)
        }
        #expect(try collection.value("a") == 1)
    }

    @Test func `a resolver can close the database without a deadlock`() async throws {
        let peers = try await conflicted()
        let configuration = try peers.configuration {
            $0.conflictResolver = Asking { conflict in
                try? peers.here.close()
                return conflict.remoteDocument
            }
        }
        _ = try? await Replicator(config: configuration).run()
        while peers.here.path != nil { await Task.yield() }
    }

    @Test(arguments: [true, false])
    func `authenticators and access hooks can close the database without a deadlock`(
        isAuthenticator: Bool
    ) async throws {
        let peers = try Peers()
        let listener = try peers.listen {
            $0.disableTLS = true
            if isAuthenticator {
                $0.authenticator = ListenerPasswordAuthenticator { _, _ in
                    try? peers.there.close()
                    return true
                }
            } else {
                $0.access = { _ in
                    try? peers.there.close()
                    return .full
                }
            }
        }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.authenticator = BasicAuthenticator(username: "a", password: "b")
        configuration.maxAttempts = 1
        _ = try? await Replicator(config: configuration).run()
        while peers.there.path != nil { await Task.yield() }
    }

    @Test func `a task started in a filter can close the database`() async {
        await #expect(processExitsWith: .success) {
            let peers = try Peers()
            try peers.here.defaultCollection().put("a", 1)
            let (isIdle, idle) = AsyncStream.makeStream(of: Void.self)
            let (isClosed, closed) = AsyncStream.makeStream(of: Void.self)
            var configuration = try peers.configuration(.push) {
                $0.pushFilter = { _, _ in
                    Task {
                        for await _ in isIdle {}
                        try peers.here.close()
                        closed.finish()
                    }
                    return true
                }
            }
            configuration.continuous = true
            let replicator = Replicator(config: configuration)
            _ = await replicator.start(until: .idle)
            idle.finish()
            for await _ in isClosed {}
            let isStopped = replicator.status.activity == .stopped
            CurrentProcess.exit(isStopped ? 0 : 1)
        }
    }

    @Test func `a resolver can stop its replicator or purge the conflicting document`() async throws
    {
        for purges in [false, true] {
            let peers = try await conflicted()
            let stop = Heard<Replicator>()
            let configuration = try peers.configuration {
                $0.conflictResolver = Asking { conflict in
                    for replicator in stop.elements { replicator.stop() }
                    if purges { try? peers.here.defaultCollection().purge(id: "a") }
                    return conflict.remoteDocument
                }
            }
            let replicator = Replicator(config: configuration)
            stop.append(replicator)
            #expect(await replicator.finalCode() == 0)
            try peers.here.close()
        }
    }

    @Test func `a filter that deletes its collection ends the replication`() async throws {
        let peers = try Peers()
        let here = try peers.here.createCollection(name: "c")
        _ = try peers.there.createCollection(name: "c")
        for number in 0..<20 { try here.put("\(number)", number) }
        let configuration = try peers.configuration(collections: [here]) {
            $0.pushFilter = { _, _ in
                try? peers.here.deleteCollection(name: "c")
                return true
            }
        }
        let replicator = Replicator(config: configuration)
        _ = await replicator.finalCode()
        #expect(replicator.status.activity == .stopped)
        expect(CBLError.notOpen) { _ = try here.document(id: "0") }
        try peers.here.close()
    }

    @Test func `a listener that blocks its queue does not block others`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        let (blocked, free) = (DispatchQueue(label: "blocked"), DispatchQueue(label: "free"))
        let gate = DispatchSemaphore(value: 0)
        let heard = Heard<[String]>()
        here.addChangeListener(queue: blocked) { _ in gate.wait() }
        here.addChangeListener(queue: free) { heard.append($0.documentIDs) }
        let replicator = Replicator(config: try peers.configuration())
        replicator.addChangeListener(withQueue: blocked) { _ in gate.wait() }
        for number in 0..<50 { try here.put("\(number)", number) }
        try await replicator.run()
        free.sync {}
        #expect(heard.elements.flatMap(\.self).count == 50)
        #expect(try peers.there.defaultCollection().count == 50)
        try peers.here.close()
        for _ in 0..<200 { gate.signal() }
    }
}
