import DivanTLS
import Foundation
import Testing

/// A session is resumed only if a full handshake would have ended in the same way.
@Suite struct ResumptionCacheTests {
    let root: TLSCredential
    let server: TLSContext
    let identity: TLSCredential

    init() throws {
        root = try Sample.authority()
        identity = try Sample.server(issuer: root)
        server = try .server(ServerTLSConfiguration(credential: identity, resumesSessions: true))
    }

    func client(_ trust: ServerTrust) throws -> TLSContext {
        try .client(ClientTLSConfiguration(serverTrust: trust, resumesSessions: true))
    }

    /// The resumption that a finished session provides.
    func resumption(_ client: TLSContext) throws -> TLSResumption {
        let pair = try SessionPair(client: client, server: server)
        pair.run()
        try pair.server.send("pong")
        pair.run()
        return try #require(pair.client.resumption)
    }

    @Test func `returns a value once, and only for its context, host and port`() throws {
        let (one, other) = (try client(.roots([root.leaf])), try client(.roots([root.leaf])))
        let cache = TLSResumptionCache()
        cache.keep(try resumption(one), for: one, host: "localhost", port: 4984)
        #expect(cache.take(for: other, host: "localhost", port: 4984) == nil)
        #expect(cache.take(for: one, host: "example.com", port: 4984) == nil)
        #expect(cache.take(for: one, host: "localhost", port: 4985) == nil)
        let taken = try #require(cache.take(for: one, host: "localhost", port: 4984))
        let pair = try SessionPair(client: one, server: server, resuming: taken)
        pair.run()
        #expect(pair.client.isResumed)
        #expect(pair.client.peerCertificates.first == identity.leaf)
        #expect(cache.take(for: one, host: "localhost", port: 4984) == nil)
    }

    @Test func `refuses a value of another context`() throws {
        let (one, other) = (try client(.pinned(identity.leaf)), try client(.selfSignedOnly))
        let cache = TLSResumptionCache()
        cache.keep(try resumption(one), for: other, host: "localhost", port: 1)
        #expect(cache.count == 0)
    }

    @Test func `nothing is cached if a callback verifies the server`() throws {
        let context = try client(.callback { _ in true })
        let cache = TLSResumptionCache()
        cache.keep(try resumption(context), for: context, host: "localhost", port: 1)
        #expect(cache.count == 0)
    }

    @Test func `a root is trusted while its certificate is valid, a pin forever`() throws {
        let later = Date() + 400 * 86_400
        for (trust, lasts) in [
            (ServerTrust.roots([root.leaf]), false), (.pinned(identity.leaf), true),
        ] {
            let context = try client(trust)
            let cache = TLSResumptionCache()
            cache.keep(try resumption(context), for: context, host: "localhost", port: 1)
            let taken = cache.take(for: context, host: "localhost", port: 1, at: later)
            #expect((taken != nil) == lasts, "\(trust)")
        }
    }

    @Test func `keeps the newest entries up to the limit`() throws {
        let context = try client(.pinned(identity.leaf))
        let cache = TLSResumptionCache(limit: 2)
        let value = try resumption(context)
        for port in [1, 2, 2, 3] as [UInt16] {
            cache.keep(value, for: context, host: "localhost", port: port)
        }
        #expect(cache.count == 2)
        #expect(cache.take(for: context, host: "localhost", port: 1) == nil)
        #expect(cache.take(for: context, host: "localhost", port: 3) != nil)
        cache.removeAll()
        #expect(cache.take(for: context, host: "localhost", port: 2) == nil)
    }
}
