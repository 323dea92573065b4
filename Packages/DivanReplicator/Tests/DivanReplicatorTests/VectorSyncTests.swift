import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Databases with version vectors against each other, and after being upgraded.
@Suite struct VectorSyncTests {
    private func site() throws -> Site { try Site(.inMemory(scheme: .vectors)) }

    private func meet(
        _ options: Conversation.Options = .init(),
        _ here: Site,
        _ there: Site,
        resolve: @escaping (StoredConflict) -> ConflictDecision = RandomMeetings.winner
    ) -> Conversation {
        var run = Conversation(options, here: here, there: there, subprotocol: .version4)
        run.resolve = resolve
        run.run()
        return run
    }

    @Test func `documents, deletions and edits sync in both directions`() throws {
        let (here, there) = (try site(), try site())
        try here.save("a", #"{"from":"here"}"#)
        try there.save("b", #"{"from":"there"}"#)
        var run = meet(.init(), here, there)
        #expect(run.closeCode == 1000 && run.error == nil)
        #expect(Set(run.transfers) == ["push a", "pull b"])
        #expect(try here.contents() == there.contents())
        try here.save("b", #"{"from":"here, edited"}"#)
        try there.delete("a")
        run = meet(.init(usesDeltas: true), here, there)
        #expect(Set(run.transfers) == ["push b", "pull a"])
        #expect(run.failures == [])
        #expect(try here.contents() == there.contents())
        run = meet(.init(), here, there)
        #expect(run.transfers == [] && run.sentRevisionCount == 0)
    }

    @Test(arguments: [ConflictDecision.keepLocal, .keepRemote, .delete])
    func `a conflict has the same result on both sides`(decision: ConflictDecision) throws {
        let (here, there) = (try site(), try site())
        try here.save("doc", #"{"v":0}"#)
        _ = meet(.init(), here, there)
        try here.save("doc", #"{"v":"here"}"#)
        try there.save("doc", #"{"v":"there"}"#)
        var run = meet(.init(), here, there) { _ in decision }
        #expect(run.closeCode == 1000)
        run = meet(.init(), here, there) { _ in decision }
        #expect(try here.contents() == there.contents())
        #expect(try here.store.read { try $0.conflicts(in: .default) } == [])
        run = meet(.init(), here, there)
        #expect(run.sentRevisionCount == 0)
    }

    @Test func `a merge is newer than both sides, and the resolver gets the common base`() throws {
        let (here, there) = (try site(), try site())
        try here.save("doc", #"{"v":0}"#)
        _ = meet(.init(), here, there)
        try here.save("doc", #"{"v":1}"#)
        try there.save("doc", #"{"v":2}"#)
        var bases: [String] = []
        let run = meet(.init(), here, there) { conflict in
            bases.append(conflict.base.map { String(decoding: $0.body, as: UTF8.self) } ?? "none")
            return .merge(body: Array(#"{"v":3}"#.utf8), hasBlobs: false)
        }
        #expect(run.closeCode == 1000)
        _ = meet(.init(), here, there)
        #expect(bases == [#"{"v":0}"#])
        #expect(try there.body("doc") == #"{"v":3}"#)
        #expect(try here.contents() == there.contents())
    }

    @Test(arguments: UInt64(0)..<25)
    func `two peers and a listener converge`(seed: UInt64) throws {
        let sites = [try site(), try site(), try site()]
        let meetings = RandomMeetings(sites: sites, seed: seed, subprotocol: .version4)
        try meetings.wander()
        for run in meetings.settle() {
            #expect(run.closeCode == 1000 && run.failures == [], "seed \(seed)")
        }
        let contents = try sites.map { try $0.contents() }
        for (id, expected) in contents[2] {
            let found = try histories(id, sites)
            #expect(contents[0][id] == expected, "seed \(seed) \(found)")
            #expect(contents[1][id] == expected, "seed \(seed) \(found)")
        }
        #expect(contents[0] == contents[2] && contents[1] == contents[2], "seed \(seed)")
    }

    @Test func `upgraded peers that were in sync transfer only pending changes`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<50 {
            try here.save(DocumentID(unchecked: "doc\(number)"), #"{"n":\#(number)}"#)
        }
        var run = Conversation.oneShot(.init(), here, there)
        #expect(run.transfers.count == 50)
        try here.save("pending", #"{"since":"before"}"#)
        try here.store.upgradeToVersionVectors()
        try there.store.upgradeToVersionVectors()
        run = meet(.init(), here, there)
        #expect(run.closeCode == 1000 && run.transfers == ["push pending"])
        try here.save("doc1", #"{"n":"edited here"}"#)
        try there.save("doc2", #"{"n":"edited there"}"#)
        run = meet(.init(), here, there)
        #expect(Set(run.transfers) == ["push doc1", "pull doc2"] && run.failures == [])
        #expect(try here.contents() == there.contents())
    }

    /// Sync Gateway reads two names if one is a version, and sends nothing of a list that has more.
    @Test(arguments: [true, false])
    func `another kind of peer gets at most two ancestors, including the revision it had`(
        isOurs: Bool
    ) throws {
        let site = try site()
        let options = Conversation.Options(pushes: false, isContinuous: true)
        var server = try Counterpart.server(site, options, version: .version4)
        try server.answer("subChanges", "", isOurs ? ["pending": "3"] : [:])
        let versions = (1...3).map { "18e9af58\($0)0000000@VYU9gI0kQIWF+V5BljXDyA" }
        for (place, version) in versions.enumerated() {
            let sequence = "\(place + 1)"
            let list = #"[[\#(sequence),"doc","\#(version)"]]"#
            let answer = server.ask("changes", ["collection": "0"], list)
            let named = String(decoding: try #require(answer).body, as: UTF8.self)
            if place == 2 {
                // The local side of the conflict, the remote one, and the base of both.
                let mine = try #require(try site.revision("doc"))
                let base = isOurs ? #","\#(versions[0])""# : ""
                #expect(named == #"[["\#(mine)","\#(versions[1])"\#(base)]]"#)
            }
            server.ask(
                "rev",
                ["collection": "0", "id": "doc", "rev": version, "sequence": sequence],
                #"{"v":"\#(place)"}"#
            )
            if place == 0 { try site.save("doc", #"{"v":"mine"}"#) }
        }
        #expect(try site.store.read { try $0.conflicts(in: .default) } == ["doc"])
        #expect(server.closeCode == nil && server.peer.waits(at: .zero).isEmpty == false)
    }

    /// Our clock is ahead of the peer's, which accepts the revision once that time has come.
    @Test func `a version too far in the future for Couchbase Lite is offered again`() throws {
        let site = try site()
        try site.save("doc", "{}")
        let options = Conversation.Options(pulls: false)
        var server = try Counterpart.server(site, options, version: .version4)
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "LiteCore", 4, saying: "Invalid timestamp in version vector")
        #expect(server.events.map(\.error?.code) == [4])
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
        #expect(server.closeCode == 1000)
        let remote = try site.store.remoteID(for: options.remoteIdentity)
        #expect(try site.store.read { try $0.refusals(in: .default, at: remote) }.isEmpty)
    }

    @Test func `peers with different revision schemes do not sync`() throws {
        let (here, there) = (try site(), try Site())
        try here.save("doc", "{}")
        for version in [Subprotocol.version3, .version4] {
            let run = Conversation.oneShot(.init(), here, there, subprotocol: version)
            #expect(run.closeCode == 1002 || run.error != nil)
        }
        #expect(try there.contents() == [:])
        #expect(Conversation.Options().active.choose(from: ["BLIP_3+CBMobile_4"]) == nil)
    }

    /// What each side knows about a document, for a failure message.
    private func histories(_ id: DocumentID, _ sites: [Site]) throws -> String {
        try sites.map { site in
            let found = try site.store.read { try $0.revisions(of: id, in: .default) }
            let history = found as? VectorHistory
            return (history?.known ?? []).map { mixed, revision in
                "\(mixed) \(revision.flags.rawValue) \(revision.sequence)"
            }.joined(separator: " / ")
        }.joined(separator: "\n")
    }
}
