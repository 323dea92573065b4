import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Foundation
import Testing

/// What becomes of a document depends on what was done to it, not on who meets whom, in which order, in which
/// direction, or at which address.
///
/// `DIVAN_HISTORIES` sets the number of histories of each kind, `DIVAN_SEED` the first seed.
@Suite struct RouteTests {
    private static func number(_ variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
    }

    @Test(arguments: RandomHistory.Kind.all)
    func `all databases converge whatever the order of syncs`(kind: RandomHistory.Kind) throws {
        let first = Self.number("DIVAN_SEED") ?? 1
        let count = Self.number("DIVAN_HISTORIES") ?? TestLength.of(8, long: 40)
        for seed in first..<first + count {
            let history = RandomHistory(kind, seed: seed)
            for route in UInt64(0)..<3 {
                let world = try history.settled(by: route)
                let contents = Set(try world.contents())
                guard world.mayDependOnRoute ? contents.count > 1 : contents != [world.winner]
                else { continue }
                let log = world.log.joined(separator: "\n")
                Issue.record("seed \(seed), \(world.winner) must win: \(contents)\n\(log)")
                return
            }
        }
    }

    /// `b` deletes what `a` edits, and `a` comes under a new address, or for the first time.
    @Test(arguments: [RevisionScheme.trees, .vectors], [true, false])
    func `a deletion is not undone by an edit from an unknown peer`(
        scheme: RevisionScheme,
        isFirstMeeting: Bool
    ) throws {
        let sites = try (0..<3).map { _ in try Site(.inMemory(scheme: scheme)) }
        try sites[0].save("d", #"{"v":1}"#)
        if isFirstMeeting {
            meet(sites[0], sites[2], "third", scheme)
            meet(sites[1], sites[2], "third", scheme)
        } else {
            meet(sites[0], sites[1], "known", scheme)
        }
        try sites[0].save("d", #"{"v":2}"#)
        try sites[1].delete("d")
        let conflictCount = meet(sites[0], sites[1], "new", scheme)
        #expect(conflictCount == 1)
        #expect(try sites[0].body("d") == nil)
        #expect(try sites[1].body("d") == nil)
        #expect(try sites[0].contents() == sites[1].contents())
    }

    /// The first pull brings the deletion, so the new document follows it.
    @Test(arguments: [true, false])
    func `a new document with the ID of a deleted one reaches both sides`(
        isHere: Bool
    ) throws {
        let (hub, edge, third) = try deletedDocument(.vectors)
        try edge.save("s", #"{"v":"new"}"#)
        #expect(meet(third, edge, "edge", .vectors) == 0)
        let conflictCount =
            isHere ? meet(edge, hub, "new", .vectors) : meet(hub, edge, "edge", .vectors)
        #expect(conflictCount == 0)
        for site in [hub, edge, third] { #expect(try site.body("s") == #"{"v":"new"}"#) }
        #expect(meet(hub, edge, "edge", .vectors) == 0)
        #expect(try edge.contents() == hub.contents())
    }

    /// The first pull skips the deletion, so the new document does not follow it.
    @Test(arguments: [true, false])
    func `a new document in a tree with the ID of a deleted one is in conflict`(
        isHere: Bool
    ) throws {
        let (hub, edge, third) = try deletedDocument(.trees)
        try edge.save("s", #"{"v":"new"}"#)
        #expect(meet(third, edge, "edge", .trees) == 0)
        let conflictCount =
            isHere ? meet(edge, hub, "new", .trees) : meet(hub, edge, "edge", .trees)
        #expect(conflictCount == 1)
        #expect(meet(third, edge, "edge", .trees) == 0)
        for site in [hub, edge, third] { #expect(try site.body("s") == nil) }
    }

    /// A database with a deleted document "s", and two that have synced with it since.
    private func deletedDocument(
        _ scheme: RevisionScheme
    ) throws -> (hub: Site, edge: Site, third: Site) {
        let sites = try (0..<3).map { _ in try Site(.inMemory(scheme: scheme)) }
        let (hub, edge, third) = (sites[0], sites[1], sites[2])
        try hub.save("s", #"{"v":"old"}"#)
        try hub.save("t", #"{"v":"other"}"#)
        try hub.delete("s")
        meet(edge, hub, "hub", scheme)
        meet(third, hub, "hub", scheme)
        #expect(try edge.body("s") == nil)
        return (hub, edge, third)
    }

    /// Each created the document, and one deleted its own: neither knows the other.
    @Test(arguments: RandomHistory.Kind.all.filter(\.isDefaultRule), [true, false])
    func `a new document and a deletion without knowledge of each other are in conflict`(
        kind: RandomHistory.Kind,
        deleterConnects: Bool
    ) throws {
        let first: RevisionScheme = kind.isUpgraded ? .trees : kind.scheme
        let sites = try (0..<2).map { _ in try Site(.inMemory(scheme: first)) }
        try sites[0].save("d", #"{"by":"a"}"#)
        try sites[1].save("d", #"{"by":"b"}"#)
        if kind.isUpgraded { for site in sites { try site.store.upgradeToVersionVectors() } }
        try sites[1].delete("d")
        let (here, there) = deleterConnects ? (sites[1], sites[0]) : (sites[0], sites[1])
        #expect(meet(here, there, "new", kind.scheme) == 1)
        for site in sites { #expect(try site.body("d") == nil) }
    }

    /// An application that syncs as with Sync Gateway, without pulling, may write over a deletion of which it does not
    /// know.
    @Test func `a pushed tree restores a deleted document for peers that do not pull`() throws {
        let sites = try (0..<2).map { _ in try Site() }
        try sites[0].save("d", #"{"by":"a"}"#)
        try sites[1].save("d", #"{"by":"b"}"#)
        try sites[1].delete("d")
        let run = Conversation.oneShot(.init(pulls: false), sites[0], sites[1])
        #expect(run.failures == [])
        #expect(try sites[1].body("d") == #"{"by":"a"}"#)
    }

    /// A deletion, an edit of what it deleted, and what a third peer wrote: unaware of both, or over the deletion.
    @Test(
        arguments: [
            [(0, 1), (1, 2), (2, 0), (0, 1)], [(1, 2), (2, 0), (0, 1), (1, 2)],
            [(0, 2), (1, 2), (0, 1), (0, 2)], [(2, 0), (2, 1), (1, 0), (0, 2)],
        ],
        [true, false]
    )
    func `the order of meetings does not decide between a deletion and later documents`(
        meetings: [(Int, Int)],
        isRestored: Bool
    ) throws {
        let clock = VirtualClock()
        let sites = try (0..<3).map { _ in
            try Site(.inMemory(scheme: .vectors, wallTime: { clock.now }))
        }
        let save = { (site: Int, text: String) in
            clock.pass()
            try sites[site].save("d", "{\"v\":\"\(text)\"}")
        }
        _ = try save(0, "first")
        meet(sites[0], sites[1], "b", .vectors)
        clock.pass()
        try sites[1].delete("d")
        if isRestored { meet(sites[1], sites[2], "c", .vectors) }
        _ = try save(2, "third")
        _ = try save(0, "edit")
        for (here, there) in meetings + meetings {
            meet(sites[here], sites[there], "\(there)", .vectors)
        }
        for site in sites {
            #expect(try site.body("d") == (isRestored ? #"{"v":"third"}"# : nil))
        }
    }

    /// An empty database takes the place of a peer's, and the document is created there again.
    @Test(arguments: [RevisionScheme.trees, .vectors], 1...4)
    func `a document recreated in a replaced database is in conflict at a known address, too`(
        scheme: RevisionScheme,
        content: Int
    ) throws {
        let here = try Site(.inMemory(scheme: scheme))
        try here.save("d", #"{"v":"here"}"#)
        meet(here, try Site(.inMemory(scheme: scheme)), "b", scheme)
        let replaced = try Site(.inMemory(scheme: scheme))
        try replaced.save("d", #"{"v":\#(content)}"#)
        #expect(meet(here, replaced, "b", scheme) == 1)
        #expect(try here.contents() == replaced.contents())
    }

    /// The decision of the peer is followed; which of the two wins depends on the content.
    @Test(arguments: 1...6)
    func `a peer that gave up our revision for an unrelated one is followed without a conflict`(
        content: Int
    ) throws {
        let sites = try (0..<3).map { _ in try Site() }
        try sites[1].save("d", #"{"v":"first"}"#)
        meet(sites[0], sites[1], "b", .trees)
        try sites[2].save("d", #"{"v":\#(content)}"#)
        #expect(meet(sites[2], sites[1], "b", .trees) == 1)
        #expect(meet(sites[0], sites[1], "b", .trees) == 0)
        #expect(try sites[0].contents() == sites[1].contents())
        #expect(try sites[2].contents() == sites[1].contents())
        // The same if the revision is one of several.
        try sites[0].save("d", #"{"v":"second"}"#)
        meet(sites[0], sites[1], "b", .trees)
        #expect(meet(sites[2], sites[1], "b", .trees) == 0)
        #expect(try sites[2].contents() == sites[0].contents())
    }

    /// A third peer chooses between the deletion and the edit, both from before the upgrade, after the restoration.
    ///
    /// Which of two tree IDs is the greater depends on the content, so several edits are tried.
    @Test(arguments: 1...8, [true, false])
    func `a document restored after an upgrade wins over an older deletion and an older edit`(
        edit: Int,
        deleterConnects: Bool
    ) throws {
        let clock = VirtualClock()
        let sites = try (0..<3).map { _ in try Site(.inMemory(wallTime: { clock.now })) }
        try sites[0].save("d", #"{"v":"first"}"#)
        meet(sites[0], sites[1], "b", .trees)
        try sites[1].save("d", #"{"v":\#(edit)}"#)
        try sites[0].delete("d")
        meet(sites[0], sites[2], "c", .trees)
        for site in sites { try site.store.upgradeToVersionVectors() }
        clock.pass()
        try sites[0].save("d", #"{"v":"restored"}"#)
        clock.pass()
        let (here, there) = deleterConnects ? (sites[2], sites[1]) : (sites[1], sites[2])
        #expect(meet(here, there, "new", .vectors) == 1)
        for _ in 0..<2 {
            meet(sites[0], sites[1], "b", .vectors)
            meet(sites[2], sites[0], "a", .vectors)
        }
        for site in sites { #expect(try site.body("d") == #"{"v":"restored"}"#) }
    }

    /// Returns the number of conflicts, in which deletions win.
    @discardableResult
    private func meet(
        _ here: Site,
        _ there: Site,
        _ address: String,
        _ scheme: RevisionScheme
    ) -> Int {
        var conflictCount = 0
        var options = Conversation.Options()
        options.remoteIdentity = "ws://\(address):4984/db/_blipsync"
        var run = Conversation(
            options,
            here: here,
            there: there,
            subprotocol: scheme == .trees ? .version3 : .version4
        )
        run.resolve = { conflict in
            conflictCount += 1
            return RandomMeetings.winner(conflict)
        }
        run.run()
        #expect(run.closeCode == 1000)
        return conflictCount
    }
}
