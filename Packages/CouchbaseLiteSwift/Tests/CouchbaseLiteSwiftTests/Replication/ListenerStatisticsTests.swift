import CouchbaseLiteSwift
import Foundation
import Testing

/// What a listener reports about its connections while they are open, and afterwards.
@Suite(.timeLimit(.minutes(5))) struct ListenerStatisticsTests {
    @Test func `deltas and the bytes they save are counted`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        let (listener, replicator) = try await peers.syncLongDocument(from: peers.here)
        defer { listener.stop() }
        #expect(listener.statistics.receivedDeltas.count == 0)

        try here.put("a", 7)
        try await replicator.run()
        let statistics = listener.statistics
        #expect(statistics.receivedDeltas.count == 1)
        #expect(statistics.receivedDeltas.bodyByteCount > 2_000)
        #expect(statistics.receivedDeltas.byteCount < 200)
        #expect(statistics.receivedDeltas.savedByteCount > 1_800)
        #expect(statistics.sentDeltas.count == 0)
        #expect(statistics.connectionCount == 2)
        #expect(replicator.statistics.pushedDeltas == statistics.receivedDeltas)
        #expect(replicator.statistics.pulledDeltas.count == 0)
    }

    @Test func `document counts need no listener and include syncs with a local database`()
        async throws
    {
        let peers = try Peers()
        for number in 0..<3 { try peers.here.defaultCollection().put("h\(number)", number) }
        for number in 0..<5 { try peers.there.defaultCollection().put("t\(number)", number) }
        let replicator = Replicator(config: try peers.configuration())
        try await replicator.run()
        #expect(replicator.statistics.pushedDocumentCount == 3)
        #expect(replicator.statistics.pulledDocumentCount == 5)
    }

    @Test func `a local database endpoint does not use deltas`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        let document = MutableDocument(id: "a")
        document.setString(String(repeating: "text ", count: 400), forKey: "text")
        try here.save(document: document)
        let replicator = Replicator(config: try peers.configuration())
        try await replicator.run()
        try here.put("a", 7)
        try await replicator.run()
        #expect(try peers.there.defaultCollection().value("a") == 7)
        #expect(replicator.statistics.pushedDeltas.count == 0)
    }

    @Test func `an open connection shows its client and traffic and can be closed`() async throws {
        let peers = try Peers()
        for number in 0..<10 { try peers.there.defaultCollection().put("\(number)", number) }
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.authenticator = ListenerPasswordAuthenticator { _, _ in true }
        }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        configuration.authenticator = BasicAuthenticator(username: "ada", password: "x")
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        let connection = try #require(listener.connections.first)
        #expect(connection.client.user == "ada")
        #expect(connection.client.address == "127.0.0.1")
        #expect(!connection.client.isSecure)
        #expect(connection.compression == "none")
        #expect(connection.statistics.sentByteCount > 0)
        #expect(abs(connection.start.timeIntervalSinceNow) < 60)

        let changes = replicator.statusStream
        listener.disconnect(connection)
        var last: Replicator.Status?
        for await status in changes { last = status }
        #expect((last?.error as NSError?)?.code == CBLError.webSocketGoingAway)
    }

    @Test func `a client that is told to reconnect does so`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        configuration.maxAttemptWaitTime = 0.05
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)
        let first = try #require(listener.connections.first)

        let changes = replicator.statusStream
        listener.disconnect(first, reconnects: true)
        var wasOffline = false
        for await status in changes {
            if status.activity == .offline { wasOffline = true }
            if wasOffline, status.activity == .idle { break }
        }
        let second = try #require(listener.connections.first)
        #expect(second.id > first.id)
        replicator.stop()
    }

    @Test func `revisions cached for all connections are never older than the last commit`()
        async throws
    {
        let peers = try Peers()
        let there = try peers.there.defaultCollection()
        for number in 0..<20 { try there.put("\(number)", 1) }
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let pull = {
            let configuration = try peers.configuration(.pull, target: listener.endpoint())
            let replicator = Replicator(config: configuration)
            let changes = replicator.statusStream
            replicator.start(reset: true)
            for await _ in changes {}
        }
        try await pull()
        try there.put("7", 2)
        let gone = try #require(try there.document(id: "8"))
        try there.purge(document: gone)
        for number in 0..<20 {
            let document = try #require(
                try peers.here.defaultCollection().document(id: "\(number)")
            )
            try peers.here.defaultCollection().purge(document: document)
        }
        try await pull()
        let here = try peers.here.defaultCollection()
        #expect(try here.value("7") == 2)
        #expect(try here.document(id: "8") == nil)
        #expect(here.count == 19)
    }
}
