import DivanRevisions
import Testing

/// A remote's branch that is closed, so that the local one stays unchanged.
@Suite struct ClosedBranchTests {
    private func conflicted() throws -> (tree: RevisionTree, local: RevisionID) {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try id("2-cc")
        try tree.insertLocal(local, parent: id("1-aa"), body: body("2-cc"))
        try tree.receive("2-bb,1-aa")
        return (tree, local)
    }

    @Test func `keeping the local side closes the remote branch with a tombstone`() throws {
        var (tree, local) = try conflicted()
        let remoteLeaf = try id("2-bb")
        let outcome = try tree.resolve(
            local: local,
            remote: remoteLeaf,
            as: .keepLocal,
            closesRemote: true
        )
        #expect(outcome == local)
        #expect(tree.current?.id == local)
        #expect(tree.conflict == nil)
        #expect(!tree.isConflicted)
        #expect(tree.latest(at: remote) == remoteLeaf)

        let closed = tree.closedBranch(from: remoteLeaf)
        #expect(closed.count == 2)
        #expect(closed.last == remoteLeaf)
        #expect(closed.first.flatMap { tree[$0] }?.isTombstone == true)
        #expect(tree.closedBranch(from: local) == [])
        #expect(tree.closedBranch(from: try id("9-ff")) == [])
    }

    /// The other side of the same decision: once it is told, both trees agree.
    @Test
    func `a peer that receives the closed branch accepts the revision and closes its own branch`()
        throws
    {
        var (tree, local) = try conflicted()
        let remoteLeaf = try id("2-bb")
        try tree.resolve(local: local, remote: remoteLeaf, as: .keepLocal, closesRemote: true)

        var peer = RevisionTree()
        try peer.receive("1-aa", from: nil)
        try peer.receive("2-bb,1-aa", from: nil)
        let outcome = try peer.insertRemote(
            local,
            history: [id("1-aa")],
            body: body("2-cc"),
            remote: nil,
            refusesConflicts: true,
            closing: tree.closedBranch(from: remoteLeaf)
        )
        #expect(outcome == .inserted(isConflict: false))
        #expect(peer.current?.id == local)
        #expect(Set(peer.leaves.map(\.id)) == Set(tree.leaves.map(\.id)))
    }

    @Test func `a deletion continues the remote branch`() throws {
        var (tree, local) = try conflicted()
        let outcome = try tree.resolve(
            local: local,
            remote: try id("2-bb"),
            as: .delete,
            closesRemote: true
        )
        #expect(tree.isAncestor(try id("2-bb"), of: outcome))
    }
}

/// A current revision that continues as a child of one that lost against it.
@Suite struct GraftTests {
    private func won() throws -> (tree: RevisionTree, local: RevisionID, loser: RevisionID) {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try id("2-cc")
        try tree.insertLocal(local, parent: id("1-aa"), body: body("2-cc"))
        try tree.receive("2-bb,1-aa")
        let loser = try id("2-bb")
        try tree.resolve(local: local, remote: loser, as: .keepLocal, closesRemote: true)
        return (tree, local, loser)
    }

    @Test func `grafting keeps the body and makes it a child of the losing revision`() throws {
        var (tree, local, loser) = try won()
        let grafted = try #require(try tree.graftCurrent(onto: loser))
        #expect(tree.current?.id == grafted)
        #expect(tree.current?.body == body("2-cc"))
        #expect(tree.isAncestor(loser, of: grafted))
        #expect(tree.isClosed(local))
        #expect(!tree.isConflicted)
        #expect(try tree.graftCurrent(onto: loser) == nil)
    }

    @Test func `grafting closes a revision that another remote has`() throws {
        var (tree, local, loser) = try won()
        tree.markLatest(local, at: RemoteID(rawValue: 7))
        let grafted = try #require(try tree.graftCurrent(onto: loser))
        #expect(tree.current?.id == grafted)
        #expect(tree.closedBranch(from: local).last == local)
    }

    /// For one server the content went onto its branch, then for another onto that one's.
    @Test func `grafting for the same peer again makes the earlier revision current`() throws {
        var (tree, local, loser) = try won()
        let first = try #require(try tree.graftCurrent(onto: loser))
        let second = try #require(try tree.graftCurrent(onto: local))
        #expect(tree.current?.id == second)
        #expect(try tree.graftCurrent(onto: loser) == first)
        #expect(tree.current?.id == first)
        #expect(tree.current?.body == body("2-cc"))
        #expect(tree.isClosed(second))
        #expect(!tree.isConflicted)
    }

    @Test func `grafting onto a revision that did not lose does nothing`() throws {
        var (tree, local, _) = try won()
        let before = tree
        for text in ["1-aa", "9-ff", local.description] {
            #expect(try tree.graftCurrent(onto: id(text)) == nil)
        }
        #expect(tree == before)
    }
}

/// A closed revision that arrives again, from a peer that holds it.
@Suite struct ReopenedBranchTests {
    /// `2-cc` is current, `2-bb` of the remote is closed.
    private func closed() throws -> RevisionTree {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        try tree.insertLocal(id("2-cc"), parent: id("1-aa"), body: body("2-cc"))
        try tree.receive("2-bb,1-aa")
        try tree.resolve(local: id("2-cc"), remote: id("2-bb"), as: .keepLocal, closesRemote: true)
        return tree
    }

    /// `1-aa` was continued here and given up for `1-bb`, which one remote had.
    private func continued() throws -> RevisionTree {
        var tree = RevisionTree()
        try tree.receive("1-aa", from: RemoteID(rawValue: 7))
        let local = try tree.save("2-mine")
        try tree.receive("1-bb")
        try tree.resolve(local: local, remote: id("1-bb"), as: .keepRemote)
        return tree
    }

    private func isWanted(_ text: String, at source: RemoteID, in tree: RevisionTree) throws -> Bool
    {
        let standing = tree.standing(ofAnnounced: try id(text), at: source, keepsOrder: false)
        if case .wanted = standing { return true }
        return false
    }

    @Test func `a revision that a remote goes back to is requested and becomes current`() throws {
        var tree = try continued()
        #expect(tree.current?.id == (try id("1-bb")))
        #expect(try isWanted("1-aa", at: remote, in: tree))
        try tree.receive("1-aa")
        #expect(tree.current?.id == (try id("1-aa")))
        #expect(tree.isClosed(try id("1-bb")))
        #expect(!tree.isConflicted)
    }

    @Test func `a remote that never had another revision did not go back to an older one`() throws {
        var tree = try continued()
        #expect(try !isWanted("1-aa", at: RemoteID(rawValue: 7), in: tree))
        try tree.receive("1-aa", from: RemoteID(rawValue: 7))
        #expect(tree.current?.id == (try id("1-bb")))
    }

    @Test func `a closed revision that the remote still has becomes a conflict again`() throws {
        var tree = try closed()
        #expect(tree.isClosed(try id("2-bb")))
        try tree.receive("2-bb,1-aa")
        #expect(!tree.isClosed(try id("2-bb")))
        #expect(tree.conflict?.remote.id == (try id("2-bb")))
        #expect(tree.conflict?.remote.body == body("2-bb"))
        #expect(tree.current?.id == (try id("2-cc")))
    }

    @Test func `pushing a closed revision with the other branch closed makes it current`() throws {
        var tree = try closed()
        let outcome = try tree.insertRemote(
            id("2-bb"),
            history: [id("1-aa")],
            body: body("2-bb"),
            remote: nil,
            refusesConflicts: true,
            closing: [RevisionTree.closing(of: id("2-cc"), for: id("2-bb")).id, id("2-cc")]
        )
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.current?.id == (try id("2-bb")))
        #expect(tree.isClosed(try id("2-cc")))
    }

    @Test func `pushing a closed revision without closing the other branch is refused`() throws {
        var tree = try closed()
        let before = tree
        let outcome = try tree.insertRemote(
            id("2-bb"),
            history: [id("1-aa")],
            body: body("2-bb"),
            remote: nil,
            refusesConflicts: true
        )
        #expect(outcome == .conflict)
        #expect(tree == before)
    }

    @Test func `an outdated revision does not change the latest revision of the remote`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        try tree.receive("2-cc,1-aa")
        _ = try tree.insertRemote(
            id("2-bb"),
            history: [id("1-aa")],
            body: body("2-bb"),
            remote: remote,
            refusesConflicts: false,
            isOutdated: true
        )
        #expect(tree.latest(at: remote) == (try id("2-cc")))
        #expect(tree.conflict?.remote.id == (try id("2-bb")))
    }

    @Test func `a branch that one remote left is kept while another remote has it`() throws {
        let other = RemoteID(rawValue: 9)
        var tree = RevisionTree()
        try tree.receive("1-aa")
        try tree.receive("2-cc,1-aa")
        tree.markLatest(try id("2-cc"), at: other)
        try tree.receive("2-bb,1-aa")
        #expect(tree.current?.id == (try id("2-bb")))
        #expect(tree.latest(at: other) == (try id("2-cc")))
        #expect(!tree.closedBranch(from: try id("2-cc")).isEmpty)
    }

    /// Not before: two peers that forget what they gave up for each other would never come to rest.
    @Test
    func `a closed branch is pruned when it is old, unknown to remotes and eight came after it`()
        throws
    {
        var tree = try closed()
        let limit = UInt64(RevisionLimits.depth) + 4
        var parent = try id("2-cc")
        for generation in 3...limit {
            let next = try id("\(generation)-cc")
            try tree.insertLocal(next, parent: parent, body: body("x"))
            parent = next
        }
        #expect(tree.contains(try id("2-bb")))
        tree.markLatest(parent, at: remote)
        let current = try id("\(limit + 1)-cc")
        try tree.insertLocal(current, parent: parent, body: body("x"))
        tree.assignSequence(1)
        for number in 1...RevisionLimits.rememberedClosingsCount {
            #expect(tree.contains(try id("2-bb")))
            let rival = try id("2-d\(number)")
            try tree.receive("\(rival),1-ee", from: RemoteID(rawValue: UInt32(8 + number)))
            try tree.resolve(local: current, remote: rival, as: .keepLocal, closesRemote: true)
            tree.assignSequence(UInt64(1 + number))
        }
        #expect(!tree.contains(try id("2-bb")))
    }
}
