import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Several collections, and what a passive peer refuses.
@Suite struct CollectionTests {
    private static let hotels = CollectionPath("travel.hotels") ?? .default
    private static let notes = CollectionPath("notes") ?? .default

    private func site() throws -> Site { try Site(collections: [Self.hotels, Self.notes]) }

    @Test func `each collection syncs with the collection of the same name`() throws {
        let (here, there) = (try site(), try site())
        try here.save("a", #"{"in":"hotels"}"#, in: Self.hotels)
        try there.save("a", #"{"in":"notes"}"#, in: Self.notes)
        try there.save("a", #"{"in":"default"}"#)
        var options = Conversation.Options()
        options.collections = [.init(Self.notes), .init(.default), .init(Self.hotels)]
        options.offered = [.default, Self.hotels, Self.notes]
        let run = Conversation.oneShot(options, here, there)

        #expect(run.closeCode == 1000)
        for path in [CollectionPath.default, Self.hotels, Self.notes] {
            #expect(try here.contents(of: path) == there.contents(of: path))
            #expect(try here.contents(of: path).count == 1)
        }
        #expect(Conversation.oneShot(options, here, there).transfers == [])
    }

    @Test func `a collection that the peer does not offer ends the replication`() throws {
        let (here, there) = (try site(), try site())
        var options = Conversation.Options()
        options.collections = [.init(.default), .init(Self.hotels)]
        options.offered = [.default]
        let run = Conversation.oneShot(options, here, there)
        #expect(run.error?.domain == .webSocket)
        #expect(run.error?.code == 404)
        #expect(run.closeCode == 4002)
        #expect(run.error?.message.contains("travel.hotels") == true)
    }

    @Test func `a legacy client is refused where the default collection is not offered`() throws {
        let (here, there) = (try site(), try site())
        var options = Conversation.Options()
        options.offered = [Self.hotels]
        let run = Conversation.oneShot(options, here, there, subprotocol: .version2)
        #expect(run.error?.code == 400)
        #expect(run.closeCode == 4002)
    }

    @Test func `a client can list the collections it has access to before anything else`() throws {
        let site = try site()
        var options = Conversation.Options()
        options.offered = [.default, Self.notes, CollectionPath("no.more") ?? .default]
        var client = Counterpart(options.passive, site)
        let list = client.ask("divan.listCollections")
        #expect(list?.body == Array(#"["_default","notes"]"#.utf8))
        let named = #"{"checkpoint_ids":["a"],"collections":["notes"]}"#
        #expect(client.ask("getCollections", [:], named)?.body == Array("[{}]".utf8))
        #expect(client.ask("divan.listCollections")?.body == list?.body)
        #expect(client.closeCode == nil)
    }

    @Test func `a read-only listener refuses a push and is unchanged`() throws {
        let (here, there) = (try site(), try site())
        try here.save("a", "{}")
        var options = Conversation.Options(pulls: false)
        options.allowsPush = false
        let run = Conversation.oneShot(options, here, there)
        #expect(run.error == SyncError(.webSocket, 403, run.error?.message ?? "", isFromPeer: true))
        #expect(run.closeCode == 4002)
        #expect(try there.contents() == [:])
    }

    @Test(arguments: [false, true])
    func `a user with read access can pull, and gets an error for unpushed changes`(
        hasChanges: Bool
    ) throws {
        let (here, there) = (try site(), try site())
        if hasChanges { try here.save("a", "{}") }
        try there.save("b", "{}")
        var options = Conversation.Options()
        options.allowsPush = false
        let run = Conversation.oneShot(options, here, there)
        #expect(run.transfers == ["pull b"])
        #expect(run.error?.code == (hasChanges ? 403 : nil))
        #expect(run.error.map { $0.message.contains("has read-only access") } ?? !hasChanges)
        #expect(run.closeCode == 1000)
        // With the right to write, what was left is pushed.
        options.allowsPush = true
        let next = Conversation.oneShot(options, here, there)
        #expect(next.transfers == (hasChanges ? ["push a"] : []))
        #expect(next.error == nil)
        #expect(try there.contents() == here.contents())
    }

    @Test func `a read-only listener allows a pull`() throws {
        let (here, there) = (try site(), try site())
        try there.save("a", "{}")
        var options = Conversation.Options(pushes: false)
        options.allowsPush = false
        #expect(Conversation.oneShot(options, here, there).transfers == ["pull a"])
    }

    @Test func `a listener that does not allow pulls refuses a pull`() throws {
        let (here, there) = (try site(), try site())
        var options = Conversation.Options(pushes: false)
        options.allowsPull = false
        let run = Conversation.oneShot(options, here, there)
        #expect(run.error?.code == 403)
        #expect(run.closeCode == 4002)
    }

    /// `behaviour.md` §8 (Channels).
    @Test func `channels are ignored between peers`() throws {
        let (here, there) = (try site(), try site())
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.channels = ["a"]
        var options = Conversation.Options(pushes: false)
        options.collections = [collection]
        let run = Conversation.oneShot(options, here, there)
        #expect(run.error == nil)
        #expect(run.closeCode == 1000)
        #expect(try here.contents() == there.contents())
    }

    /// The cause of a 400 may be something other than the collection.
    @Test func `a refusal unrelated to the collection keeps its message`() throws {
        var server = try Counterpart.server(try site(), .init(pushes: false))
        try server.refuse("subChanges", "HTTP", 400, saying: "unknown channel filter")
        try server.refuse("getCheckpoint", "HTTP", 400, saying: "collection missing")
        #expect(server.closeCode == 4002)
        #expect(server.error?.message == "unknown channel filter")
    }

    @Test func `a replication that starts over has nothing in flight`() throws {
        let here = try site()
        try here.save("a", "{}")
        var options = Conversation.Options(pulls: false)
        options.limits.allListsInFlightCount = 1
        var server = try Counterpart.server(here, options)
        try server.refuse("proposeChanges", "HTTP", 400)
        try server.refuse("getCheckpoint", "HTTP", 404)
        let proposed = try server.answer("proposeChanges", "[304]")
        #expect(String(decoding: proposed.body, as: UTF8.self).contains(#""a""#))
    }

    @Test func `a reset is complete only after every collection has nothing left to save`() throws {
        let here = try site()
        try here.save("a", "{}")
        var options = Conversation.Options(isContinuous: true, isReset: true)
        options.collections = [.init(.default), .init(Self.notes)]
        var server = try Counterpart.server(here, options)
        let proposals = try server.take("proposeChanges") { !$0.isNoReply }
        server.answer(proposals, bytes: Array("[304]".utf8))
        for _ in 0..<2 { try server.answer("subChanges") }
        server.ask("changes", ["collection": "0"], "null", isNoReply: true)
        try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(!server.peer.hasSavedProgress, "the peer has not said that there is nothing")
        server.ask("changes", ["collection": "1"], "null", isNoReply: true)
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
        #expect(server.peer.hasSavedProgress)
    }

    /// `replication.md` §1, "LC passive rules": observed with listeners of version 3.
    @Test(arguments: [true, false])
    func `a listener that refuses all listed collections is retried without collections`(
        pulls: Bool
    ) throws {
        let here = try site()
        try here.save("a", "{}")
        var server = try Counterpart.server(here, .init(pulls: pulls))
        if pulls { try server.refuse("subChanges", "HTTP", 400) }
        if !pulls { try server.refuse("proposeChanges", "HTTP", 400) }
        #expect(server.closeCode == nil)

        let question = try server.refuse("getCheckpoint", "HTTP", 404)
        #expect(question.properties["collection"] == nil)
        if pulls {
            #expect(try server.answer("subChanges").properties["collection"] == nil)
            server.ask("changes", [:], "null", isNoReply: true)
        }
        let offers = server.requests.filter { $0.profile == "proposeChanges" }
        if offers.count > 1 { _ = try server.take("proposeChanges") }  // refused as well
        #expect(try server.answer("proposeChanges", "[]").properties["collection"] == nil)
        let sent = try server.answer("rev")
        #expect(sent.properties["collection"] == nil)
        while server.requests.contains(where: { $0.profile == "setCheckpoint" }) {
            let save = try server.answer("setCheckpoint", "", ["rev": "0-1"])
            #expect(save.properties["collection"] == nil)
        }
        #expect(server.closeCode == 1000)
        #expect(server.error == nil)
    }

    @Test func `a peer that accepted a collection is not retried without collections`() throws {
        let here = try site()
        try here.save("a", "{}")
        var server = try Counterpart.server(here)
        try server.answer("subChanges")
        try server.refuse("proposeChanges", "HTTP", 400)
        #expect(!server.requests.contains { $0.profile == "getCheckpoint" })
        #expect(server.closeCode == 4002)
    }

    @Test func `deleting a collection during a replication ends the active peer`() throws {
        let (here, there) = (try site(), try site())
        var options = Conversation.Options(isContinuous: true)
        options.collections = [.init(Self.hotels)]
        var run = Conversation(options, here: here, there: there)
        run.run()
        try here.store.deleteCollection(Self.hotels)
        run.run()
        #expect(run.closeCode == 1011)
        #expect(run.error?.domain == .liteCore && run.error?.code == 6)
    }

    @Test func `deleting a collection of a passive peer makes its client reconnect`() throws {
        let (here, there) = (try site(), try site())
        var options = Conversation.Options(isContinuous: true)
        options.collections = [.init(Self.hotels)]
        var run = Conversation(options, here: here, there: there)
        run.run()
        try there.store.deleteCollection(Self.hotels)
        try here.save("a", "{}", in: Self.hotels)
        run.run()
        #expect(run.closeCode == 4001)
        #expect(try here.body("a", in: Self.hotels) == "{}")
        var next = Conversation(options, here: here, there: there)
        next.run()
        #expect(next.error?.code == 404)
    }

    @Test func `an unknown subprotocol closes the connection`() throws {
        let here = try site()
        let peer = Conversation.Options().active.makePeer(store: here.store)
        peer.connected(subprotocol: "BLIP_3+CBMobile_9", at: .zero)
        guard case .close(let code, let error)? = peer.next() else {
            Issue.record("no close")
            return
        }
        #expect(code.number == 1002)
        #expect(error?.code == 1002)
    }
}
