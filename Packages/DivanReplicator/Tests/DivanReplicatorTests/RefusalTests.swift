import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Permanent refusals stay listed, with the reason, until the document changes or is sent again.
@Suite struct RefusalTests {
    private let options = Conversation.Options(pulls: false)
    private let site: Site

    init() throws {
        site = try Site()
        try site.save("a", "{}")
    }

    private func listed(_ site: Site? = nil) throws -> [Refusal] {
        let store = (site ?? self.site).store
        let remote = try store.remoteID(for: options.remoteIdentity)
        return try store.read { try $0.refusals(in: .default, at: remote) }
    }

    /// A run in which the peer refuses document `a`; returns the saved checkpoint.
    @discardableResult
    private func refuse(_ code: Int = 404) throws -> Counterpart {
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", code)
        if code == 403 { try server.refuse("rev", "HTTP", code) }
        try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(server.closeCode == 1000)
        return server
    }

    /// The next run, which continues from the checkpoint of the first.
    private func nextRun(
        _ change: (inout Conversation.Options) -> Void = { _ in }
    ) throws
        -> Counterpart
    {
        var options = options
        change(&options)
        var server = Counterpart(options.active, site)
        try server.answer("getCollections", #"[{"local":1,"rev":"0-1"}]"#)
        return server
    }

    private func proposals(_ server: Counterpart) throws -> String {
        String(decoding: try server.next("proposeChanges").body, as: UTF8.self)
    }

    /// Sync Gateway's answer when its own database does not respond in time.
    @Test(arguments: [500, 503])
    func `a proposal that the peer could not check is reported and repeated in the next run`(
        code: Int
    ) throws {
        try site.save("b", "{}")
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[\(code)]")
        try server.answer("rev")
        #expect(server.events.map(\.error?.code) == [code, nil])
        let checkpoint = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(server.closeCode == 1000)
        #expect(try listed() == [])
        server = Counterpart(options.active, site)
        let saved = String(decoding: checkpoint.body, as: UTF8.self).dropLast()
        try server.answer("getCollections", #"[\#(saved),"rev":"0-1"}]"#)
        #expect(try proposals(server).hasPrefix(#"[["a","#))
        #expect(try !proposals(server).contains(#""b""#))
    }

    /// A full disk refuses everything in one transaction, and no document in it is at fault.
    @Test(arguments: [("SQLite", 13), ("LiteCore", 12), ("LiteCore", 16), ("POSIX", 28)])
    func `a revision that failed because of the peer's disk is offered again`(
        domain: String,
        code: Int
    ) throws {
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", domain, code)
        #expect(server.events.map(\.error?.code) == [code])
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
        #expect(try listed() == [])
    }

    @Test(arguments: [403, 404, 500])
    func `a refused revision is listed and not sent in the next run`(code: Int) throws {
        try refuse(code)
        let refusal = try #require(try listed().first)
        #expect(refusal.documentID == "a" && refusal.sequence == 1)
        #expect(refusal.time == 1_700_000_000)
        let error = SyncError(refusal)
        #expect(error.domain == .webSocket && error.code == code && error.message == "no")
        #expect(try proposals(nextRun()) == "[]")
        #expect(try listed() == [refusal])
    }

    @Test func `a refused proposal is listed`() throws {
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[413]")
        #expect(server.events.map(\.error?.code) == [413])
        #expect(try listed().map(\.code) == [413])
    }

    @Test func `a body above the size limit is listed`() throws {
        var options = options
        options.limits.documentByteCount = 20
        try site.save("a", #"{"text":"more than twenty bytes"}"#)
        let server = try Counterpart.server(site, options)
        #expect(server.events.map(\.error?.code) == [413])
        #expect(try listed().map(\.code) == [413])
    }

    /// Sync Gateway, which accepts blobs only in addition to the body.
    @Test func `a body that exceeds the size limit with its list of blobs is listed`() throws {
        var options = options
        options.limits.documentByteCount = 200
        let site = try Site()
        try site.saveBlob("a", [1, 2, 3])
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        #expect(server.events.map(\.error?.code) == [413])
        #expect(try listed(site).map(\.code) == [413])
    }

    @Test func `a conflict found by a push is listed`() throws {
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", #"[{"status":409,"rev":"1-ff"}]"#)
        #expect(server.events.map(\.error?.code) == [409])
        #expect(try listed().map(\.code) == [409])
    }

    @Test func `a conflict resolved by the pull is no longer listed`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"n":1}"#)
        try there.save("a", #"{"n":2}"#)
        let push = Conversation.oneShot(options, here, there)
        #expect(push.failures.map(\.error?.code) == [409])
        #expect(try listed(here).map(\.code) == [409])
        _ = Conversation.oneShot(.init(), here, there)
        #expect(try listed(here).isEmpty)
    }

    @Test func `a document with a temporary error is pending, not refused`() throws {
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 502)
        #expect(try listed().isEmpty)
    }

    @Test func `a changed document is pushed and no longer listed`() throws {
        try refuse()
        try site.save("a", #"{"n":1}"#)
        #expect(try listed().isEmpty)
        var server = try nextRun()
        #expect(try proposals(server).contains(#""a""#))
        try server.answer("proposeChanges", "[]")
        try server.answer("rev")
        #expect(try listed().isEmpty)
    }

    @Test func `a purged document is no longer listed`() throws {
        try refuse()
        _ = try site.store.write { try $0.purge("a", in: .default) }
        #expect(try listed().isEmpty)
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        #expect(try site.store.read { try $0.hasRefusals(in: .default, at: remote) })
        _ = try nextRun()
        #expect(try site.store.read { try !$0.hasRefusals(in: .default, at: remote) })
    }

    @Test func `a retry pushes only refused documents`() throws {
        try site.save("b", "{}")
        var first = try Counterpart.server(site, options)
        try first.answer("proposeChanges", "[403,304]")
        try first.answer("setCheckpoint", "", ["rev": "0-1"])
        var options = options
        options.retriesRefused = true
        var server = Counterpart(options.active, site)
        try server.answer("getCollections", #"[{"local":2,"rev":"0-1"}]"#)
        #expect(try proposals(server).contains(#""a""#) && !proposals(server).contains(#""b""#))
        // A run that is interrupted here loses nothing.
        #expect(try listed().map(\.documentID) == ["a"])
        try server.answer("proposeChanges", "[]")
        try server.answer("rev")
        #expect(try listed().isEmpty)
    }

    @Test func `a retry that is refused again stores the new reason`() throws {
        try refuse(404)
        var server = try nextRun { $0.retriesRefused = true }
        try server.answer("proposeChanges", "[413]")
        #expect(try listed().map(\.code) == [413])
    }

    @Test func `a reset sends refused documents again`() throws {
        try refuse()
        var server = try nextRun { $0.isReset = true }
        #expect(try proposals(server).contains(#""a""#))
        try server.answer("proposeChanges", "[304]")
        #expect(try listed().isEmpty)
    }

    @Test func `a forbidden revision is retried after all others`() throws {
        try site.save("b", "{}")
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 403)
        #expect(server.requests.map { $0.properties["id"] } == ["b"])
        try server.answer("rev")
        #expect(server.requests.map { $0.properties["id"] } == ["a"])
    }

    @Test func `forbidden revisions above the limit are retried at once`() throws {
        var options = options
        options.limits.forbiddenRevisionsCount = 1
        try site.save("b", "{}")
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        #expect(try server.refuse("rev", "HTTP", 403).properties["id"] == "a")
        // The answer about `b` is still outstanding.
        #expect(server.requests.map { $0.properties["id"] } == ["b", "a"])
    }

    private struct NoKey: Error, CustomStringConvertible {
        var description: String { "/home/ada/keys/pin: no such file" }
    }

    @Test func `a peer does not get the reason for a decryption error`() throws {
        var configuration = Conversation.Options(pushes: false).active
        guard case .active(var active) = configuration.role else { return }
        active.fields.opening = { _, _ in throw NoKey() }
        configuration.role = .active(active)
        var server = Counterpart(configuration, try Site())
        try server.answer("getCollections", "[{}]")
        try server.answer("subChanges")
        let reply = server.ask(
            "rev",
            ["collection": "0", "id": "x", "rev": "1-aa", "sequence": "1"],
            #"{"encrypted$pin":{"alg":"A","ciphertext":"AAAA"}}"#
        )
        let error = try #require(reply?.error)
        #expect(!error.message.contains("/home/ada"), "\(error.message)")
        let events = server.events.compactMap { $0.error?.message }
        #expect(events.contains { $0.contains("/home/ada/keys/pin") })
    }
}
