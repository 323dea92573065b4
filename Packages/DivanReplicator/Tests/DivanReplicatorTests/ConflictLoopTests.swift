import DivanRevisions
import DivanStore
import Testing

@testable import DivanReplicator

/// Peers in circles that decided differently, or keep deciding differently.
@Suite struct ConflictLoopTests {
    private static let greater: @Sendable (StoredConflict) -> ConflictDecision = {
        $0.local.revisionID > $0.remote.revisionID ? .keepLocal : .keepRemote
    }

    /// One side of a circle and its decision.
    private struct Link {
        let here: Int
        let there: Int
    }

    private func sync(
        _ sites: [Site],
        _ link: Link,
        _ decide: @escaping (StoredConflict) -> ConflictDecision
    ) -> Conversation {
        var options = Conversation.Options()
        options.remoteIdentity = identity(link.there)
        options.compresses = false
        var run = Conversation(options, here: sites[link.here], there: sites[link.there])
        run.resolve = decide
        run.run()
        return run
    }

    private func identity(_ number: Int) -> String { "ws://site\(number):4984/db/_blipsync" }

    /// Two revisions of `a` on the same base: the greater, and the lower with its body.
    private func siblings(greaterFirst: Bool) throws -> [(id: RevisionID, body: String)] {
        let site = try Site()
        try site.save("a", #"{"v":"base"}"#)
        let made = try ["x", "y"].map { text -> (id: RevisionID, body: String) in
            let copy = try Site()
            _ = Conversation.oneShot(.init(), site, copy)
            let body = #"{"v":"\#(text)"}"#
            return (try copy.save("a", body), body)
        }
        return made.sorted { greaterFirst ? $0.id > $1.id : $0.id < $1.id }
    }

    /// What a version without an order left behind: the first peer gave up one revision for the other, the third the
    /// other way round, and each replicates with the next.
    private func turning(
        _ lost: (id: RevisionID, body: String),
        _ won: (id: RevisionID, body: String)
    ) throws -> [Site] {
        let sites = try (0..<3).map { _ in try Site() }
        try sites[0].save("a", #"{"v":"base"}"#)
        _ = sync(sites, Link(here: 1, there: 0), Self.greater)
        _ = sync(sites, Link(here: 2, there: 0), Self.greater)
        try sites[0].save("a", lost.body)
        _ = sync(sites, Link(here: 1, there: 0), Self.greater)
        try sites[2].save("a", won.body)
        _ = sync(sites, Link(here: 2, there: 0)) { _ in .keepLocal }
        #expect(try sites[0].revision("a") == won.id.description)
        #expect(try sites[1].revision("a") == lost.id.description)
        try sites[2].store.write { writer in
            let base = try #require(try writer.tree(of: "a", in: .default)?.revisions.last?.id)
            _ = try writer.insert(
                RemoteRevision(
                    documentID: "a",
                    revisionID: lost.id,
                    history: [base],
                    body: Array(lost.body.utf8),
                    remote: try sites[2].store.remoteID(for: identity(1))
                ),
                in: .default
            )
            _ = try writer.resolveConflict(
                "a",
                in: .default,
                local: won.id,
                remote: lost.id,
                decision: .keepRemote,
                closesRemote: true
            )
        }
        #expect(try sites[2].revision("a") == lost.id.description)
        return sites
    }

    @Test(arguments: [true, false])
    func `three peers that replaced two revisions by each other converge`(greaterFirst: Bool) throws
    {
        let pair = try siblings(greaterFirst: greaterFirst)
        let sites = try turning(pair[1], pair[0])
        var sentCount = 0
        var lastRound = 0
        for round in 1...8 {
            for link in [(1, 0), (2, 0), (2, 1)] {
                let run = sync(sites, Link(here: link.0, there: link.1), Self.greater)
                #expect(run.failures == [])
                sentCount += run.sentRevisionCount
                if run.sentRevisionCount > 0 { lastRound = round }
            }
        }
        let greatest = try #require(pair.map(\.id).max()).description
        for site in sites { #expect(try site.revision("a") == greatest) }
        #expect(lastRound <= 3)
        #expect(sentCount <= 8)
    }

    @Test(arguments: [ConflictDecision.keepLocal, .keepRemote], [3, 4, 5])
    func `a ring converges even if every peer keeps its own side or every peer gives in`(
        decision: ConflictDecision,
        count: Int
    ) throws {
        let sites = try (0..<count).map { _ in try Site() }
        try sites[0].save("a", #"{"v":"base"}"#)
        for number in 1..<count {
            _ = sync(sites, Link(here: number, there: 0)) { _ in decision }
        }
        for number in 0..<count { try sites[number].save("a", #"{"v":\#(number)}"#) }
        var lastRound = 0
        for round in 1...(4 * count) {
            for number in 0..<count {
                let link = Link(here: number, there: (number + 1) % count)
                if sync(sites, link, { _ in decision }).sentRevisionCount > 0 { lastRound = round }
            }
        }
        let revisions = Set(try sites.map { try $0.revision("a") })
        #expect(revisions.count == 1)
        #expect(lastRound <= 2 * count)
    }

    /// Each merge is new to the other side, which merges it again.
    @Test func `a document that never converges is reported at intervals`() throws {
        let sites = try (0..<2).map { _ in try Site() }
        try sites[0].save("a", #"{"v":"base"}"#)
        _ = sync(sites, Link(here: 1, there: 0), Self.greater)
        var options = Conversation.Options()
        options.isContinuous = true
        options.limits.rotationCount = 5
        var run = Conversation(options, here: sites[0], there: sites[1])
        run.resolve = { .merge(body: $0.local.body, hasBlobs: false) }
        for number in 0..<7 {
            try sites[0].save("a", #"{"here":\#(number)}"#)
            try sites[1].save("a", #"{"there":\#(number)}"#)
            run.run()
        }
        let named = run.activeEvents.filter {
            $0.error?.message.contains("keeps recurring") == true
        }
        #expect(named.map(\.documentID) == ["a"])
        #expect(run.statuses.last?.rotating?.documentID == "a")
    }
}

/// What is counted, and for how long.
@Suite struct ConflictLoopDetectorTests {
    private func conflict(_ number: Int) -> PendingConflict {
        PendingConflict(collection: .default, documentID: DocumentID(unchecked: "d\(number)"))
    }

    @Test func `exceeding the limit is reported once per time window`() {
        var limits = ReplicatorLimits()
        limits.rotationCount = 3
        var watch = ConflictLoopDetector()
        let told = (0..<6).map { watch.note(conflict(0), at: .seconds($0), limits) }
        #expect(told == [false, false, true, false, false, false])
        let later = (0..<3).map { watch.note(conflict(0), at: .seconds(100 + $0), limits) }
        #expect(later == [false, false, true])
        let slow = (0..<9).map { watch.note(conflict(1), at: .seconds($0 * 61), limits) }
        #expect(!slow.contains(true))
    }

    @Test func `the number of watched documents is limited`() {
        var limits = ReplicatorLimits()
        limits.watchedConflictsCount = 10
        var watch = ConflictLoopDetector()
        for number in 0..<1_000 {
            _ = watch.note(conflict(number), at: .milliseconds(number), limits)
            #expect(watch.documentCount <= 10)
        }
    }
}
