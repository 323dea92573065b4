import CouchbaseLiteSwift
import Dispatch
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Listeners and replicators over real sockets on the loopback interface.
@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
    /// The start waits for the batch, and the batch reads the listener's state.
    @Test(.timeLimit(.minutes(5)))
    func `a batch can read the state of a listener that is starting`() async throws {
        let peers = try Peers()
        var configuration = URLEndpointListenerConfiguration(
            collections: [try peers.there.defaultCollection()]
        )
        configuration.networkInterface = "127.0.0.1"
        configuration.enableDeltaSync = true
        let listener = URLEndpointListener(config: configuration)
        defer { listener.stop() }
        let (began, started) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
            began.wait()
            try? listener.start()
            started.signal()
        }
        try peers.there.inBatch {
            began.signal()
            // Meanwhile the other thread gets as far as it can.
            letOthersRun { listener.port != nil }
            #expect(listener.port == nil && listener.urls == nil)
        }
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                started.wait()
                done.resume()
            }
        }
        #expect(listener.port != nil)
    }

    @Test func `a replicator syncs in both directions without TLS`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        for number in 0..<120 {
            try here.put("here-\(number)", number)
            try there.put("there-\(number)", number)
        }
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }

        try await Replicator(config: peers.configuration(target: listener.endpoint())).run()

        #expect(here.count == 240)
        #expect(there.count == 240)
        #expect(listener.statistics.receivedDocumentCount == 120)
        #expect(listener.statistics.sentDocumentCount == 120)
        #expect(listener.statistics.receivedByteCount > 0)
    }

    @Test func `port, identity and URLs are available only while the listener is running`() throws {
        let peers = try Peers()
        let listener = try peers.listen()
        let port = try #require(listener.port)
        #expect(port > 0)
        #expect(listener.tlsIdentity?.certs.count == 1)
        #expect(listener.urls == [try #require(URL(string: "wss://127.0.0.1:\(port)/there"))])
        #expect(listener.status.connectionCount == 0)
        #expect(listener.status.activeConnectionCount == 0)

        listener.stop()
        listener.stop()
        #expect(listener.port == nil)
        #expect(listener.urls == nil)
        #expect(listener.tlsIdentity == nil)
    }

    @Test func `URLs include an address for each interface and the host name`() throws {
        let peers = try Peers()
        let listener = try peers.listen {
            $0.networkInterface = nil
            $0.disableTLS = true
        }
        defer { listener.stop() }
        let urls = try #require(listener.urls)
        let port = try #require(listener.port)
        #expect(urls.contains { $0.absoluteString == "ws://127.0.0.1:\(port)/there" })
        #expect(urls.contains { $0.host == ProcessInfo.processInfo.hostName })
        #expect(listener.tlsIdentity == nil)
    }

    @Test func `a listener can be bound to an interface by name`() throws {
        let peers = try Peers()
        let listener = try peers.listen {
            $0.networkInterface = "lo"
            $0.disableTLS = true
        }
        defer { listener.stop() }
        #expect(listener.urls?.first?.host == "127.0.0.1")
    }

    @Test func `starting a listener twice keeps its port`() throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let port = listener.port
        try listener.start()
        #expect(listener.port == port)
    }

    @Test func `a port in use throws the system's error`() throws {
        let peers = try Peers()
        let first = try peers.listen { $0.disableTLS = true }
        defer { first.stop() }
        do {
            _ = try peers.listen {
                $0.port = first.port
                $0.disableTLS = true
            }
            Issue.record("two listeners share a port")
        } catch let error as NSError {
            #expect(error.domain == NSPOSIXErrorDomain)
            #expect(error.code == Int(Errno.addressInUse.rawValue))
        }
    }

    @Test(arguments: ["nowhere0", "203.0.113.7"])
    func `an unknown network interface is an unknown host`(interface: String) throws {
        let peers = try Peers()
        do {
            _ = try peers.listen {
                $0.networkInterface = interface
                $0.disableTLS = true
            }
            Issue.record("it listens on \(interface)")
        } catch let error as NSError {
            #expect(error.code == CBLError.unknownHost)
        }
    }

    @Test func `open and active connections are counted`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        let active = Heard<UInt64>()
        let queue = DispatchQueue(label: "test")
        // A short exchange ends long before its client is told that it is busy.
        replicator.addChangeListener(withQueue: queue) { _ in
            active.append(listener.status.activeConnectionCount)
        }
        try peers.here.defaultCollection().put("doc", 1)
        #expect(await replicator.start(until: .idle) != nil)
        #expect(listener.status.connectionCount == 1)
        queue.sync {}
        #expect(active.elements.contains(1))

        let changes = replicator.statusStream
        replicator.stop()
        for await _ in changes {}
        listener.stop()
        #expect(listener.status.activeConnectionCount == 0)
    }

    @Test func `the connection count goes down when a peer disconnects`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        let (first, second) = (Replicator(config: configuration), Replicator(config: configuration))
        #expect(await first.start(until: .idle) != nil)
        #expect(await second.start(until: .idle) != nil)
        #expect(listener.status.connectionCount == 2)

        let changes = first.statusStream
        first.stop()
        for await _ in changes {}
        while listener.status.connectionCount != 1 { await Task.yield() }
        let others = second.statusStream
        second.stop()
        for await _ in others {}
        while listener.status.connectionCount != 0 { await Task.yield() }
    }

    @Test func `stopping a listener stops its clients with 11001`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        let changes = replicator.statusStream
        listener.stop()
        var last: Replicator.Status?
        for await status in changes { last = status }
        #expect((last?.error as NSError?)?.code == CBLError.webSocketGoingAway)
    }

    @Test func `stopping a listener for a restart keeps its clients retrying`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        let port = listener.port
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.continuous = true
        configuration.maxAttemptWaitTime = 0.05
        let replicator = Replicator(config: configuration)
        #expect(await replicator.start(until: .idle) != nil)

        let changes = replicator.statusStream
        listener.stopForRestart()
        for await status in changes where status.activity == .offline { break }
        let next = try peers.listen {
            $0.disableTLS = true
            $0.port = port
        }
        defer { next.stop() }
        for await status in replicator.statusStream where status.activity == .idle { break }
        #expect(replicator.status.error == nil)
        replicator.stop()
    }

    @Test func `the port is free as soon as the listener has stopped`() throws {
        let peers = try Peers()
        let first = try peers.listen { $0.disableTLS = true }
        let port = first.port
        first.stop()
        for _ in 0..<20 {
            let next = try peers.listen {
                $0.disableTLS = true
                $0.port = port
            }
            next.stop()
        }
    }

    @Test func `closing the database stops its listener`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        try peers.there.close()
        #expect(listener.port == nil)
    }

    @Test func `an unknown database is 10404`() async throws {
        let peers = try Peers()
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let target = try listener.endpoint(database: "elsewhere")
        let replicator = Replicator(config: try peers.configuration(target: target))
        #expect(await replicator.finalCode() == CBLError.httpNotFound)
    }

    @Test func `a collection that is not shared is 10404`() async throws {
        let peers = try Peers()
        let rooms = try peers.here.createCollection(name: "rooms")
        _ = try peers.there.createCollection(name: "rooms")
        let listener = try peers.listen { $0.disableTLS = true }
        defer { listener.stop() }
        let configuration = try peers.configuration(
            target: listener.endpoint(),
            collections: [rooms]
        )
        #expect(await Replicator(config: configuration).finalCode() == CBLError.httpNotFound)
    }

    @Test func `a read-only listener refuses pushes and accepts pulls`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("here", 1)
        try peers.there.defaultCollection().put("there", 1)
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.readOnly = true
        }
        defer { listener.stop() }
        let push = try peers.configuration(.push, target: listener.endpoint())
        #expect(await Replicator(config: push).finalCode() == CBLError.httpForbidden)
        #expect(try peers.there.defaultCollection().value("here") == nil)

        let pull = try peers.configuration(.pull, target: listener.endpoint())
        try await Replicator(config: pull).run()
        #expect(try peers.here.defaultCollection().value("there") == 1)
    }

    @Test(arguments: ["a/b", "100% späte Ernte?#;", "a:b"])
    func `a listener's URL works for any database name`(
        _ name: String
    )
        async throws
    {
        let peers = try Peers()
        let database = try Database(name: name, config: peers.here.config)
        defer { try? database.close() }
        try database.defaultCollection().put("theirs", 1)
        let listener = try peers.listen(collections: [database.defaultCollection()]) {
            $0.disableTLS = true
        }
        defer { listener.stop() }
        let endpoint = URLEndpoint(url: try #require(listener.urls?.first))
        try await Replicator(config: peers.configuration(target: endpoint)).run()
        #expect(try peers.here.defaultCollection().value("theirs") == 1)
    }

    @Test func `deltas are sent if the listener allows them`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        let (listener, replicator) = try await peers.syncLongDocument(from: peers.here)
        defer { listener.stop() }
        let before = listener.statistics.receivedByteCount

        try here.put("a", 7)
        try await replicator.run()
        #expect(try peers.there.defaultCollection().value("a") == 7)
        #expect(listener.statistics.receivedByteCount - before < 2_000)
    }

    /// The listener does not record what a client has; it keeps old bodies instead.
    @Test(arguments: [1, 3, 4])
    func `a client that is at most two updates behind pulls a delta`(
        updates: Int
    ) async throws {
        let peers = try Peers()
        let there = try peers.there.defaultCollection()
        let (listener, replicator) = try await peers.syncLongDocument(from: peers.there)
        defer { listener.stop() }
        for update in 1...updates { try there.put("a", update) }
        try await replicator.run()
        #expect(try peers.here.defaultCollection().value("a") == updates)
        #expect(listener.statistics.sentDeltas.count == (updates <= 3 ? 1 : 0))
    }

    @Test(arguments: [1, 6])
    func `an edit made while no listener was running is pulled as a delta`(
        updates: Int
    ) async throws {
        let peers = try Peers()
        let there = try peers.there.defaultCollection()
        let (first, _) = try await peers.syncLongDocument(from: peers.there)
        first.stop()
        for update in 1...updates { try there.put("a", update) }
        let listener = try peers.listen {
            $0.disableTLS = true
            $0.enableDeltaSync = true
        }
        defer { listener.stop() }
        try await Replicator(config: peers.configuration(target: listener.endpoint())).run()
        #expect(try peers.here.defaultCollection().value("a") == updates)
        #expect(listener.statistics.sentDeltas.count == 1)
        #expect(listener.statistics.sentDeltas.byteCount < 200)
    }
}
