import DivanRevisions
import Testing

/// A tree stays small whatever a peer does to it.
@Suite struct BranchBoundTests {
    private func remain(_ tree: RevisionTree) -> Bool {
        tree.leaves.count <= RevisionLimits.branchCount
            && tree.revisions.count <= RevisionLimits.revisionCount
    }

    private func name(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    @Test func `closing branches repeatedly keeps the tree within its limit`() throws {
        var tree = RevisionTree()
        try tree.receive("1-\(name(0))", from: nil)
        for number in 1...300 {
            let current = try #require(tree.current?.id)
            let winner = try id("1-\(name(number))")
            let closing = try RevisionTree.closing(of: current, for: winner)
            let outcome = try tree.insertRemote(
                winner,
                history: [],
                body: body("\(winner)"),
                remote: nil,
                refusesConflicts: true,
                closing: [closing.id, current]
            )
            #expect(outcome == .inserted(isConflict: false))
            #expect(tree.current?.id == winner)
            try #require(remain(tree), "after \(number)")
        }
        #expect(try tree.reloaded() == tree)
    }

    @Test func `deleting and recreating a document repeatedly keeps the tree within its limit`()
        throws
    {
        var tree = RevisionTree()
        for number in 0..<300 {
            let root = "1-\(name(number))"
            try tree.receive(root, from: nil, refusesConflicts: true)
            #expect(tree.current?.id == (try id(root)))
            let deletion = "2-\(name(number)),\(root)"
            try tree.receive(deletion, from: nil, flags: .tombstone, refusesConflicts: true)
            #expect(tree.current?.isTombstone == true)
            try #require(remain(tree), "after \(number)")
        }
    }

    @Test func `deep conflicts of a remote are limited, and revisions that remotes have are kept`()
        throws
    {
        var tree = RevisionTree()
        try tree.save("mine")
        let held = try ids("9-feed,8-feed,7-feed")
        try tree.receive("9-feed,8-feed,7-feed", from: RemoteID(rawValue: 2))
        for number in 0..<200 {
            let list = (1...60).reversed().map { "\($0)-\(name(number))" }.joined(separator: ",")
            try tree.receive(list, from: remote)
            try #require(remain(tree), "after \(number)")
        }
        #expect(held.allSatisfy(tree.contains))
        #expect(tree.latest(at: RemoteID(rawValue: 2)) == held[0])
    }

    @Test func `alternately opening and closing a branch does not grow the tree`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa", from: nil)
        try tree.receive("2-bb,1-aa", from: nil)
        for number in 0..<100 {
            let current = try #require(tree.current?.id)
            let other = try id(current.generation == 2 && current == id("2-bb") ? "2-cc" : "2-bb")
            let path = (3...40).reversed().map { "\($0)-\(name(number))" }
            let closing = try path.map { try id($0) } + [current]
            _ = try tree.insertRemote(
                other,
                history: [id("1-aa")],
                body: body("\(other)"),
                remote: nil,
                refusesConflicts: true,
                closing: closing
            )
            try #require(remain(tree), "after \(number)")
        }
    }

    /// The longest chain that one message may bring is pruned in one pass.
    @Test func `a history of a thousand revisions is pruned to the depth`() throws {
        var tree = RevisionTree()
        let list = (1...1_000).reversed().map { "\($0)-\(name($0))" }.joined(separator: ",")
        try tree.receive(list, from: nil)
        #expect(tree.revisions.count == RevisionLimits.depth)
        #expect(tree.revisions.last?.parent == nil)
        #expect(tree.current?.id == (try id("1000-\(name(1_000))")))
    }
}
