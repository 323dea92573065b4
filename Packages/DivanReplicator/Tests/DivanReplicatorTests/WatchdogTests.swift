import DivanBLIP
import DivanPlatform
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A peer reports what it waits for, in either role.
@Suite struct WatchdogTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    /// Lets that much time pass, including work that becomes due.
    private func pass(_ seconds: Int, _ server: inout Counterpart) {
        let end = server.now + .seconds(seconds)
        while let deadline = server.peer.deadline, deadline <= end {
            server.now = max(server.now, deadline)
            server.peer.advance(to: server.now)
            server.exchange()
            if deadline > server.now { break }
        }
        server.now = end
        server.peer.advance(to: end)
        server.exchange()
    }

    @Test func `a stall reports the server and the unanswered revision`() throws {
        let site = try Site()
        try site.put("soup", ["1-aa"], #"{"salt":1}"#)
        var server = try Counterpart.server(site, .init(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[]")
        #expect(try server.next("rev").properties["id"] == "soup")
        pass(9, &server)
        #expect(server.peer.status.stall == nil)
        pass(3, &server)
        #expect(server.peer.status.stall?.subject.description == "reply to rev of soup")
        #expect(
            server.peer.waits(at: server.now).map(\.description) == ["reply to rev of soup, 12 s"]
        )
        #expect(server.peer.status.stall?.collection == .default)
        // Reported again when the wait has doubled.
        pass(12, &server)
        #expect(server.peer.status.stall?.description == "reply to rev of soup, 20 s")
        try server.answer("rev")
        #expect(server.peer.status.stall == nil)
        try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(server.closeCode == 1000)
    }

    @Test func `a stall reports an announced revision that never arrives`() throws {
        let site = try Site()
        var server = try Counterpart.server(site)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"soup","1-aa"],[6,"tea","1-bb"]]"#)
        pass(4, &server)
        server.ask("rev", ["collection": "0", "id": "tea", "rev": "1-bb", "sequence": "6"], "{}")
        let wait = try #require(server.peer.waits(at: server.now).first { $0.documentID == "soup" })
        #expect(wait.description == "revision of soup, 0 s", "what came counts as a sign of life")
        pass(11, &server)
        #expect(server.peer.status.stall?.documentID == "soup")
    }

    /// Sync Gateway sends no more of a list once one of its documents cannot be read.
    @Test func `revisions that never arrive are requested again on another connection`() throws {
        let site = try Site()
        var server = try Counterpart.server(site)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"soup","1-aa"],[6,"tea","1-bb"]]"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        server.ask("rev", ["collection": "0", "id": "soup", "rev": "1-aa", "sequence": "5"], "{}")
        pass(590, &server)
        #expect(server.closeCode == nil)
        pass(700, &server)
        #expect(server.closeCode == 4001)
        #expect(server.error?.isTransient == true)
        #expect(try site.contents().count == 1)
    }

    /// All revisions of one collection arrive before the first of the other.
    @Test func `a server that sends one collection after another is not considered stalled`() throws
    {
        let path = try #require(CollectionPath("shop.teas"))
        let site = try Site(collections: [path])
        var options = Conversation.Options(pushes: false)
        options.collections.append(.init(path))
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"soup","1-aa"],[6,"salt","1-cc"]]"#)
        server.ask("changes", ["collection": "1"], #"[[7,"tea","1-bb"]]"#)
        pass(500, &server)
        server.ask("rev", ["collection": "0", "id": "soup", "rev": "1-aa", "sequence": "5"], "{}")
        pass(200, &server)
        server.ask("rev", ["collection": "0", "id": "salt", "rev": "1-cc", "sequence": "6"], "{}")
        pass(15, &server)
        #expect(server.closeCode == nil)
        pass(1_300, &server)
        #expect(server.closeCode == 4001)
    }

    /// A disk that was full, or a clock that was slow: the connection may last for days.
    @Test(arguments: [true, false])
    func `revisions that the peer could not store are offered again on another connection`(
        isContinuous: Bool
    ) throws {
        let site = try Site()
        try site.put("soup", ["1-aa"], #"{"salt":1}"#)
        var options = Conversation.Options(pushes: true, pulls: false)
        options.isContinuous = isContinuous
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "POSIX", 28)
        guard isContinuous else {
            #expect(server.closeCode == 1000)
            return
        }
        pass(590, &server)
        #expect(server.closeCode == nil)
        pass(15, &server)
        #expect(server.closeCode == 4001)
    }

    /// A proposal, or a whole list of them, that the peer could not look at.
    @Test(arguments: [["503"], ["500"], nil])
    func `proposals that the peer could not check are offered again on another connection`(
        statuses: [String]?
    ) throws {
        let site = try Site()
        try site.put("soup", ["1-aa"], #"{"salt":1}"#)
        var options = Conversation.Options(pushes: true, pulls: false)
        options.isContinuous = true
        var server = try Counterpart.server(site, options)
        if let statuses {
            try server.answer("proposeChanges", "[\(statuses.joined(separator: ","))]")
        } else {
            try server.refuse("proposeChanges", "HTTP", 500)
        }
        pass(590, &server)
        #expect(server.closeCode == nil)
        pass(15, &server)
        #expect(server.closeCode == 4001)
    }

    /// The clock here is slow: once it is right, the version is no longer of the future.
    @Test
    func `revisions that could not be stored locally are requested again on another connection`()
        throws
    {
        let site = try Site(.inMemory(scheme: .vectors))
        var options = Conversation.Options(pushes: false, pulls: true)
        options.isContinuous = true
        var server = try Counterpart.server(site, options, version: .version4)
        try server.answer("subChanges")
        let time = UInt64(WallClock.seconds() + 600) * 1_000_000_000 & ~0xFFFF
        let version = String(time, radix: 16) + "@VYU9gI0kQIWF+V5BljXDyA"
        server.ask("changes", ["collection": "0"], "[[1,\"soup\",\"\(version)\"]]")
        server.ask(
            "rev",
            ["collection": "0", "id": "soup", "rev": version, "sequence": "1"],
            "{}"
        )
        server.ask("changes", ["collection": "0"], "[]", isNoReply: true)
        #expect(server.events.first?.error != nil)
        pass(590, &server)
        #expect(server.closeCode == nil)
        pass(15, &server)
        #expect(server.closeCode == 4001)
    }

    @Test func `a stall is reported for a server that never answers the first request`() throws {
        let site = try Site()
        var server = Counterpart(Conversation.Options().active, site)
        pass(10, &server)
        #expect(server.peer.status.stall?.description == "reply to getCollections, 10 s")
    }

    @Test func `a slow blob is not a stall, a stopped blob is`() throws {
        let site = try Site()
        var server = try Counterpart.server(site)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"soup","1-aa"]]"#)
        let digest = "sha1-" + "qvTGHdzF6KLavt4PO0gs2a6pQ00="
        let body = #"{"photo":{"@type":"blob","digest":"\#(digest)","length":5}}"#
        server.ask("rev", ["collection": "0", "id": "soup", "rev": "1-aa", "sequence": "5"], body)
        let request = try server.next("getAttachment")
        #expect(request.properties["docID"] == "soup")
        pass(10, &server)
        let stall = try #require(server.peer.status.stall)
        #expect(stall.description == "blob \(digest) of soup, 10 s" || stall.documentID == "soup")
    }

    @Test func `a passive peer reports a stalled client until it answers`() throws {
        let site = try Site()
        try site.put("soup", ["1-aa"], #"{"salt":1}"#)
        var client = Counterpart(Conversation.Options().passive, site)
        client.ask("subChanges", ["continuous": "true"])
        #expect(try client.next("changes").properties["Profile"] == "changes")
        pass(9, &client)
        #expect(client.peer.status.stall == nil)
        pass(3, &client)
        #expect(client.peer.status.stall?.description == "reply to changes of soup, 10 s")
        #expect(client.peer.status.stall?.collection == .default)
        #expect(
            client.peer.waits(at: client.now).map(\.description)
                == ["reply to changes of soup, 12 s"]
        )
        try client.answer("changes", "[[]]")
        #expect(client.peer.status.stall == nil)
        pass(11, &client)
        #expect(client.peer.status.stall?.description == "reply to rev of soup, 10 s")
        try client.answer("rev")
        #expect(client.peer.status.stall == nil)
        while client.requests.contains(where: { $0.profile == "changes" }) {
            try client.answer("changes", "[]")
        }
        pass(60, &client)
        #expect(client.peer.waits(at: client.now).isEmpty)
        #expect(client.peer.deadline == nil, "a passive peer at rest sets no timer")
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `zero or negative patience reports a stall immediately and repeatedly`(
        _ patience: Duration
    ) throws {
        let site = try Site()
        try site.put("soup", ["1-aa"], #"{"salt":1}"#)
        var options = Conversation.Options(pushes: true, pulls: false)
        options.limits.patience = patience
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        pass(3, &server)
        #expect(server.peer.status.stall?.subject.description == "reply to rev of soup")
    }

    @Test func `an idle peer sets no timer and reports no stall`() throws {
        let site = try Site()
        var options = Conversation.Options()
        options.isContinuous = true
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        server.ask("changes", Self.zero, "[]", isNoReply: true)
        pass(60, &server)
        #expect(server.peer.waits(at: server.now).isEmpty)
        #expect(server.peer.deadline == nil)
        #expect(server.peer.status.stall == nil)
    }
}
