import CouchbaseLiteSwift
import Dispatch
import DivanPlatform
import Foundation
import Synchronization
import Testing

/// The states of a replicator as its listeners see them: `behaviour.md` §6, rule by rule.
@Suite(.timeLimit(.minutes(5))) struct LifeCycleRuleTests {
    private func closedTarget(_ peers: Peers) throws -> URLEndpoint {
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        return try listener.endpoint()
    }

    @Test func `rule 1: a replicator that cannot be set up stops at once with an error`()
        async throws
    {
        let peers = try Peers()
        let replicator = Replicator(config: try peers.configuration())
        try peers.there.close()
        let statuses = await replicator.statuses()
        #expect(statuses.map(\.activity) == [.stopped])
        #expect(statuses.last?.error != nil)
    }

    @Test func `rule 5: after a failure the same object can be started again`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        var configuration = try peers.configuration(target: closedTarget(peers))
        configuration.maxAttempts = 1
        let replicator = Replicator(config: configuration)
        let first = await replicator.finalCode()
        let second = await replicator.statuses()
        #expect(first == Int(Errno.connectionRefused.rawValue))
        #expect(second.map(\.activity) == [.connecting, .stopped])
        #expect(second.first?.error == nil, "the error is cleared when the next attempt starts")
    }

    @Test func `rule 7: status.error stays until the next start`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration(target: closedTarget(peers))
        configuration.maxAttempts = 1
        let replicator = Replicator(config: configuration)
        _ = await replicator.statuses()
        #expect(replicator.status.activity == .stopped)
        #expect(
            (replicator.status.error as NSError?)?.code == Int(Errno.connectionRefused.rawValue)
        )
    }

    @Test func `rule 9: status read after start is never from the previous run`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        for _ in 0..<2 {
            let statuses = replicator.statusStream
            replicator.start()
            #expect(replicator.status.activity != .stopped)
            replicator.stop()
            for await _ in statuses {}
            #expect(replicator.status.activity == .stopped)
        }
    }

    @Test func `rule 9: status read in a listener is at least as new as the change`() async throws {
        let peers = try Peers()
        for number in 0..<50 { try peers.here.defaultCollection().put("\(number)", number) }
        let replicator = Replicator(config: try peers.configuration())
        let (queue, heard) = (DispatchQueue(label: "test"), Heard<Bool>())
        replicator.addChangeListener(withQueue: queue) { change in
            let now = change.replicator.status
            let isNewer = now.progress.completed >= change.status.progress.completed
            // It may have advanced, even to the end, but never gone back.
            heard.append(isNewer || now.activity == .stopped)
        }
        try await replicator.run()
        queue.sync {}
        #expect(!heard.elements.isEmpty)
        #expect(heard.elements.allSatisfy { $0 })
    }

    @Test func `rule 10: a listener gets only changes after it was added`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)
        let (queue, heard) = (DispatchQueue(label: "test"), Heard<Replicator.ActivityLevel>())
        replicator.addChangeListener(withQueue: queue) { heard.append($0.status.activity) }
        let changes = replicator.statusStream
        replicator.stop()
        for await _ in changes {}
        queue.sync {}
        #expect(!heard.elements.contains(.connecting))
        #expect(heard.elements.last == .stopped)
    }

    @Test func `rule 10: a document listener added after start gets later events`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)
        let documents = replicator.documentReplicationStream
        try here.put("late", 1)
        for await event in documents {
            #expect(event.documents.map(\.id) == ["late"])
            #expect(event.isPush)
            #expect(event.replicator === replicator)
            break
        }
        replicator.stop()
    }

    @Test func `rule 11: close waits until its replicators have stopped`() async throws {
        let peers = try Peers()
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicators = (0..<3).map { _ in Replicator(config: configuration) }
        for replicator in replicators {
            #expect(await replicator.start(until: .idle) != nil)
        }
        try peers.here.close()
        #expect(replicators.allSatisfy { $0.status.activity == .stopped })
    }

    @Test func `rule 12: listeners stay registered across stop and start`() async throws {
        let peers = try Peers()
        let replicator = Replicator(config: try peers.configuration())
        let (queue, heard) = (DispatchQueue(label: "test"), Heard<Replicator.ActivityLevel>())
        replicator.addChangeListener(withQueue: queue) { heard.append($0.status.activity) }
        try await replicator.run()
        try await replicator.run()
        queue.sync {}
        #expect(heard.elements.filter { $0 == .stopped }.count == 2)
        #expect(heard.elements.filter { $0 == .connecting }.count == 2)
    }

    @Test func `document event streams end with the run`() async throws {
        let peers = try Peers()
        for number in 0..<20 { try peers.here.defaultCollection().put("h\(number)", number) }
        for number in 0..<20 { try peers.there.defaultCollection().put("t\(number)", number) }
        let replicator = Replicator(config: try peers.configuration())
        let events = replicator.documentReplicationStream
        replicator.start()
        var ids: Set<String> = []
        for await event in events {
            for document in event.documents {
                #expect(event.isPush == document.id.hasPrefix("h"))
                #expect(document.error == nil)
                #expect(document.collection == "_default")
                #expect(document.scope == "_default")
                ids.insert(document.id)
            }
        }
        #expect(ids.count == 40)
    }

    // MARK: §7, in the configuration

    @Test(arguments: [false, true])
    func `the default of maxAttempts depends on continuous`(continuous: Bool) throws {
        var configuration = try Peers().configuration()
        configuration.continuous = continuous
        #expect(configuration.maxAttempts == (continuous ? UInt.max : 10))
        configuration.maxAttempts = 0
        #expect(configuration.maxAttempts == 0)
        configuration.maxAttempts = 1
        #expect(configuration.maxAttempts == 1)
    }

    @Test func `waits of one second and of fractions of a second are kept`() throws {
        var configuration = try Peers().configuration()
        configuration.heartbeat = 1
        configuration.maxAttemptWaitTime = 1
        #expect(configuration.heartbeat == 1)
        #expect(configuration.maxAttemptWaitTime == 1)
        configuration.heartbeat = 2.5
        configuration.maxAttemptWaitTime = 0.25
        #expect(configuration.heartbeat == 2.5)
        #expect(configuration.maxAttemptWaitTime == 0.25)
    }
}
