import Divan
import DivanTransport
import Foundation
import Testing

/// Starting and stopping listeners, their clients, and what clients can access.
@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    @Test func `a listener has a port and URLs until it is stopped`() async throws {
        let listener = try await peers.listen()
        let port = try #require(listener.port)
        #expect(listener.localURL?.absoluteString == "ws://127.0.0.1:\(port)/there")
        #expect(listener.urls.contains(try #require(listener.localURL)))
        #expect(listener.status.isListening)
        await listener.stop()
        #expect(listener.port == nil && listener.urls.isEmpty && listener.localURL == nil)
        #expect(!listener.status.isListening)
        await listener.stop()
    }

    @Test func `stopping ends the connections, and clients stop`() async throws {
        let listener = try await peers.listen()
        let sync = try peers.sync(listener)
        let run = sync.start()
        for await status in run where status.isIdle { break }
        #expect(listener.connections.count == 1)
        await listener.stop()
        #expect(listener.connections.isEmpty)
        let last = await run.reduce(nil) { $1 as Sync.Status? }
        #expect(last?.activity == .stopped && last?.error?.code == .unreachable)
    }

    @Test func `the status changes when a client connects and disconnects, and then ends`()
        async throws
    {
        let listener = try await peers.listen()
        var statuses = listener.statuses.makeAsyncIterator()
        #expect(await statuses.next()?.connectionCount == 0)
        let sync = try peers.sync(listener)
        sync.start()
        while let status = await statuses.next(), status.connectionCount != 1 {}
        await sync.stop()
        while let status = await statuses.next(), status.connectionCount != 0 {}
        await listener.stop()
        while let status = await statuses.next() { #expect(status.connectionCount == 0) }
        #expect(
            await listener.statuses.reduce(into: [Listener.Status]()) { $0.append($1) }.count == 1
        )
    }

    @Test func `a connection shows its client and traffic, and can be closed`() async throws {
        let listener = try await peers.listen(users: .passwords(["anna": "secret"]))
        try await peers.notes.save(Document(id: "a"))
        let sync = try peers.sync(listener, credentials: .password("anna", "secret"))
        let run = sync.start()
        for await status in run where status.isIdle { break }
        let connection = try #require(listener.connections.first)
        #expect(connection.client.user == "anna" && connection.client.address == "127.0.0.1")
        #expect(!connection.client.isSecure && connection.client.certificates.isEmpty)
        #expect(connection.connectionID == sync.connectionID)
        #expect(connection.statistics.receivedCount == 1)
        #expect(listener.statistics?.receivedCount == 1)
        listener.disconnect(connection)
        let last = await run.reduce(nil) { $1 as Sync.Status? }
        #expect(last?.activity == .stopped)
        await listener.stop()
    }

    @Test func `a port in use is busy, and the error says so`() async throws {
        let listener = try await peers.listen()
        let port = try #require(listener.port)
        var options = Listener.Options()
        options.networkInterface = "127.0.0.1"
        options.usesTLS = false
        let error = await #expect(throws: DivanError.self) {
            _ = try await Listener.start(sharing: peers.here, port: port, options: options)
        }
        #expect(error?.code == .busy && error?.canRetry == true)
        #expect("\(error as Any)".contains("\(port)"))
        await listener.stop()
    }

    @Test func `the plain form of start blocks until the port is open`() throws {
        var options = Listener.Options()
        options.networkInterface = "127.0.0.1"
        let listener = try Listener.start(
            sharing: peers.there,
            identity: try TestIdentities.selfSigned.get(),
            options: options
        )
        #expect(listener.port != nil)
        listener.stop()
    }

    @Test func `closing the database stops the listener`() async throws {
        let listener = try await peers.listen()
        let statuses = listener.statuses
        try await peers.there.close()
        #expect(listener.port == nil)
        #expect(await statuses.reduce(nil) { $1 as Listener.Status? }?.isListening == false)
        let error = await #expect(throws: DivanError.self) { _ = try await peers.listen() }
        #expect(error?.code == .notOpen)
    }

    @Test func `clients of a read-only listener can only pull`() async throws {
        let listener = try await peers.listen(isReadOnly: true)
        try await peers.theirNotes.save(Document(id: "theirs"))
        try await peers.sync(listener, direction: .pull).run()
        #expect(try await peers.notes.get("theirs") != nil)
        try await peers.notes.save(Document(id: "mine"))
        let error = await failure(of: try peers.sync(listener, direction: .push))
        #expect(error?.code == .forbidden)
        #expect(try await peers.theirNotes.get("mine") == nil)
        await listener.stop()
    }

    @Test func `access depends on the user`() async throws {
        let listener = try await peers.listen(
            users: .passwords { _, _ in true },
            access: { client in
                await Task.yield()
                switch client.user {
                case "boss": return .full
                case "guest": return .readOnly
                case "carl": return .refused("not on Sundays")
                case let user:
                    return .documents(where: "owner = $user", ["user": .init(user ?? "")])
                }
            }
        )
        for owner in ["anna", "bob"] {
            try await peers.theirNotes.save(Document(id: "of-\(owner)", ["owner": .init(owner)]))
        }
        try await peers.sync(listener, credentials: .password("anna", "")).run()
        #expect(try await peers.notes.get("of-anna") != nil)
        #expect(try await peers.notes.get("of-bob") == nil)

        let carl = await failure(of: try peers.sync(listener, credentials: .password("carl", "")))
        #expect(carl?.code == .forbidden)
        #expect("\(carl as Any)".contains("not on Sundays"))

        try await peers.notes.save(Document(id: "new", ["owner": "bob"]))
        let summary = try await peers.sync(listener, credentials: .password("anna", "")).run()
        #expect(summary.failures.first?.error?.code == .forbidden)
        try await peers.sync(listener, credentials: .password("boss", "")).run(
            retryingRefused: true
        )
        #expect(try await peers.theirNotes.get("new") != nil)
        await listener.stop()
    }

    @Test func `outdated rights end a connection, which is checked again`() async throws {
        let isOutdated = Collected<Bool>()
        let listener = try await peers.listen(
            access: { _ in
                var access = Listener.Access.readOnly
                let count = isOutdated.elements.count
                access.isCurrent = { isOutdated.elements.count == count }
                return access
            }
        )
        let sync = try peers.sync(listener, direction: .pull) { $0.maxAttempts = nil }
        let run = sync.start()
        for await status in run where status.isIdle { break }
        let first = listener.connections.first?.connectionID
        isOutdated.append(true)
        listener.recheckAccess()
        for await status in run where status.activity == .offline { break }
        for await status in run where status.isIdle { break }
        #expect(listener.connections.first?.connectionID != first)
        await sync.stop()
        await listener.stop()
    }

    @Test func `each refused request is reported`() async throws {
        let refusals = Collected<Listener.Refusal>()
        let listener = try await peers.listen(
            users: .passwords(["anna": "secret"]),
            options: { $0.onRefusal = { refusals.append($0) } }
        )
        _ = await failure(of: try peers.sync(listener, credentials: .password("anna", "wrong")))
        let refusal = try #require(refusals.elements.last)
        #expect(refusal.status == 401 && refusal.claimedUser == "anna")
        #expect(refusal.hadCredentials && refusal.address == "127.0.0.1")
        #expect((listener.statistics?.refusalCounts[401] ?? 0) > 0)
        await listener.stop()
    }

    @Test func `an advertised listener is found, and synced with by its name`() async throws {
        let name = "kitchen-\(UUID().uuidString.prefix(8))"
        let listener = try await peers.listen(
            options: {
                $0.advertisedName = name
                $0.discovery = .process
                $0.advertisedAttributes = ["room": "2"]
            }
        )
        var nearby = Discovery.process.peers.makeAsyncIterator()
        while let found = try await nearby.next() {
            guard let peer = found.first(where: { $0.name == name }) else { continue }
            #expect(peer.database == "there" && peer.port == listener.port)
            #expect(peer.attributes["room"] == "2" && peer.url?.scheme == "ws")
            break
        }
        try await peers.notes.save(Document(id: "a"))
        try await Sync(peers.here, with: .nearby(name, through: .process)).run()
        #expect(try await peers.theirNotes.get("a") != nil)
        await listener.stop()
        while let found = try await nearby.next(), found.contains(where: { $0.name == name }) {}
    }

    @Test func `nothing is found without discovery`() async throws {
        await #expect(throws: DivanError.self) {
            for try await _ in Discovery.none.peers {}
        }
        let error = await failure(of: Sync(peers.here, with: .nearby("a", through: .none)))
        #expect(error?.code == .invalidArgument && error?.remedy != nil)
    }

    @Test func `a listener without a port serves transports of the application`() async throws {
        let listener = try await Listener.start(sharing: peers.there, port: nil)
        #expect(listener.port == nil && listener.statistics == nil)
        try await peers.notes.save(Document(id: "a"))
        let target = Sync.Target.transport(id: "cable") { loop, _ in
            let pair = InProcessPair(subprotocol: nil, firstLoop: loop)
            try listener.accept(pair.second)
            return pair.first
        }
        try await Sync(peers.here, with: target).run()
        #expect(try await peers.theirNotes.get("a") != nil)
        await listener.stop()
        let pair = InProcessPair(subprotocol: nil)
        let error = #expect(throws: DivanError.self) { try listener.accept(pair.second) }
        #expect(error?.code == .notOpen && error?.remedy != nil)
    }
}
