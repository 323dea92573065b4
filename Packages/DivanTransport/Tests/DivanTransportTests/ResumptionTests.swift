import DivanTLS
import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// A connection resumes the TLS session of the previous one, if that changes no verdict.
@Suite(.timeLimit(.minutes(5))) struct ResumptionTests {
    /// Connects, waits for an echo, which arrives after the server's ticket, and closes.
    func visit(
        _ port: UInt16,
        _ tls: TLSContext,
        keeping cache: TLSResumptionCache?
    ) async throws -> TransportPeer {
        let configuration = WebSocketClientTransport.Configuration(
            endpoint: WebSocketEndpoint(
                isSecure: true,
                host: "127.0.0.1",
                port: port,
                target: "/db"
            ),
            subprotocols: ["A"],
            tls: tls,
            resumptions: cache
        )
        let transport = WebSocketClientTransport(configuration, log: quiet)
        let recorder = Recorder(onOpen: { transport.send([1, 2, 3]) })
        transport.start(recorder)
        await recorder.wait { $0.messageCount == 1 || $0.close != nil }
        transport.close(code: 1000, reason: "")
        let events = await recorder.end()
        if let error = events.error { throw error }
        return try #require(events.peer)
    }

    @Test func `the second connection resumes the session of the first`() async throws {
        let tls = try TestTLS(resumes: true)
        let server = try TestServer(tls: tls.server)
        let cache = TLSResumptionCache()
        let first = try await visit(server.port, tls.client, keeping: cache)
        let second = try await visit(server.port, tls.client, keeping: cache)
        let third = try await visit(server.port, tls.client, keeping: cache)
        #expect([first.isResumed, second.isResumed, third.isResumed] == [false, true, true])
        #expect(second.certificates == [tls.credential.leaf])
        #expect(server.connections.all.map(\.transport.peer.isResumed) == [false, true, true])
    }

    @Test func `every handshake is full without a cache or if resumption is off`() async throws {
        let tls = try TestTLS(resumes: true)
        let server = try TestServer(tls: tls.server)
        for _ in 0..<2 {
            #expect(try await visit(server.port, tls.client, keeping: nil).isResumed == false)
        }
        let trust = ServerTrust.pinned(tls.credential.leaf)
        let plain = try TLSContext.client(ClientTLSConfiguration(serverTrust: trust))
        let cache = TLSResumptionCache()
        for _ in 0..<2 {
            #expect(try await visit(server.port, plain, keeping: cache).isResumed == false)
        }
        #expect(cache.count == 0)
    }

    @Test func `another configuration verifies the server itself`() async throws {
        let tls = try TestTLS(resumes: true)
        let server = try TestServer(tls: tls.server)
        let cache = TLSResumptionCache()
        _ = try await visit(server.port, tls.client, keeping: cache)
        let other = try TestTLS(resumes: true)  // pins another certificate
        await #expect(throws: TransportError.self) {
            try await visit(server.port, other.client, keeping: cache)
        }
        #expect(try await visit(server.port, tls.client, keeping: cache).isResumed)
    }

    @Test func `a callback is called for each connection`() async throws {
        let tls = try TestTLS(resumes: true)
        let server = try TestServer(tls: tls.server)
        final class Asked: Sendable { let count = Atomic(0) }
        let asked = Asked()
        let trust = ServerTrust.callback { _ in
            asked.count.wrappingAdd(1, ordering: .relaxed)
            return true
        }
        let configuration = ClientTLSConfiguration(serverTrust: trust, resumesSessions: true)
        let context = try TLSContext.client(configuration)
        let cache = TLSResumptionCache()
        for _ in 0..<3 { _ = try await visit(server.port, context, keeping: cache) }
        #expect(asked.count.load(ordering: .relaxed) == 3)
    }

    @Test func `a restarted server gets a full handshake`() async throws {
        let tls = try TestTLS(resumes: true)
        let cache = TLSResumptionCache()
        let first = try TestServer(tls: tls.server)
        _ = try await visit(first.port, tls.client, keeping: cache)
        await first.stop()
        let restarted = try TLSContext.server(
            ServerTLSConfiguration(credential: tls.credential, resumesSessions: true)
        )
        let second = try TestServer(tls: restarted, port: first.port)
        let peer = try await visit(second.port, tls.client, keeping: cache)
        #expect(!peer.isResumed)
        #expect(peer.certificates == [tls.credential.leaf])
    }
}
