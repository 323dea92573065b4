import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// The functions of the guides to Sync Gateway, hubs, logs and metrics do what these pages say.
@Suite struct NetworkGuideTests {
    private func collection(_ name: String) throws -> Collection {
        try Database.inMemory(name: "shop").createCollection(name: name)
    }

    private func listening(to collection: Collection) -> URLEndpointListenerConfiguration {
        var config = URLEndpointListenerConfiguration(collections: [collection])
        config.networkInterface = "127.0.0.1"
        config.disableTLS = true
        return config
    }

    private func sync(_ collection: Collection, with target: any Endpoint) async throws {
        let collections = [CollectionConfiguration(collection: collection)]
        let config = ReplicatorConfiguration(collections: collections, target: target)
        try await Replicator(config: config).run()
    }

    // MARK: Sync Gateway

    @Test func `a session is sent as a cookie, and a refusal becomes a readable message`()
        async throws
    {
        let server = try HandshakeServer(answers: [
            HandshakeServer.answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"notes\"")
        ])
        let replicator = try replicator(
            of: try collection("notes"),
            with: "ws://127.0.0.1:\(server.port)/notes",
            login: try #require(logins(session: "a1b2").last)
        )
        let error = await #expect(throws: NSError.self) { try await replicator.run() }
        #expect(error.map { advice(for: $0) } == "Sign in again.")
        #expect(server.field("Cookie") == "SyncGatewaySession=a1b2")
    }

    @Test func `a password is sent, and a forbidden document is reported`() async throws {
        let (here, there) = (try collection("notes"), try collection("notes"))
        var configuration = listening(to: there)
        configuration.authenticator = ListenerPasswordAuthenticator {
            $0 == "anna" && $1 == "open sesame"
        }
        configuration.access = { _ in
            var access = ListenerAccess()
            access.writeFilter = { document, _ in document.id != "secret" }
            return access
        }
        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        defer { listener.stop() }
        try here.save(document: MutableDocument(id: "secret"))
        let url = try #require(listener.urls?.first).absoluteString
        let login = try #require(logins(session: "").first)
        let replicator = try replicator(of: here, with: url, login: login)
        var told: [String] = []
        let events = replicator.documentReplicationStream
        async let running: Void = replicator.run()
        await reportRefusals(among: events) { line in
            told.append(line)
            replicator.stop()
        }
        try await running
        #expect(told == ["secret: You may not do that here."])
    }

    // MARK: Hubs

    @Test func `a hub passes changes between a device and the office`() async throws {
        let (office, middle) = (try collection("orders"), try collection("orders"))
        let device = try collection("orders")
        let top = URLEndpointListener(config: listening(to: office))
        try top.start()
        defer { top.stop() }
        let hub = Hub(
            listenerConfiguration: listening(to: middle),
            office: URLEndpoint(url: try #require(top.urls?.first))
        )
        let url = try #require(try hub.open().first)
        let (up, down) = (office.changes(), middle.changes())

        try device.save(document: MutableDocument(id: "table-4"))
        try await sync(device, with: URLEndpoint(url: url))
        for await change in up where change.documentIDs.contains("table-4") { break }

        try office.save(document: MutableDocument(id: "closing-time"))
        for await change in down where change.documentIDs.contains("closing-time") { break }
        try await sync(device, with: URLEndpoint(url: url))
        #expect(try device.documentIDs() == ["closing-time", "table-4"])
        hub.close()
    }

    // MARK: Logs and metrics

    @Test(arguments: [
        (LogLevel.debug, "trace"), (.verbose, "debug"), (.info, "info"), (.warning, "warning"),
        (.error, "error"),
    ])
    func `a message is passed to the logger with its level and domain`(
        _ level: LogLevel,
        _ expected: String
    ) {
        let lines = Mutex<[String]>([])
        let bridge = LogBridge(
            logger: Logging.Logger { line in lines.withLock { $0.append(line) } }
        )
        bridge.writeLog(level: level, domain: .replicator, message: "connected")
        #expect(lines.withLock { $0 } == ["\(expected) Divan replicator: connected"])
    }

    @Test func `metrics are exported as gauges`() async throws {
        let (here, there) = (try collection("orders"), try collection("orders"))
        let listener = URLEndpointListener(config: listening(to: there))
        try listener.start()
        defer { listener.stop() }
        try here.save(document: MutableDocument(id: "table-4"))
        let target = URLEndpoint(url: try #require(listener.urls?.first))
        let entries = [CollectionConfiguration(collection: here)]
        let config = ReplicatorConfiguration(collections: entries, target: target)
        let replicator = Replicator(config: config)
        try await replicator.run()
        record(listener, as: "gauges")
        record(replicator, as: "gauges")
        let recorded = Gauge.recorded.withLock { $0 }
        #expect(recorded["divan_received_documents{database=gauges}"] == 1)
        #expect(recorded["divan_replicator_pushed_documents{database=gauges}"] == 1)
        #expect(recorded["divan_replicator_errors{database=gauges}"] == 0)
    }
}
