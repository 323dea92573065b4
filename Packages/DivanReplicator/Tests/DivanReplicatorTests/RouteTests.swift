import DivanReplicator
import DivanRevisions
import DivanStore
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
        for seed in first..<(first + (Self.number("DIVAN_HISTORIES") ?? 40)) {
            let history = RandomHistory(kind, seed: seed)
            for route in UInt64(0)..<3 {
                let world = try history.settled(by: route)
                let contents = try world.contents()
                guard Set(contents) != [world.winner] else { continue }
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

    /// The first pull leaves deletions out, so the document is created without knowledge of the deletion.
    @Test(arguments: [true, false])
    func `a new document with the ID of a deleted one reaches both sides`(isHere: Bool) throws {
        let (hub, edge) = (
            try Site(.inMemory(scheme: .vectors)), try Site(.inMemory(scheme: .vectors))
        )
        try hub.save("s", #"{"v":"old"}"#)
        try hub.save("t", #"{"v":"other"}"#)
        try hub.delete("s")
        meet(edge, hub, "hub", .vectors)
        #expect(try edge.revision("s") == nil)
        try edge.save("s", #"{"v":"new"}"#)
        let conflictCount =
            isHere ? meet(edge, hub, "hub", .vectors) : meet(hub, edge, "edge", .vectors)
        #expect(conflictCount == 0)
        #expect(try edge.body("s") == #"{"v":"new"}"#)
        #expect(try hub.body("s") == #"{"v":"new"}"#)
        #expect(meet(hub, edge, "edge", .vectors) == 0)
        #expect(try edge.contents() == hub.contents())
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
