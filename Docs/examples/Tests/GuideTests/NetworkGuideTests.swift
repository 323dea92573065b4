import Divan
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// The functions of the guides to Sync Gateway, logs and metrics do what these pages say.
@Suite struct NetworkGuideTests {
    private func collection(_ name: String) throws -> DocumentCollection {
        try Database.inMemory(name: "shop").collection(name)
    }

    // MARK: Sync Gateway

    @Test func `a session is sent as a cookie, and a refusal becomes a readable message`()
        async throws
    {
        let server = try HandshakeServer(answers: [
            HandshakeServer.answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"notes\"")
        ])
        let notes = sync(
            try collection("notes"),
            with: "ws://127.0.0.1:\(server.port)/notes",
            login: try #require(logins(session: "a1b2").last)
        )
        let error = await #expect(throws: DivanError.self) { try await notes.run() }
        #expect(error.map { advice(for: $0) } == "Sign in again.")
        #expect(server.field("Cookie") == "SyncGatewaySession=a1b2")
    }

    @Test func `a password is sent, and a forbidden document is reported`() async throws {
        let (here, there) = (try collection("notes"), try collection("notes"))
        let listener = try await Listener.start(
            sharing: there.database,
            users: .passwords(["anna": "open sesame"]),
            access: { _ in .init(writes: .where { $0.id != "secret" }) },
            options: .local
        )
        try await here.save(Document(id: "secret"))
        let url = try #require(listener.localURL).absoluteString
        let notes = sync(here, with: url, login: try #require(logins(session: "").first))
        let summary = try await notes.run()
        let refusals = summary.failures.map { ($0.id, $0.error.map { advice(for: $0) }) }
        #expect(refusals.map(\.0) == ["secret"])
        #expect(refusals.map(\.1) == ["You may not do that here."])
        await listener.stop()
    }

    // MARK: Blobs

    @Test func `a picture is skipped by a pull, and fetched when it is shown`() async throws {
        let (here, there) = (try collection("photos"), try collection("photos"))
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        var photo = Document(id: "rome")
        photo.picture = Blob(bytes, type: "image/jpeg").documentValue
        try await there.save(photo)
        let listener = try await Listener.start(sharing: there.database, options: .local)
        let url = try #require(listener.localURL)
        let sync = try await pullWithoutPictures(here.database, from: url)
        let pulled = try #require(try await here.get("rome"))
        #expect(pulled.picture?.blob?.isHere == false)
        var shown: Data?
        try await show(pulled, sync) { shown = $0 }
        #expect(shown == bytes)
        await listener.stop()
    }

    // MARK: Logs and metrics

    @Test func `levels and entries are passed to the logger`() async throws {
        let levels = Log.Level.allCases.map { Logging.Logger.Level($0).rawValue }
        #expect(levels == ["trace", "debug", "info", "warning", "error"])

        let lines = Mutex<[String]>([])
        let console = Log.consoleLevel
        sendLogs(to: Logging.Logger { line in lines.withLock { $0.append(line) } })
        defer {
            Log.consoleLevel = console
            Log.sink = nil
        }
        let (here, there) = (try collection("orders"), try collection("orders"))
        try await Sync(here.database, with: there.database).run()
        let seen = lines.withLock { $0 }
        #expect(seen.contains { $0.hasPrefix("info Divan Sync: ") }, "\(seen)")
    }

    @Test func `metrics are exported as gauges`() async throws {
        let (here, there) = (try collection("orders"), try collection("orders"))
        let listener = try await Listener.start(sharing: there.database, options: .local)
        try await here.save(Document(id: "table-4"))
        let sync = Sync(here.database, with: try #require(listener.localURL))
        try await sync.run()
        record(listener, as: "gauges")
        record(sync, as: "gauges")
        let recorded = Gauge.recorded.withLock { $0 }
        #expect(recorded["divan_received_documents{database=gauges}"] == 1)
        #expect(recorded["divan_replicator_pushed_documents{database=gauges}"] == 1)
        #expect(recorded["divan_replicator_errors{database=gauges}"] == 0)
        await listener.stop()
    }
}
