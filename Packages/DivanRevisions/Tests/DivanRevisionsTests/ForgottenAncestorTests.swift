import DivanRevisions
import DivanTestKit
import Testing

/// Ancestors that pruning forgot at one peer and that another one still holds.
@Suite struct ForgottenAncestorTests {
    private let ancestor = "2-bb"
    private let later = "60-ee"

    /// A history from the later revision down to the ancestor, as written by a peer that remembers.
    private var history: [RevisionID] {
        get throws {
            let faded = try (12...59).reversed().map { try id("\($0)-faded000") }
            return faded + [try id(ancestor)]
        }
    }

    /// Knows the later revision without its first ancestors, and receives one of those.
    private func forgetful(
        _ decision: RevisionTree.Decision?,
        flags: RevisionFlags = []
    ) throws -> RevisionTree {
        var tree = RevisionTree()
        try tree.receive("\(later),59-dd,58-dd", from: nil)
        try tree.receive("\(ancestor),1-aa", from: RemoteID(rawValue: 8), flags: flags)
        guard let decision else { return tree }
        try tree.resolve(local: id(later), remote: id(ancestor), as: decision, closesRemote: true)
        return tree
    }

    private func offer(
        _ tree: inout RevisionTree,
        _ revision: String,
        history: [RevisionID],
        closing: [RevisionID] = [],
        isPush: Bool
    ) throws -> RevisionTree.InsertOutcome {
        try tree.insertRemote(
            id(revision),
            history: history,
            body: body(revision),
            remote: isPush ? nil : remote,
            refusesConflicts: isPush,
            closing: closing,
            keepsOrder: true
        )
    }

    @Test(arguments: [true, false], [[], RevisionFlags.tombstone])
    func `a revision that lost to its own ancestor is restored when its history arrives`(
        isPush: Bool,
        flags: RevisionFlags
    ) throws {
        var tree = try forgetful(.keepRemote, flags: flags)
        #expect(tree.current?.id == (try id(ancestor)))
        let outcome = try offer(&tree, later, history: history, isPush: isPush)
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.current?.id == (try id(later)))
        #expect(tree.current?.sequence == 0)
        #expect(tree.current?.body == body(later))
        #expect(tree.leaves.count == 1)
        #expect(tree.isAncestor(try id(ancestor), of: try id(later)))
    }

    @Test(arguments: [true, false])
    func `an ancestor of a losing revision is restored when its history arrives, too`(
        isPush: Bool
    ) throws {
        // The edit on top was given up here; a peer that has the one below remembers the descent.
        var tree = try forgetful(.keepRemote)
        let below = try ids("59-dd,58-dd")
        let outcome = try offer(
            &tree,
            "59-dd",
            history: Array(below.dropFirst()) + history.dropFirst(2),
            isPush: isPush
        )
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.current?.id == below[0])
        #expect(tree.leaves.count == 1)
        #expect(tree.isAncestor(try id(ancestor), of: below[0]))
    }

    @Test(arguments: [true, false])
    func
        `a revision that continued and lost on another peer is given up even after pruning`(
            isPush: Bool
        ) throws
    {
        // Here the ancestor won over its descendant, and over a third revision; elsewhere the
        // third one won over both.
        let third = "3-ff"
        var tree = try forgetful(.keepRemote)
        try tree.receive("\(third),2-ee", from: RemoteID(rawValue: 9))
        let loser = try id(third)
        try tree.resolve(local: loser, remote: id(ancestor), as: .keepRemote, closesRemote: true)
        #expect(tree.current?.id == (try id(ancestor)))
        let end = try RevisionTree.closing(of: id(later), for: id(third)).id
        let closing = [end, try id(later)] + (try history)
        let outcome = try offer(
            &tree,
            third,
            history: ids("2-ee"),
            closing: closing,
            isPush: isPush
        )
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.current?.id == (try id(third)))
        #expect(tree.isGivenUp(try id(ancestor)))
    }

    @Test func `a conflict with an ancestor ends when the history shows the descent`() throws {
        // Here the later one waits: the ancestor was recreated from a peer that heard less.
        var tree = RevisionTree()
        try tree.receive("\(ancestor),1-aa", from: nil)
        try tree.receive("\(later),59-dd,58-dd", from: RemoteID(rawValue: 8))
        #expect(tree.conflict != nil)
        let outcome = try offer(&tree, later, history: history, isPush: true)
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.conflict == nil)
        #expect(tree.current?.id == (try id(later)))
    }

    @Test func `the restored history is passed on to other peers`() throws {
        var tree = try forgetful(.keepRemote)
        _ = try offer(&tree, later, history: history, isPush: true)
        let told = tree.history(
            of: try id(later),
            until: [try id(ancestor)],
            random: FixedRandom()
        )
        #expect(told.last == (try id(ancestor)))
    }

    @Test func `a losing revision is not restored by an unrelated history`() throws {
        var tree = try forgetful(.keepRemote)
        let strange = try (12...59).reversed().map { try id("\($0)-faded000") } + [try id("2-cc")]
        _ = try offer(&tree, later, history: strange, isPush: true)
        #expect(tree.current?.id == (try id(ancestor)))
    }

    @Test(arguments: [true, false])
    func `a peer that has the history keeps the later revision and announces it again`(
        isPush: Bool
    ) throws {
        var tree = RevisionTree()
        try tree.receive("\(later),59-dd,58-dd,57-dd", from: nil)
        try tree.receive("61-ff,\(later)")
        tree.assignSequence(4)
        let closing = [try id("62-00"), try id("61-ff")]
        let outcome = try offer(
            &tree,
            later,
            history: [try id("59-dd")],
            closing: closing,
            isPush: isPush
        )
        #expect(outcome == .givenUp)
        #expect(tree.current?.id == (try id("61-ff")))
        #expect(tree.current?.sequence == 0)
        #expect(tree.latest(at: remote) == (try id(isPush ? "61-ff" : later)))
    }

    @Test func `a remote goes back to an older revision only if it announces that`() throws {
        var tree = RevisionTree()
        try tree.receive("3-cc,2-bb,1-aa")
        tree.markLatest(try id("2-bb"), at: remote)
        #expect(tree.latest(at: remote) == (try id("3-cc")))
        tree.markLatest(try id("2-bb"), at: remote, goesBack: true)
        #expect(tree.latest(at: remote) == (try id("2-bb")))
    }
}
