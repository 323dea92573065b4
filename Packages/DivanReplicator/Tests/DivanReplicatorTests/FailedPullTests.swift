import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Documents that could not be pulled stay listed, with the reason, until they arrive or no longer exist at the peer.
@Suite struct FailedPullTests {
    private let (here, there): (Site, Site)
    private let options = Conversation.Options(pushes: false)

    init() throws {
        (here, there) = (try Site(), try Site())
    }

    private func listed() throws -> [Refusal] {
        let remote = try here.store.remoteID(for: options.remoteIdentity)
        return try here.store.read { try $0.failedPulls(in: .default, from: remote) }
    }

    /// A run in which the peer lacks the blob of `photo`.
    private func failingRun() throws {
        let digest = BlobDigest(hashing: Self.blob.span)
        try there.save("photo", Site.blobBody(digest, 3, "image/png"), hasBlobs: true)
        try there.save("short", "{}")
        let run = Conversation.oneShot(options, here, there)
        #expect(run.failures.map(\.error?.code) == [404])
        #expect(run.transfers == ["pull short"])
    }

    private static let blob: [UInt8] = [1, 2, 3]

    /// Restores the blob at the peer.
    private func repair() throws { _ = try there.store.blobs.write(Self.blob) }

    /// A run in which the body of `long` is too large to be accepted.
    private func strictRun() throws {
        try there.save("long", #"{"text":"more than twenty bytes"}"#)
        var strict = options
        strict.limits.announcedByteCount = 20
        let run = Conversation.oneShot(strict, here, there)
        #expect(run.failures.map(\.error?.code) == [413])
    }

    // MARK: Divan peers

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `a Divan peer announces a document that could not be pulled again in each run`(
        isContinuous: Bool,
        pushes: Bool
    ) throws {
        try failingRun()
        let failure = try #require(try listed().first)
        #expect(failure.documentID == "photo" && failure.sequence == 1 && failure.code == 404)
        try repair()
        // Changes that are pulled in between do not matter.
        try there.save("later", "{}")
        var next = options
        (next.isContinuous, next.pushes) = (isContinuous, pushes)
        let run = Conversation.oneShot(next, here, there)
        #expect(run.failures.isEmpty && Set(run.transfers) == ["pull later", "pull photo"])
        #expect(try here.contents() == there.contents())
        #expect(try listed().isEmpty)
        let last = Conversation.oneShot(options, here, there)
        #expect(last.transfers.isEmpty && last.failures.isEmpty)
    }

    @Test func `a document that fails again stays listed and is reported`() throws {
        try failingRun()
        let run = Conversation.oneShot(options, here, there)
        #expect(run.failures.map(\.documentID) == ["photo"])
        #expect(try listed().map(\.documentID) == ["photo"])
    }

    @Test func `a document that exceeds a limit of this peer is pulled again only by a retry`()
        throws
    {
        try strictRun()
        #expect(Conversation.oneShot(options, here, there).activeEvents == [])
        #expect(try listed().map(\.documentID) == ["long"])
        var retry = options
        retry.retriesRefused = true
        #expect(Conversation.oneShot(retry, here, there).transfers == ["pull long"])
        #expect(try listed().isEmpty)
    }

    @Test func `a document that was purged at the peer is forgotten`() throws {
        try failingRun()
        try there.purge("photo")
        _ = Conversation.oneShot(options, here, there)
        #expect(try listed().isEmpty)
    }

    @Test func `a document that another peer sent is not listed`() throws {
        try failingRun()
        var other = options
        other.remoteIdentity = "ws://other:4984/db/_blipsync"
        try repair()
        _ = Conversation.oneShot(other, here, there)
        #expect(try here.body("photo") != nil)
        #expect(try listed().isEmpty)
    }

    @Test func `runs that are limited to other documents keep the list`() throws {
        try failingRun()
        var limited = options
        limited.collections[0].documentIDs = ["short"]
        _ = Conversation.oneShot(limited, here, there)
        #expect(try listed().map(\.documentID) == ["photo"])
        limited.collections[0].documentIDs = ["photo"]
        try repair()
        let run = Conversation.oneShot(limited, here, there)
        #expect(run.transfers == ["pull photo"])
    }

    @Test func `a revision that the filter of this side rejects is not listed`() throws {
        try there.save("a", "{}")
        var filtered = options
        filtered.collections[0].pullFilter = { _ in false }
        let run = Conversation.oneShot(filtered, here, there)
        #expect(run.failures.map(\.error?.code) == [403])
        #expect(try listed().isEmpty)
    }

    @Test func `requests for repeated documents are limited`() throws {
        try failingRun()
        var options = options
        options.limits.repeatedDocumentsByteCount = 3
        let run = Conversation.oneShot(options, here, there)
        #expect(run.transfers.isEmpty)
        #expect(try listed().map(\.documentID) == ["photo"])
    }

    // MARK: Other peers

    private static let zero: BLIPProperties = ["collection": "0"]

    private func revision(_ sequence: String = "5") -> BLIPProperties {
        ["collection": "0", "id": "a", "rev": "1-aa", "sequence": sequence]
    }

    /// A run with a server that cannot send `a`; returns the checkpoint.
    private func refusedRun(_ status: String = "500") throws -> String {
        var server = try Counterpart.server(here, options)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"a","1-aa"],[6,"b","1-bb"]]"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        let why: BLIPProperties = revision().adding("error", status).adding("reason", "broken")
        server.ask("norev", why, isNoReply: true)
        let other: BLIPProperties = ["collection": "0", "id": "b", "rev": "1-bb", "sequence": "6"]
        server.ask("rev", other, "{}")
        let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(server.closeCode == 1000)
        return String(decoding: saved.body, as: UTF8.self).dropLast() + #","rev":"0-1"}"#
    }

    private func nextRun(_ checkpoint: String, retries: Bool = false) throws -> Counterpart {
        var options = options
        options.retriesRefused = retries
        var server = Counterpart(options.active, here)
        try server.answer("getCollections", "[\(checkpoint)]")
        return server
    }

    @Test func `a document that a server cannot send is listed until a retry pulls it`() throws {
        let checkpoint = try refusedRun()
        let failure = try #require(try listed().first)
        #expect(failure.documentID == "a" && failure.sequence == 5 && failure.code == 500)
        #expect(failure.message == "broken" && failure.time == 1_700_000_000)
        var server = try nextRun(checkpoint)
        let request = try server.answer("subChanges")
        #expect(request.properties["since"] == "6" && request.properties["again"] == #"["a"]"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try listed() == [failure], "the server ignored the request")
        var again = try nextRun(checkpoint, retries: true)
        #expect(try again.answer("subChanges").properties["since"] == "4")
        again.ask("changes", Self.zero, #"[[5,"a","1-aa"],[6,"b","1-bb"]]"#)
        again.ask("changes", Self.zero, "null", isNoReply: true)
        again.ask("rev", revision(), #"{"v":1}"#)
        #expect(try here.body("a") == #"{"v":1}"#)
        #expect(try listed().isEmpty)
    }

    @Test func `a retry forgets a document that the server no longer announces`() throws {
        var server = try nextRun(try refusedRun(), retries: true)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[6,"b","1-bb"]]"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try listed().isEmpty)
    }

    @Test(arguments: ["404", "410"])
    func `a document that no longer exists at the server is not listed`(status: String) throws {
        _ = try refusedRun(status)
        #expect(try listed().isEmpty)
    }

    @Test func `a connection that breaks keeps the list`() throws {
        var server = try nextRun(try refusedRun(), retries: true)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"a","1-aa"]]"#)
        server.peer.disconnected(at: .zero)
        #expect(try listed().map(\.documentID) == ["a"])
    }
}
