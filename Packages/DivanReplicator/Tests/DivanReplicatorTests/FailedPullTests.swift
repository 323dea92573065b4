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

    /// A run in which the body of `long` is too large to be accepted.
    private func failingRun() throws {
        try there.save("long", #"{"text":"more than twenty bytes"}"#)
        try there.save("short", "{}")
        var strict = options
        strict.limits.announcedByteCount = 20
        let run = Conversation.oneShot(strict, here, there)
        #expect(run.failures.map(\.error?.code) == [413])
        #expect(run.transfers == ["pull short"])
    }

    // MARK: Divan peers

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `a Divan peer announces a document that could not be pulled again in each run`(
        isContinuous: Bool,
        pushes: Bool
    ) throws {
        try failingRun()
        let failure = try #require(try listed().first)
        #expect(failure.documentID == "long" && failure.sequence == 1 && failure.code == 413)
        // Changes that are pulled in between do not matter.
        try there.save("later", "{}")
        var next = options
        (next.isContinuous, next.pushes) = (isContinuous, pushes)
        let run = Conversation.oneShot(next, here, there)
        #expect(run.failures.isEmpty && Set(run.transfers) == ["pull later", "pull long"])
        #expect(try here.contents() == there.contents())
        #expect(try listed().isEmpty)
        let last = Conversation.oneShot(options, here, there)
        #expect(last.transfers.isEmpty && last.failures.isEmpty)
    }

    @Test func `a document that fails again stays listed and is reported`() throws {
        try failingRun()
        var strict = options
        strict.limits.announcedByteCount = 20
        let run = Conversation.oneShot(strict, here, there)
        #expect(run.failures.map(\.documentID) == ["long"])
        #expect(try listed().map(\.documentID) == ["long"])
    }

    @Test func `a document that was purged at the peer is forgotten`() throws {
        try failingRun()
        try there.purge("long")
        _ = Conversation.oneShot(options, here, there)
        #expect(try listed().isEmpty)
    }

    @Test func `a document that another peer sent is not listed`() throws {
        try failingRun()
        var other = options
        other.remoteIdentity = "ws://other:4984/db/_blipsync"
        _ = Conversation.oneShot(other, here, there)
        #expect(try here.body("long") != nil)
        #expect(try listed().isEmpty)
    }

    @Test func `runs that are limited to other documents keep the list`() throws {
        try failingRun()
        var limited = options
        limited.collections[0].documentIDs = ["short"]
        _ = Conversation.oneShot(limited, here, there)
        #expect(try listed().map(\.documentID) == ["long"])
        limited.collections[0].documentIDs = ["long"]
        let run = Conversation.oneShot(limited, here, there)
        #expect(run.transfers == ["pull long"])
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
        #expect(try listed().map(\.documentID) == ["long"])
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
