import DivanRevisions
import Testing

/// How conflicts end (`revisions.md` §8).
@Suite struct ConflictTests {
    @Test func `keeping the local side writes it as a child of the remote revision`() throws {
        var (tree, local) = try conflicted()
        let outcome = try tree.resolve(local: local, remote: try id("2-bb"), as: .keepLocal)
        #expect(tree.current?.id == outcome)
        #expect(tree.current?.body == body("mine"))
        #expect(tree.lineage(of: outcome).map(\.id) == [outcome, try id("2-bb"), try id("1-aa")])
        #expect(tree.isClosed(local))
        #expect(!tree.isConflicted)
        #expect(tree.latest(at: remote) == (try id("2-bb")))
        #expect(tree.revisions.allSatisfy { !$0.flags.contains(.conflict) })
    }

    @Test func `the base of a merge keeps its body`() throws {
        let (tree, local) = try conflicted()
        let base = tree.commonAncestor(of: local, and: try id("2-bb"))
        #expect(base?.id == (try id("1-aa")))
        #expect(base?.body != nil)
    }

    @Test func `keeping the remote side creates no revision, only a new sequence`() throws {
        var (tree, local) = try conflicted()
        tree.assignSequence(5)
        let outcome = try tree.resolve(local: local, remote: try id("2-bb"), as: .keepRemote)
        #expect(outcome == (try id("2-bb")))
        #expect(tree.current?.id == outcome)
        #expect(tree.isClosed(local))
        #expect(tree.current?.sequence == 0)
        #expect(tree[try id("1-aa")]?.sequence == 5)
    }

    @Test func `a losing branch is announced by its tombstone`() throws {
        var (tree, local) = try conflicted()
        let other = RemoteID(rawValue: 2)
        tree.markLatest(local, at: other)
        try tree.resolve(local: local, remote: try id("2-bb"), as: .keepRemote)
        let branch = tree.closedBranch(from: local)
        #expect(branch.count == 2)
        #expect(branch.last == local)
        #expect(branch.first.flatMap { tree[$0] }?.isTombstone == true)
        #expect(tree.closedBranch(from: try id("2-bb")) == [])
        #expect(tree.closedBranch(from: try id("1-aa")) == [])
        #expect(tree.closedBranch(from: try id("9-ff")) == [])
    }

    @Test func `a push onto an unresolved branch stays in conflict`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa", from: nil)
        try tree.receive("2-cc,1-aa", from: nil, flags: .tombstone)
        try tree.receive("2-bb,1-aa")
        #expect(tree.conflict?.remote.id == (try id("2-bb")))
        let outcome = try tree.receive("3-dd,2-bb,1-aa", from: nil, refusesConflicts: true)
        #expect(outcome == .inserted(isConflict: true))
        // Without a conflict a live revision would come before the tombstone.
        #expect(tree.current?.id == (try id("2-cc")))
        #expect(tree.conflict?.remote.id == (try id("3-dd")))
    }

    @Test func `a merge continues the remote branch`() throws {
        var (tree, local) = try conflicted()
        let merged = body("both")
        let outcome = try tree.resolve(
            local: local,
            remote: try id("2-bb"),
            as: .merge(body: merged, hasBlobs: true)
        )
        let expected = try RevisionID.digesting(
            parent: try id("2-bb"),
            isTombstone: false,
            canonicalBody: merged.span
        )
        #expect(outcome == expected)
        #expect(tree.current?.flags == .hasBlobs)
        #expect(tree.current?.body == merged)
    }

    @Test func `a deletion continues the remote branch`() throws {
        var (tree, local) = try conflicted()
        let outcome = try tree.resolve(local: local, remote: try id("2-bb"), as: .delete)
        #expect(outcome.generation == 3)
        #expect(tree.current?.isTombstone == true)
        #expect(tree.current?.body == Array("{}".utf8))
    }

    @Test(arguments: [RevisionTree.Decision.keepLocal, .delete, .keepRemote])
    func `of two tombstones the remote one is kept`(_ decision: RevisionTree.Decision) throws {
        var (tree, local) = try conflicted(localIsTombstone: true, remoteFlags: .tombstone)
        try tree.resolve(local: local, remote: try id("2-bb"), as: decision)
        #expect(tree.current?.id == (try id("2-bb")))
        #expect(!tree.isConflicted)
    }

    @Test func `keeping a local tombstone deletes the document after the remote revision`() throws {
        var (tree, local) = try conflicted(localIsTombstone: true)
        let outcome = try tree.resolve(local: local, remote: try id("2-bb"), as: .keepLocal)
        #expect(outcome.generation == 3)
        #expect(tree.current?.isTombstone == true)
    }

    @Test func `keeping the local side restores a document that the remote deleted`() throws {
        var (tree, local) = try conflicted(remoteFlags: .tombstone)
        let outcome = try tree.resolve(local: local, remote: try id("2-bb"), as: .keepLocal)
        #expect(tree.current?.id == outcome)
        #expect(tree.current?.isTombstone == false)
    }

    /// It may be in flight to a remote, which is then told what became of it.
    @Test func `a losing revision is closed even if no remote is known to have it`() throws {
        var (tree, local) = try conflicted()
        let other = RemoteID(rawValue: 2)
        try tree.resolve(local: local, remote: try id("2-bb"), as: .keepRemote)
        tree.markLatest(local, at: other)
        #expect(tree.latest(at: other) == local)
        #expect(tree.closedBranch(from: local).last == local)
        #expect(!tree.isConflicted)
    }

    @Test func `a losing revision that another remote has is closed, not purged`() throws {
        var (tree, local) = try conflicted()
        let other = RemoteID(rawValue: 2)
        tree.markLatest(local, at: other)
        try tree.resolve(local: local, remote: try id("2-bb"), as: .keepRemote)
        #expect(tree.current?.id == (try id("2-bb")))
        #expect(tree.latest(at: other) == local)
        let closing = try #require(tree.leaves.last)
        #expect(closing.flags == [.tombstone, .closed])
        #expect(closing.id.generation == 3)
        #expect(!tree.isConflicted)
        #expect(tree.conflict == nil)
        #expect(try tree.reloaded() == tree)
    }

    @Test(
        arguments: [
            RevisionTree.Decision.keepRemote, .merge(body: body("both"), hasBlobs: false),
        ]
    )
    func `an ancestor of the losing revision is kept if another remote has it`(
        _ decision: RevisionTree.Decision
    ) throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let pushed = try tree.save("pushed")
        let other = RemoteID(rawValue: 2)
        tree.markLatest(pushed, at: other)
        let local = try tree.save("mine")
        try tree.receive("2-bb,1-aa")
        try tree.resolve(local: local, remote: try id("2-bb"), as: decision)
        #expect(tree.latest(at: other) == pushed)
        #expect(tree.isGivenUp(pushed))
        #expect(!tree.isConflicted)
        #expect(try tree.reloaded() == tree)
    }

    @Test func `resolving fails if a side has changed`() throws {
        var (tree, local) = try conflicted()
        let newer = try tree.save("mine again")
        let before = tree
        #expect(throws: RevisionError.notALeaf(local)) {
            try tree.resolve(local: local, remote: try id("2-bb"), as: .keepLocal)
        }
        #expect(throws: RevisionError.notALeaf(try id("2-ff"))) {
            try tree.resolve(local: newer, remote: try id("2-ff"), as: .keepLocal)
        }
        #expect(tree == before)
    }

    @Test func `resolving fails at the highest generation unless the remote side is kept`() throws {
        var tree = RevisionTree()
        try tree.save("mine")
        let local = try #require(tree.current?.id)
        let last = try id("4294967295-ab")
        try tree.receive(last.description)
        let before = tree
        #expect(throws: RevisionError.generationOverflow(RevisionID.maximumGeneration)) {
            try tree.resolve(local: local, remote: last, as: .keepLocal)
        }
        #expect(tree == before)
        try tree.resolve(local: local, remote: last, as: .keepRemote)
        #expect(tree.current?.id == last)
    }

    @Test func `resolving fails if the local body was not loaded`() throws {
        let (tree, local) = try conflicted()
        var bare = try RevisionTree(
            decoding: tree.encoded().span,
            currentID: local,
            currentSequence: 1,
            currentBody: nil
        )
        #expect(throws: RevisionError.bodyMissing(local)) {
            try bare.resolve(local: local, remote: try id("2-bb"), as: .keepLocal)
        }
    }

    /// Root `1-aa`, a local child that is current, and `2-bb` from the remote.
    private func conflicted(
        localIsTombstone: Bool = false,
        remoteFlags: RevisionFlags = []
    ) throws -> (tree: RevisionTree, local: RevisionID) {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try tree.save("mine", isTombstone: localIsTombstone)
        try tree.receive("2-bb,1-aa", flags: remoteFlags)
        #expect(tree.conflict?.local.id == local)
        #expect(tree.conflict?.remote.id == (try id("2-bb")))
        return (tree, local)
    }
}
