import DivanRevisions
import Testing

/// The latest revision at each remote, and remotes that switch branches (`revisions.md` §4).
@Suite struct RemoteTests {
    @Test func `tracks the latest revision that a remote sent or accepted`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        #expect(tree.latest(at: remote) == (try id("1-aa")))
        let local = try tree.save("mine")
        #expect(tree.latest(at: remote) == (try id("1-aa")))
        tree.markLatest(local, at: remote)
        #expect(tree.latest(at: remote) == local)
        tree.markLatest(try id("1-aa"), at: remote)
        #expect(tree.latest(at: remote) == local)
        tree.forget(remote)
        #expect(tree.latest(at: remote) == nil)
    }

    @Test func `keeps the body of only the latest revision that a remote has`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let second = try tree.save("b")
        #expect(tree[try id("1-aa")]?.body == body("1-aa"))
        tree.markLatest(second, at: remote)
        #expect(tree[try id("1-aa")]?.body == nil)
        try tree.save("c")
        #expect(tree[second]?.body == body("b"))
    }

    @Test func `keeps the bodies that two remotes have`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let second = try tree.save("b")
        tree.markLatest(second, at: RemoteID(rawValue: 2))
        try tree.save("c")
        #expect(tree[try id("1-aa")]?.body == body("1-aa"))
        #expect(tree[second]?.body == body("b"))
    }

    @Test func `an older revision that arrives late does not move the mark back`() throws {
        var tree = RevisionTree()
        try tree.receive("3-cc,2-bb,1-aa")
        try tree.receive("2-bb,1-aa")
        #expect(tree.latest(at: remote) == (try id("3-cc")))
    }

    @Test func `follows a remote that replaces our unchanged revision`() throws {
        var tree = RevisionTree()
        try tree.receive("3-cc,2-bb,1-aa")
        #expect(try tree.receive("2-dd,1-aa") == .inserted(isConflict: false))
        #expect(tree.current?.id == (try id("2-dd")))
        #expect(!tree.isConflicted)
        // Other remotes may have got it from here.
        #expect(tree.isClosed(try id("3-cc")))
        #expect(tree.latest(at: remote) == (try id("2-dd")))
    }

    /// A slow resolver must not decide about a revision that the remote gave up (`revisions.md` §10).
    @Test func `a conflict ends when the remote accepts our side`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try tree.save("mine")
        #expect(try tree.receive("2-ff,1-aa") == .inserted(isConflict: true))
        #expect(tree.conflict != nil)
        tree.markLatest(local, at: remote)
        #expect(tree.conflict == nil)
        #expect(tree.leaves.map(\.id) == [local])
        #expect(tree.latest(at: remote) == local)
    }

    /// Two peers bring a deleted document back independently: neither edit may be lost.
    @Test func `a deleted branch that continues next to a restored document is a conflict`() throws
    {
        var tree = RevisionTree()
        _ = try tree.insertRemote(
            try id("2-bb"),
            history: [try id("1-aa")],
            flags: .tombstone,
            body: body("{}"),
            remote: remote,
            refusesConflicts: false
        )
        let revival = try tree.insertRemote(
            try id("1-cc"),
            history: [],
            body: body("back"),
            remote: nil,
            refusesConflicts: true
        )
        #expect(revival == .inserted(isConflict: false))
        let edit = try tree.insertRemote(
            try id("3-dd"),
            history: [try id("2-bb"), try id("1-aa")],
            body: body("there"),
            remote: remote,
            refusesConflicts: false
        )
        #expect(edit == .inserted(isConflict: true))
        #expect(tree.conflict?.local.id == (try id("1-cc")))
        #expect(tree.conflict?.remote.id == (try id("3-dd")))
    }

    @Test func `keeps a branch in conflict if another remote has it`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try tree.save("mine")
        try tree.receive("2-ff,1-aa")
        tree.markLatest(try id("2-ff"), at: RemoteID(rawValue: 2))
        tree.markLatest(local, at: remote)
        #expect(tree.conflict != nil)
    }

    @Test func `follows a remote that replaces a branch in conflict`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try tree.save("mine")
        try tree.receive("2-bb,1-aa")
        #expect(try tree.receive("2-cc,1-aa") == .inserted(isConflict: true))
        #expect(tree.leafList == "\(local),2-cc")
        #expect(!tree.contains(try id("2-bb")))
    }

    @Test func `keeps both branches when a remote replaces a revision that we continued`() throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa")
        let local = try tree.save("mine")
        try tree.receive("2-cc,1-aa")
        #expect(tree.leafList == "\(local),2-cc")
        #expect(tree.conflict?.remote.id == (try id("2-cc")))
    }

    @Test func `keeps the local branch current regardless of the revision IDs`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try tree.save("mine")
        try tree.receive("9-ff,8-ff,7-ff,6-ff,5-ff,4-ff,3-ff,2-ff,1-aa")
        #expect(tree.current?.id == local)
        #expect(tree.isConflicted)
    }

    @Test func `a remote deletion of an edited document is a conflict`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        try tree.save("mine")
        try tree.receive("2-bb,1-aa", flags: .tombstone)
        #expect(tree.isConflicted)
        tree.forget(remote)
        #expect(!tree.isConflicted)
    }

    @Test func `purging the local branch makes the conflicting branch current`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try tree.save("mine")
        try tree.receive("2-bb,1-aa")
        try tree.purgeBranch(endingAt: local)
        #expect(tree.leafList == "2-bb")
        #expect(tree.current?.flags.contains(.conflict) == false)
        #expect(throws: RevisionError.notALeaf(try id("1-aa"))) {
            try tree.purgeBranch(endingAt: try id("1-aa"))
        }
    }
}
