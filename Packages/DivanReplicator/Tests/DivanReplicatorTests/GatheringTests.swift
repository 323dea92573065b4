import DivanBLIP
import DivanDatabase
import DivanJSON
import DivanQuery
import DivanReplicator
import DivanRevisions
import Synchronization
import Testing

/// Revisions pulled into collections with indexes are answered at once, and stored many at a time.
@Suite struct GatheringTests {
    private static let zero: BLIPProperties = ["collection": "0"]
    private static let list = #"[[1,"a","1-aa"],[2,"b","1-aa"],[3,"c","1-aa"]]"#

    @Test func `revisions that arrive separately are stored in one transaction`() throws {
        var (site, server) = try pulling()
        for id in ["a", "b", "c"] {
            let answer = try #require(send(id, by: &server))
            #expect(answer.error == nil)
        }
        #expect(try site.contents() == [:])

        server.ask("changes", Self.zero, "[]", isNoReply: true)
        #expect(try site.contents().count == 3, "the peer has no more")
        #expect(site.takeChanges().count == 1)
        let saved = try server.take("setCheckpoint").body
        #expect(Checkpoint(json: saved).remote == RemoteSequence(3))
    }

    @Test func `a collection without an index stores revisions on every turn`() throws {
        var (site, server) = try pulling(indexed: false)
        for (place, id) in ["a", "b"].enumerated() {
            send(id, by: &server)
            #expect(try site.contents().count == place + 1)
        }
    }

    @Test func `revisions are gathered while pushing, too`() throws {
        let site = try Site()
        try site.save("here", "{}")
        var (_, server) = try pulling(site, pushes: true)
        send("a", by: &server)
        #expect(try site.contents().count == 1)
    }

    /// Otherwise it would be proposed to the peer that has just sent it.
    @Test func `a revision received and also created locally is not proposed to its sender`() throws
    {
        let site = try Site()
        let made = try Site().save("a", "{}")
        var (_, server) = try pulling(site, pushes: true)
        send("a", by: &server, rev: made.description)
        #expect(try site.contents() == [:])
        #expect(try site.save("a", "{}") == made)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        #expect(!server.requests.contains { $0.profile == "proposeChanges" && $0.body.count > 2 })
        let history = try site.store.read { try $0.revisions(of: "a", in: .default) }
        let remote = try site.store.remoteID(for: Conversation.Options().remoteIdentity)
        #expect(history?.latest(at: remote) == made)
    }

    @Test func `revisions are stored without delay once the peer has announced everything`() throws
    {
        var (site, server) = try pulling()
        server.ask("changes", Self.zero, "[]", isNoReply: true)
        send("a", by: &server)
        #expect(try site.contents() == [:], "two are on their way")
        for id in ["b", "c"] { send(id, by: &server) }
        #expect(try site.contents().count == 3)
        server.ask("changes", Self.zero, #"[[4,"d","1-aa"]]"#)
        send("d", by: &server, sequence: 4)
        #expect(try site.contents().count == 4)
    }

    @Test func `the first revision waits for others up to the time limit`() throws {
        var (site, server) = try pulling { $0.limits.gatheringTime = .milliseconds(30) }
        server.now = .milliseconds(5)
        send("a", by: &server)
        server.now = .milliseconds(20)
        send("b", by: &server)
        #expect(server.peer.deadline == .milliseconds(35))
        server.peer.advance(to: .milliseconds(34))
        #expect(try site.contents() == [:])
        server.peer.advance(to: .milliseconds(35))
        #expect(try site.contents().count == 2)
    }

    @Test func `a full transaction is stored at once`() throws {
        var (site, server) = try pulling { $0.limits.gatheredRevisionsCount = 2 }
        send("a", by: &server)
        #expect(try site.contents() == [:])
        send("b", by: &server)
        #expect(try site.contents().count == 2)

        (site, server) = try pulling { $0.limits.gatheredByteCount = 3 }
        send("a", by: &server)
        #expect(try site.contents() == [:])
        send("b", by: &server)
        #expect(try site.contents().count == 2, "four bytes")
    }

    /// Lists are answered once earlier revisions have arrived, not once they are stored.
    @Test func `gathered revisions do not count against the request window`() throws {
        var (site, server) = try pulling { $0.limits.requestedRevisionsCount = 3 }
        for id in ["a", "b", "c"] { send(id, by: &server) }
        let answer = server.ask("changes", Self.zero, #"[[4,"d","1-aa"]]"#)
        #expect(answer?.body.isEmpty == false)
        #expect(try site.contents() == [:])
    }

    @Test(arguments: [true, false])
    func `an ending replication stores all acknowledged revisions`(isStop: Bool) throws {
        var (site, server) = try pulling()
        send("a", by: &server)
        if isStop {
            server.peer.stop(at: .zero)
        } else {
            server.peer.disconnected(at: .zero)
        }
        #expect(try site.contents().count == 1)
    }

    @Test func `acknowledged revisions that could not be stored are pulled again`() throws {
        let disk = FailingDisk()
        var (site, server) = try pulling(Site(Store(engine: disk)))
        send("a", by: &server)
        disk.isBroken.store(true, ordering: .relaxed)
        server.peer.advance(to: .seconds(1))
        server.exchange()
        #expect(server.closeCode == 4001)
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
        disk.isBroken.store(false, ordering: .relaxed)
        let there = try Site()
        try there.put("a", ["1-aa"], "{}")
        let mended = Conversation.oneShot(.init(pushes: false), site, there)
        #expect(mended.transfers == ["pull a"])
        #expect(try site.contents().count == 1)
    }

    @Test
    func `a revision of a document that was saved locally in the meantime is stored as a conflict`()
        throws
    {
        var (site, server) = try pulling()
        send("a", by: &server)
        // Meanwhile it is created here, too, and the two are in conflict.
        try site.save("a", #"{"here":true}"#)
        server.ask("changes", Self.zero, "[]", isNoReply: true)
        for id in ["b", "c"] { send(id, by: &server) }
        #expect(try site.contents().count == 3)
        let isConflict = try site.store.read { reader in
            try !reader.conflicts(in: .default, after: 0, limit: 1).isEmpty
        }
        #expect(isConflict)
    }

    /// In the order of the feed.
    @Test(arguments: [true, false])
    func `an access removal is reported after the revisions gathered before it`(vetoes: Bool) throws
    {
        var (site, server) = try pulling { options in
            options.purgesRevoked = vetoes
            options.collections[0].pullFilter = { !$0.flags.contains(.accessRemoved) }
        }
        for id in ["a", "b"] { send(id, by: &server) }
        #expect(try site.contents() == [:])
        server.ask("changes", Self.zero, #"[[7,"a","1-aa",2]]"#)
        #expect(server.events.map(\.documentID) == ["a", "b", "a"])
        #expect(server.events.map(\.flags) == [[], [], .accessRemoved])
        #expect(server.events.map(\.error?.code) == [nil, nil, vetoes ? 403 : nil])
        #expect(try site.contents().count == 2, "kept")
    }

    @Test func `a gathered revision is not stored if access to its document is lost`() throws {
        var (site, server) = try pulling()
        for id in ["a", "b"] { send(id, by: &server) }
        server.ask("changes", Self.zero, #"[[7,"a","1-aa",2]]"#)
        #expect(server.events.map(\.documentID) == ["b", "a"])
        #expect(try site.contents().keys.elementsEqual(["b"]))
    }

    // MARK: Stored on another thread

    @Test
    func `revisions that arrive while another thread stores are acknowledged and stored next`()
        throws
    {
        var (site, server) = try pulling(beside: true) { $0.limits.gatheredRevisionsCount = 2 }
        for id in ["a", "b"] { #expect(try #require(send(id, by: &server)).error == nil) }
        #expect(try site.contents() == [:])
        let work = try #require(server.storing.last)
        #expect(try #require(send("c", by: &server)).error == nil)
        server.ask("changes", Self.zero, "[]", isNoReply: true)
        #expect(try site.contents() == [:], "one transaction after the other")
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })

        work.run()
        #expect(try site.contents().count == 2)
        server.peer.advance(to: .zero)
        server.exchange()
        #expect(try site.contents().count == 3)
        let saved = try server.take("setCheckpoint").body
        #expect(Checkpoint(json: saved).remote == RemoteSequence(3))
    }

    @Test func `a second full batch does not wait for the other thread`() throws {
        var (site, server) = try pulling(beside: true) { $0.limits.gatheredRevisionsCount = 1 }
        send("a", by: &server)
        #expect(server.storing.count == 1)
        send("b", by: &server)
        #expect(try site.contents().count == 1, "the peer did what nobody had begun")
        #expect(server.storing.count == 2)
        for work in server.storing { work.run() }
        server.peer.advance(to: .zero)
        #expect(try site.contents().count == 2)
        #expect(site.takeChanges().count == 2, "none was stored twice")
    }

    @Test(arguments: [true, false], [true, false])
    func `an ending replication waits for the thread that stores`(
        isStop: Bool,
        isBegun: Bool
    ) throws {
        var (site, server) = try pulling(beside: true) { $0.limits.gatheredRevisionsCount = 1 }
        send("a", by: &server)
        if isBegun { server.storing.first?.run() }
        if isStop {
            server.peer.stop(at: .zero)
        } else {
            server.peer.disconnected(at: .zero)
        }
        #expect(try site.contents().count == 1)
        server.storing.first?.run()
        #expect(site.takeChanges().count == 1)
    }

    /// Access is lost, and restored before the purge is done.
    @Test func `a document regained while another thread stores is requested again`() throws {
        let site = try Site()
        try site.put("z", ["1-aa"], "{}")
        var (_, server) = try pulling(site, beside: true) { options in
            options.limits.gatheredRevisionsCount = 2
            options.purgesRevoked = true
        }
        for id in ["a", "b"] { send(id, by: &server) }
        #expect(server.storing.count == 1)
        server.ask("changes", Self.zero, #"[[7,"z","1-aa",2]]"#)
        send("c", by: &server)
        server.ask("changes", Self.zero, #"[[8,"d","1-aa"]]"#)
        send("d", by: &server, sequence: 8)
        let asked = server.ask("changes", Self.zero, #"[[9,"z","1-aa"]]"#)
        let answer = try #require(asked)
        for work in server.storing { work.run() }
        server.peer.advance(to: .zero)
        server.exchange()
        let isWanted = String(decoding: answer.body, as: UTF8.self).hasPrefix("[[")
        let isHere = try site.contents().keys.contains("z")
        #expect(isWanted || isHere, "nobody would send it again")
    }

    @Test func `no timer is due while another thread stores`() throws {
        var (_, server) = try pulling(beside: true) { $0.limits.gatheredRevisionsCount = 2 }
        for id in ["a", "b", "c"] { send(id, by: &server) }
        let now = Duration.seconds(20)
        server.peer.advance(to: now)
        #expect(try #require(server.peer.deadline) > now, "or its driver comes again and again")
    }

    @Test func `no timer is due for missing revisions after another thread stored`() throws {
        var (_, server) = try pulling(beside: true) { $0.limits.gatheredRevisionsCount = 1 }
        send("a", by: &server)
        server.peer.advance(to: .milliseconds(10))
        server.storing.first?.run()
        for now in [Duration.milliseconds(20), .milliseconds(150)] {
            server.peer.advance(to: now)
            #expect(try #require(server.peer.deadline) > now)
        }
    }

    @Test func `revisions that another thread could not store are pulled again`() throws {
        let disk = FailingDisk()
        var (_, server) = try pulling(Site(Store(engine: disk)), beside: true) {
            $0.limits.gatheredRevisionsCount = 1
        }
        disk.isBroken.store(true, ordering: .relaxed)
        send("a", by: &server)
        server.storing.first?.run()
        server.peer.advance(to: .zero)
        server.exchange()
        #expect(server.closeCode == 4001)
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
    }

    @Test func `local changes wait until received revisions are stored`() throws {
        var (site, server) = try pulling(pushes: true, beside: true) {
            $0.limits.gatheredRevisionsCount = 1
        }
        server.ask("changes", Self.zero, "[]", isNoReply: true)
        send("a", by: &server)
        let work = try #require(server.storing.first)
        _ = site.takeChanges()
        try site.save("own", "{}")
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        #expect(!server.requests.contains { $0.profile == "proposeChanges" && $0.body.count > 2 })
        work.run()
        server.peer.advance(to: .zero)
        server.exchange()
        #expect(server.requests.contains { $0.profile == "proposeChanges" && $0.body.count > 2 })
    }

    // MARK: A puller, and a server from which it has requested three documents

    private func pulling(
        _ site: Site? = nil,
        indexed: Bool = true,
        pushes: Bool = false,
        beside: Bool = false,
        _ change: (inout Conversation.Options) -> Void = { _ in }
    ) throws -> (Site, Counterpart) {
        let site = try site ?? Site()
        if indexed { try site.makeIndex() }
        var options = Conversation.Options(pushes: pushes, isContinuous: true)
        options.storesBeside = beside
        change(&options)
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        #expect(server.ask("changes", Self.zero, Self.list) != nil)
        _ = site.takeChanges()
        return (site, server)
    }

    @discardableResult
    private func send(
        _ id: String,
        by server: inout Counterpart,
        sequence: Int? = nil,
        rev: String = "1-aa"
    ) -> BLIPIncomingReply? {
        let number = sequence ?? ["a": 1, "b": 2, "c": 3][id] ?? 0
        let properties: BLIPProperties = [
            "collection": "0", "id": id, "rev": rev, "sequence": "\(number)",
        ]
        return server.ask("rev", properties, "{}")
    }
}

extension Site {
    /// Creates an index on a property that no document needs to have.
    func makeIndex(in path: CollectionPath = .default) throws {
        let kind = try QueryExpression(sql: "kind").checked(over: QueryCollection(path))
        try store.write { writer in
            try writer.createIndex("byKind", .value([CheckedKey(kind)], filter: nil), in: path)
        }
    }
}
