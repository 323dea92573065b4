import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A conflict that the local side wins, where the peer gives up its branch when told to.
@Suite struct ClosedBranchTests {
    /// Databases that agree on `a` and then diverge.
    private func parted(_ count: Int = 2) throws -> [Site] {
        let sites = try (0..<count).map { _ in try Site() }
        try sites[0].save("a", #"{"v":"base"}"#)
        for site in sites.dropFirst() { _ = Conversation.oneShot(.init(), sites[0], site) }
        for (number, site) in sites.enumerated() { try site.save("a", #"{"v":\#(number)}"#) }
        return sites
    }

    /// The rule with which all peers decide alike.
    private static func winner(_ conflict: StoredConflict) -> ConflictDecision {
        conflict.local.revisionID > conflict.remote.revisionID ? .keepLocal : .keepRemote
    }

    private func sync(_ here: Site, _ there: Site) -> Conversation {
        var run = Conversation(.init(), here: here, there: there)
        run.resolve = Self.winner
        run.run()
        return run
    }

    @Test func `keeping the local side creates no revision, and the peer adopts ours`() throws {
        let sites = try parted()
        let mine = try sites[0].revision("a")
        var run = Conversation(.init(), here: sites[0], there: sites[1])
        run.resolve = { _ in .keepLocal }
        run.run()
        #expect(run.failures == [])
        #expect(try sites[0].revision("a") == mine)
        #expect(try sites[1].revision("a") == mine)
        #expect(try sites[0].contents() == sites[1].contents())
    }

    /// Each is a client of the other; both have pulled before either of them has decided.
    @Test func `two peers that replicate in both directions make the same choice and stop`() throws
    {
        let sites = try parted()
        let revisions = [try sites[0].revision("a"), try sites[1].revision("a")]
        var runs = [(0, 1), (1, 0)].map { here, there in
            Conversation(.init(), here: sites[here], there: sites[there])
        }
        for index in runs.indices {
            runs[index].resolve = Self.winner
            runs[index].holdsConflicts = true
            runs[index].run()
            #expect(runs[index].held.map(\.documentID) == ["a"])
        }
        for index in runs.indices {
            runs[index].resolveHeld()
            runs[index].run()
        }
        for (here, there) in [(0, 1), (1, 0)] { _ = sync(sites[here], sites[there]) }
        #expect(revisions.contains(try sites[0].revision("a")))
        #expect(try sites[0].revision("a") == sites[1].revision("a"))
        for (here, there) in [(0, 1), (1, 0)] {
            #expect(sync(sites[here], sites[there]).transfers == [])
        }
    }

    @Test func `three peers in a ring converge on the winner`() throws {
        let sites = try parted(3)
        let greatest = try sites.map { try #require(try $0.revision("a")) }.max { first, second in
            first.split(separator: "-")[1] < second.split(separator: "-")[1]
        }
        for _ in 0..<4 {
            for place in 0..<3 {
                #expect(sync(sites[place], sites[(place + 1) % 3]).failures == [])
            }
        }
        for site in sites { #expect(try site.revision("a") == greatest) }
        for place in 0..<3 {
            #expect(sync(sites[place], sites[(place + 1) % 3]).transfers == [])
        }
    }

    /// The conflict is older than this connection, which must first find out who the peer is.
    @Test func `resolving a conflict from an earlier run creates no revision either`() throws {
        let sites = try parted()
        let mine = try sites[0].revision("a")
        var run = Conversation(.init(), here: sites[0], there: sites[1])
        run.holdsConflicts = true
        run.run()
        run.cut()
        var next = Conversation(.init(), here: sites[0], there: sites[1])
        next.resolve = { _ in .keepLocal }
        next.run()
        #expect(next.closeCode == 1000)
        #expect(try sites[1].revision("a") == mine)
    }

    /// A server that ignores closed branches, and still has the revision that lost here.
    @Test func `another kind of server gets the winner as a child of its own revision`() throws {
        let sites = try parted()
        let lost = try #require(try sites[1].revision("a"))
        var run = Conversation(.init(), here: sites[0], there: sites[1])
        run.resolve = { _ in .keepLocal }
        run.run()

        var configuration = Conversation.Options(pulls: false).active
        guard case .active(var options) = configuration.role else { return }
        options.remoteIdentity = "wss://another.example/db"
        configuration.role = .active(options)
        var server = Counterpart(configuration, sites[0])
        try server.answer("getCollections", "[{}]")
        let refusal = #"[{"status":409,"rev":"\#(lost)"}]"#
        try server.answer("proposeChanges", refusal)
        // Ours is not sent in the place of the losing one, which the server would not understand.
        try server.answer("proposeChanges", "[]")
        try server.answer("proposeChanges", "[]")
        let sent = try server.answer("rev")
        #expect(sent.properties["history"]?.hasPrefix(lost) == true)
        #expect(sent.properties["deleted_branch"] == nil)
        #expect(sent.body == Array(#"{"v":0}"#.utf8))
        #expect(server.events.map(\.error) == [nil])

        // And the peer that closed its own branch accepts that, too.
        #expect(sync(sites[0], sites[1]).failures == [])
        #expect(try sites[0].contents() == sites[1].contents())
        #expect(try sites[0].revision("a") == sent.properties["rev"])
    }

    // MARK: In transit to one peer while another one wins

    /// A push whose only revision has been stored there, while the answer is in transit.
    private func pushUnanswered(_ here: Site, _ there: Site) throws -> Conversation {
        var run = Conversation(.init(pulls: false), here: here, there: there)
        while try there.contents().isEmpty, run.step() {}
        #expect(try there.contents() == here.contents())
        return run
    }

    private func expectFollowed(_ run: Conversation, _ here: Site, _ there: Site) throws {
        var run = run
        run.run()
        for edit in ["", #"{"v":"later"}"#] {
            if !edit.isEmpty { try here.save("a", edit) }
            let next = Conversation.oneShot(.init(pulls: false), here, there)
            #expect(next.failures == [])
            #expect(try there.contents() == here.contents())
        }
    }

    @Test func `a push-only peer converges although its revision lost while in transit`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"v":"mine"}"#)
        let run = try pushUnanswered(here, there)
        try here.receive("1-bb", #"{"v":"theirs"}"#, from: "wss://another.example/db")
        try here.keepRemote()
        try expectFollowed(run, here, there)
    }

    @Test func `a push-only peer converges although another server chose another branch`() throws {
        let (here, there) = (try Site(), try Site())
        try here.receive("1-aa", #"{"v":"first"}"#, from: "wss://another.example/db")
        let run = try pushUnanswered(here, there)
        try here.receive("1-bb", #"{"v":"second"}"#, from: "wss://another.example/db")
        try expectFollowed(run, here, there)
    }
}
