import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// Continuous replicators, and what ends them.
@Suite(.timeLimit(.minutes(5))) struct ContinuousTests {
    @Test func `a continuous replicator transfers live changes in both directions`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        try here.put("from-here", 1)
        try await there.wait { try there.value("from-here") == 1 }
        try there.put("from-there", 2)
        try await here.wait { try here.value("from-there") == 2 }
        try there.put("from-here", 3)
        try await here.wait { try here.value("from-here") == 3 }
        try here.delete(document: #require(try here.document(id: "from-there")))
        try await there.wait { try there.value("from-there") == nil }

        replicator.stop()
    }

    @Test func `stop ends the replication without an error`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        let changes = replicator.statusStream
        replicator.stop()
        replicator.stop()
        var last: Replicator.Status?
        for await status in changes { last = status }
        #expect(last?.activity == .stopped)
        #expect(last?.error == nil)
        #expect(replicator.status.activity == .stopped)
    }

    @Test func `a second start is ignored`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)
        replicator.start()
        #expect(replicator.status.activity == .idle)
        replicator.stop()
    }

    @Test func `cancelling the task that calls run stops the replicator`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        let changes = replicator.statusStream
        let task = Task { try await replicator.run() }
        for await status in changes where status.activity == .idle { break }

        task.cancel()
        try await task.value
        #expect(replicator.status.activity == .stopped)
    }

    @Test func `closing the database stops its replicator`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        try peers.here.close()
        #expect(replicator.status.activity == .stopped)
    }

    @Test func `closing the target of a database endpoint stops the replicator`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        let changes = replicator.statusStream
        try peers.there.close()
        for await _ in changes {}
        #expect(replicator.status.activity == .stopped)
    }

    @Test func `listeners get events in order, and removed listeners get none`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        let replicator = Replicator(config: try peers.configuration())
        let queue = DispatchQueue(label: "test")
        let (heard, removed) = (Heard<Replicator.ActivityLevel>(), Heard<Int>())
        replicator.addChangeListener(withQueue: queue) { heard.append($0.status.activity) }
        let token = replicator.addChangeListener(withQueue: queue) { _ in removed.append(1) }
        token.remove()
        token.remove()

        try await replicator.run()
        queue.sync {}

        #expect(heard.elements.first == .connecting)
        #expect(heard.elements.last == .stopped)
        #expect(removed.elements.isEmpty)
    }

    @Test func `a started replicator keeps running without a reference to it`() async throws {
        let peers = try Peers()
        let there = try peers.there.defaultCollection()
        try peers.here.defaultCollection().put("a", 1)
        Replicator(config: try peers.configuration(.push)).start()
        try await there.wait { try there.value("a") == 1 }
    }
}
