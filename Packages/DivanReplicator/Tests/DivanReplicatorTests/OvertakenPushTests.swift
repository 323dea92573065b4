import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Revisions that replaced each other while messages about them were in transit.
@Suite struct OvertakenPushTests {
    private static let smaller = "18e9af52a2ab0000@rGxJD77SR0+odh7PeEHKXA"
    private static let greater = "18e9af52b30f0000@VYU9gI0kQIWF+V5BljXDyA"

    private func insert(
        _ name: String,
        knowing other: String?,
        from remote: RemoteID?,
        into site: Site
    ) throws {
        let id = try #require(RevisionID(ofAnyScheme: name))
        let history = try other.map { [try #require(RevisionID(ofAnyScheme: $0))] } ?? []
        let revision = RemoteRevision(
            documentID: "doc",
            revisionID: id,
            history: history,
            body: Array("{\"by\":\"\(name)\"}".utf8),
            remote: remote,
            refusesConflicts: remote == nil
        )
        _ = try site.store.write { try $0.insert(revision, in: .default) }
    }

    /// Marks wait for each other while there is a backlog, so the row still says that the peer has the greater of two
    /// crossed revisions when it has just accepted the smaller.
    @Test func `a revision that the peer replaced with ours is pushed to it`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        var options = Conversation.Options(pulls: false, isContinuous: true)
        options.limits.changesCount = 1
        options.limits.listsInFlightCount = 1
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        try insert(Self.greater, knowing: nil, from: remote, into: site)
        try insert(Self.smaller, knowing: Self.greater, from: nil, into: site)
        for documentID in ["one", "two"] {
            try site.save(DocumentID(unchecked: documentID), "{}")
        }
        var server = try Counterpart.server(site, options, version: .version4)
        #expect(try text(server.answer("proposeChanges", "[]")).contains(Self.smaller))
        try server.answer("rev", "", ["sequence": "5"])

        // Another peer brings the greater one back.
        try insert(Self.greater, knowing: Self.smaller, from: nil, into: site)
        #expect(try site.revision("doc") == Self.greater)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        for _ in 0..<2 { try server.answer("proposeChanges", "[304]") }
        #expect(
            try text(server.take("proposeChanges"))
                .hasPrefix(#"[["doc","\#(Self.greater)","\#(Self.smaller)""#)
        )
    }

    /// The peer goes back to the greater of two crossed revisions while the smaller is in transit to us.
    @Test func `a revision that arrives after the peer replaced it is answered with the winner`()
        throws
    {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        let options = Conversation.Options(isContinuous: true)
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        try insert(Self.greater, knowing: nil, from: remote, into: site)
        var server = try Counterpart.server(site, options, version: .version4)
        try server.answer("subChanges", "", ["pending": "1"])
        try server.answer("proposeChanges", "[304]")
        server.ask("changes", ["collection": "0"], #"[[7,"doc","\#(Self.smaller)"]]"#)
        server.ask("changes", ["collection": "0"], #"[[8,"doc","\#(Self.greater)"]]"#)
        server.ask(
            "rev",
            [
                "collection": "0", "id": "doc", "rev": "\(Self.smaller)", "sequence": "7",
                "history": "\(Self.greater)",
            ],
            #"{"v":1}"#
        )
        #expect(try site.revision("doc") == Self.smaller)
        #expect(
            try text(server.take("proposeChanges"))
                .hasPrefix(#"[["doc","\#(Self.smaller)","\#(Self.greater)""#)
        )
    }

    /// Naming the winner in the answer would require reading it, for which the client lacks credit.
    @Test
    func `a client that pushes a losing revision gets the winner without a filter being called`()
        throws
    {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        try insert(Self.smaller, knowing: Self.greater, from: nil, into: site)
        try site.save("large", #"{"x":"\#(String(repeating: "x", count: 90_000))"}"#)
        var options = PeerConfiguration.PassiveOptions(collections: [.default])
        options.readFilters[.default] = { _ in true }
        var configuration = Conversation.Options().passive
        configuration.role = .passive(options)
        configuration.limits.deltaSourceByteCount = 1_000
        var client = Counterpart(configuration, site, version: .version4)
        client.ask("getCollections", [:], Self.names)
        client.ask(
            "subChanges",
            ["collection": "0", "continuous": "true", "versioning": "version-vectors"]
        )
        #expect(try text(client.answer("changes", "[0,0]")).contains(Self.smaller))
        _ = try client.take("changes")
        client.ask("proposeChanges", ["collection": "0"], #"[["large","\#(Self.smaller)"]]"#)
        #expect(try text(client.answer("changes", "[0]")).contains("large"))

        let push: BLIPProperties = ["collection": "0", "id": "doc", "rev": "\(Self.greater)"]
        let reply = client.ask("rev", push, #"{"v":1}"#)
        #expect(reply?.properties["noop"] == "true" && reply?.properties["rev"] == nil)
        #expect(try text(client.answer("changes", "[0]")).contains(Self.smaller))
    }

    /// The smaller one was announced to the client before it had won over the greater, and the client let the greater
    /// win.
    @Test func `a client that pushes a losing revision gets the winner exactly once`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        try insert(Self.smaller, knowing: Self.greater, from: nil, into: site)
        let options = Conversation.Options()
        var client = Counterpart(options.passive, site, version: .version4)
        client.ask("getCollections", [:], Self.names)
        let subscription: BLIPProperties = [
            "collection": "0", "continuous": "true", "versioning": "version-vectors",
        ]
        let push: BLIPProperties = ["collection": "0", "id": "doc", "rev": "\(Self.greater)"]
        let unheard = client.ask("rev", push, #"{"v":1}"#)
        #expect(unheard?.properties["rev"] == nil, "who does not pull is told when it does")
        client.ask("subChanges", subscription)
        #expect(try text(client.answer("changes", "[0]")).contains(Self.smaller))
        #expect(try text(client.take("changes")) == "[]")

        let first = client.ask("rev", push, #"{"v":1}"#)
        #expect(first?.error == nil && first?.properties["noop"] == "true")
        #expect(first?.properties["rev"] == Self.smaller)
        #expect(try text(client.answer("changes", "[0]")).contains(Self.smaller))
        let second = client.ask("rev", push, #"{"v":1}"#)
        #expect(second?.properties["noop"] == "true" && second?.properties["rev"] == nil)
        #expect(!client.requests.contains { $0.profile == "changes" })

        // What both sides know is decisive.
        let named = client.ask("rev", push.adding("history", Self.smaller), #"{"v":1}"#)
        #expect(named?.error == nil && named?.properties["noop"] == nil)
        #expect(try site.revision("doc") == Self.greater)
    }

    /// The answer counted the push as done, and the winner is announced under a sequence that was passed.
    @Test func `a winner that did not arrive is announced again in the next run`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        try insert(Self.greater, knowing: nil, from: nil, into: site)
        var server = try Counterpart.server(site, .init(isContinuous: true), version: .version4)
        try server.answer("subChanges", "", ["pending": "0"])
        let zero: BLIPProperties = ["collection": "0"]
        server.ask("changes", zero, #"[[9,"other","\#(Self.smaller)"]]"#)
        server.ask(
            "rev",
            ["collection": "0", "id": "other", "rev": "\(Self.smaller)", "sequence": "9"],
            "{}"
        )
        try server.answer("proposeChanges", "[]")
        try server.answer("rev", "", ["noop": "true", "rev": Self.smaller, "sequence": "9"])
        server.ask("changes", zero, #"[[3,"doc","\#(Self.smaller)"]]"#)
        server.peer.stop(at: .zero)
        server.exchange()
        let saved = try server.next("setCheckpoint").body
        #expect(Checkpoint(json: saved).completed.contains(1))
        #expect(Checkpoint(json: saved).remote == RemoteSequence(2))
    }

    private static let names = #"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#

    /// What this side let win is pushed to a peer that let the other one win.
    @Test func `our revision follows the winner reported by the peer, or the winner is pulled`()
        throws
    {
        for isKnown in [true, false] {
            let site = try Site(
                .inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 })
            )
            try insert(Self.greater, knowing: isKnown ? Self.smaller : nil, from: nil, into: site)
            var server = try Counterpart.server(site, .init(isContinuous: true), version: .version4)
            try server.answer("subChanges", "", ["pending": "0"])
            try server.answer("proposeChanges", "[]")
            try server.answer("rev", "", ["noop": "true", "rev": Self.smaller, "sequence": "5"])
            #expect(server.events.isEmpty, "nothing is decided yet")
            guard isKnown else {
                #expect(!server.requests.contains { $0.profile == "proposeChanges" })
                continue
            }
            let again = try text(server.answer("proposeChanges", "[]"))
            #expect(again.hasPrefix(#"[["doc","\#(Self.greater)","\#(Self.smaller)""#))
            let pushed = try server.answer("rev", "", ["sequence": "6"])
            #expect(pushed.properties["history"] == Self.smaller)
            #expect(server.events.map { $0.error == nil } == [true])
        }
    }

    /// Both sides made the same merge; a push does not read what its own connection stored, so it stayed pending.
    @Test func `a merge that the peer has under another ID counts as pushed`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        var server = try Counterpart.server(site, .init(isContinuous: true), version: .version4)
        try server.answer("subChanges", "", ["pending": "1"])
        let merged =
            "18e9af52930f0000@VYU9gI0kQIWF+V5BljXDyw, 18e9af52830f0000@VYU9gI0kQIWF+V5BljXDzA; "
        for (sequence, name, other) in [
            ("7", Self.smaller, Self.greater), ("8", Self.greater, Self.smaller),
        ] {
            server.ask("changes", ["collection": "0"], "[[\(sequence),\"doc\",\"\(name)\"]]")
            server.ask(
                "rev",
                [
                    "collection": "0", "id": "doc", "rev": name, "sequence": sequence,
                    "history": merged + other,
                ],
                #"{"v":1}"#
            )
        }
        #expect(try site.revision("doc") == Self.smaller)
        let offer = try server.take("proposeChanges") { $0.body.count > 2 }
        #expect(text(offer).hasPrefix(#"[["doc","\#(Self.smaller)","\#(Self.greater)""#))
        server.answer(offer, bytes: Array("[304]".utf8))
        server.exchange()
        #expect(!server.requests.contains { $0.profile == "proposeChanges" && $0.body.count > 2 })
    }

    /// Two revisions were closed for each other; the peer has ours on the branch that it closed, and reports the other
    /// one while ours is in transit.
    @Test func `an announcement received during a push overrides the reply to it`() throws {
        let site = try Site()
        try insert("2-bb", closing: [], into: site)
        try insert("2-dd", closing: ["3-cc", "2-bb"], into: site)
        let options = Conversation.Options(isContinuous: true)
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        var server = Counterpart(options.active, site)
        try server.answer("getCollections", "[{}]")
        try server.answer("subChanges", "", ["pending": "1", "closings": "true"])
        #expect(try text(server.answer("proposeChanges", "[]")).contains("2-dd"))
        _ = try server.next("rev")

        server.ask("changes", ["collection": "0"], #"[[7,"doc","2-bb"]]"#)
        server.ask(
            "rev",
            [
                "collection": "0", "id": "doc", "rev": "2-bb", "sequence": "7", "history": "1-aa",
                "deleted_branch": "4-ee,3-ff,2-dd", "closings": "true",
            ],
            "{}"
        )
        #expect(try site.revision("doc") == "2-bb")
        try server.answer("rev", "", ["noop": "true", "sequence": "9"])
        server.exchange()
        let change = try site.store.read { reader in
            try reader.changes(in: .default, after: 0, limit: 1, remote: remote).first
        }
        #expect(change?.remoteAncestor == RevisionID("2-bb"))
    }

    /// A peer that knew three revisions would take ours for the winner over its own, which lost to the third: an edit
    /// against which nobody had decided would be lost.
    @Test func `a revision that lost after it was proposed is not sent and closes no branch`()
        throws
    {
        let site = try Site()
        try insert("2-bb", closing: [], into: site)
        try insert("2-dd", closing: ["3-cc", "2-bb"], into: site)
        var server = Counterpart(
            Conversation.Options(pulls: false, isContinuous: true).active,
            site
        )
        try server.answer("getCollections", "[{}]")
        // Another peer has it, so its body is kept when it is given up.
        let third = try site.store.remoteID(for: "ws://third:4984/db/_blipsync")
        let lost = try #require(RevisionID("2-dd"))
        try site.store.write { try $0.markKnown("doc", lost, at: third, in: .default) }
        try server.answer("proposeChanges", #"[{"status":409,"rev":"2-bb"}]"#)
        let offer = try server.take("proposeChanges") { $0.body.count > 2 }
        #expect(text(offer).hasPrefix(#"[["doc","2-dd""#))

        try insert("2-ee", closing: ["3-ff", "2-dd"], into: site)
        #expect(try site.revision("doc") == "2-ee")
        server.answer(offer, bytes: Array("[]".utf8))
        #expect(!server.requests.contains { $0.profile == "rev" })
        // A one-shot replication does not end before it has checked what is there instead.
        let next = try server.take("proposeChanges") { $0.body.count > 2 }
        #expect(text(next).hasPrefix(#"[["doc","2-ee""#))
        server.answer(next, bytes: Array("[]".utf8))
        #expect(try server.next("rev").properties["rev"] == "2-ee")
    }

    private func insert(_ id: String, closing: [String], into site: Site) throws {
        let revision = RemoteRevision(
            documentID: "doc",
            revisionID: try #require(RevisionID(id)),
            history: [try #require(RevisionID("1-aa"))],
            body: Array("{}".utf8),
            refusesConflicts: true,
            closing: closing.compactMap { RevisionID($0) },
            keepsOrder: true
        )
        _ = try site.store.write { try $0.insert(revision, in: .default) }
    }

    /// The peer had the greater of two crossed revisions, and gets the smaller from somebody else while ours is in
    /// transit; here the greater one comes back, and the smaller cannot be sent again.
    @Test func `a revision that the peer lacks is sent after the revision in transit`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        let options = Conversation.Options(isContinuous: true)
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        try insert(Self.greater, knowing: nil, from: remote, into: site)
        try insert(Self.smaller, knowing: Self.greater, from: nil, into: site)
        var server = try Counterpart.server(site, options, version: .version4)
        try server.answer("subChanges", "", ["pending": "0"])
        #expect(try text(server.answer("proposeChanges", "[]")).contains(Self.smaller))
        _ = try server.next("rev")

        _ = site.takeChanges()
        try insert(Self.greater, knowing: Self.smaller, from: nil, into: site)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        let news = server.ask("changes", ["collection": "0"], #"[[8,"doc","\#(Self.smaller)"]]"#)
        #expect(news?.body == Array("[]".utf8), "it is known, and lies behind")
        #expect(!server.requests.contains { $0.profile == "proposeChanges" })
        try server.refuse("rev", "HTTP", 422)
        #expect(
            try text(server.take("proposeChanges"))
                .hasPrefix(#"[["doc","\#(Self.greater)","\#(Self.smaller)""#)
        )
    }

    /// The peer's version won over ours, which was in transit to it and restored the document: the peer has ours, which
    /// is known here only by the version that it is converted to.
    @Test func `a peer that accepted a tree ID over the winner gets the winner`() throws {
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        let options = Conversation.Options(isContinuous: true)
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        try insert("2-bb", knowing: nil, from: nil, into: site)
        var server = try Counterpart.server(site, options, version: .version4)
        try server.answer("subChanges", "", ["pending": "0"])
        #expect(try text(server.answer("proposeChanges", "[]")).contains("2-bb"))
        _ = try server.next("rev")

        _ = site.takeChanges()
        try insert(Self.greater, knowing: nil, from: remote, into: site)
        let (ours, theirs) = (RevisionID("2-bb"), RevisionID(ofAnyScheme: Self.greater))
        let resolved = try site.store.write { writer in
            try writer.resolveConflict(
                "doc",
                in: .default,
                local: try #require(ours),
                remote: try #require(theirs),
                decision: .keepRemote
            )
        }
        #expect(resolved?.revisionID == theirs)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        try server.answer("rev", "", ["sequence": "8", "branched": "true"])
        #expect(
            try text(server.take("proposeChanges"))
                .hasPrefix(#"[["doc","\#(Self.greater)","2-bb""#)
        )
    }

    private func text(_ request: BLIPIncomingRequest) -> String {
        String(decoding: request.body, as: UTF8.self)
    }
}
