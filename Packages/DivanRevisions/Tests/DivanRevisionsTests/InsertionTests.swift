import DivanRevisions
import DivanTestKit
import Testing

@Suite struct LocalInsertionTests {
    @Test func `a save continues the current revision`() throws {
        var tree = RevisionTree()
        let first = try tree.save("a")
        let second = try tree.save("b")
        #expect(tree.current?.id == second)
        #expect(tree.current?.body == body("b"))
        #expect(tree[first]?.body == nil)
        #expect(tree.isAncestor(first, of: second))
        #expect(!tree.isAncestor(second, of: first))
        #expect(!tree.isAncestor(first, of: first))
        #expect(tree.lineage(of: second).map(\.id) == [second, first])
        #expect(!tree.isConflicted)
    }

    @Test func `inserting the same edit twice changes nothing`() throws {
        var tree = RevisionTree()
        let only = try tree.save("a")
        let outcome = try tree.insertLocal(only, parent: nil, body: body("a"))
        #expect(outcome == .alreadyThere)
        #expect(tree.revisions.count == 1)
    }

    @Test func `refuses a parent that is not a leaf, a second root and a wrong generation`() throws
    {
        var tree = RevisionTree()
        let first = try tree.save("a")
        try tree.save("b")
        let before = tree
        #expect(throws: RevisionError.notALeaf(first)) {
            try tree.insertLocal(try id("2-aa"), parent: first, body: body("c"))
        }
        #expect(throws: RevisionError.parentMissing) {
            try tree.insertLocal(try id("1-aa"), parent: nil, body: body("c"))
        }
        let wrong = try id("4-aa")
        #expect(throws: RevisionError.wrongGeneration(wrong, expected: 3)) {
            try tree.insertLocal(wrong, parent: tree.current?.id, body: body("c"))
        }
        #expect(tree == before)
    }

    @Test func `a save after a tombstone restores the document`() throws {
        var tree = RevisionTree()
        try tree.save("a")
        try tree.save("", isTombstone: true)
        #expect(tree.current?.isTombstone == true)
        let revived = try tree.save("b")
        #expect(revived.generation == 3)
        #expect(tree.current?.isTombstone == false)
    }

    @Test func `all new revisions get the same sequence`() throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa")
        tree.assignSequence(7)
        try tree.save("c")
        tree.assignSequence(9)
        #expect(tree.revisions.map(\.sequence) == [9, 7, 7])
    }
}

/// The list of `revisions.md` §11, and §4.
@Suite struct RemoteInsertionTests {
    @Test func `inserting a known revision changes nothing`() throws {
        var tree = RevisionTree()
        #expect(try tree.receive("2-bb,1-aa") == .inserted(isConflict: false))
        let before = tree
        #expect(try tree.receive("2-bb,1-aa") == .alreadyThere)
        #expect(try tree.receive("1-aa") == .alreadyThere)
        #expect(tree == before)
    }

    @Test(arguments: [("5-ee,3-cc", 1), ("5-ee,5-dd", 1), ("5-ee,4-dd,4-cc", 2), ("5-ee,6-aa", 1)])
    func `refuses a gap among the first entries`(list: String, position: Int) throws {
        var tree = RevisionTree()
        let generation = try ids(list)[position].generation
        let broken = RevisionError.brokenHistory(position: position, generation: generation)
        #expect(throws: broken) { try tree.receive(list) }
        #expect(tree.revisions.isEmpty)
    }

    @Test func `accepts a gap at or after the pruning depth`() throws {
        let list = (0..<49).map { "\(700 - $0)-aa" }
        var tree = RevisionTree()
        try tree.receive((list + ["3-aa"]).joined(separator: ","))
        #expect(tree.revisions.count == 50)
        var other = RevisionTree()
        #expect(throws: RevisionError.brokenHistory(position: 48, generation: 3)) {
            try other.receive((list.dropLast() + ["3-aa"]).joined(separator: ","))
        }
    }

    @Test func `prunes a history longer than the depth`() throws {
        var tree = RevisionTree()
        try tree.receive((0..<80).map { "\(700 - $0)-aa" }.joined(separator: ","))
        #expect(tree.revisions.count == 50)
        #expect(tree.revisions.last?.id == (try id("651-aa")))
        #expect(tree.revisions.last?.parent == nil)
    }

    @Test func `a document can start at any generation`() throws {
        var tree = RevisionTree()
        try tree.receive((0...50).map { "\(700 - $0)-aa" }.joined(separator: ","))
        #expect(tree.current?.id == (try id("700-aa")))
        #expect(tree.revisions.last?.id.generation == 651)
    }

    @Test func `truncates a history that is too long`() throws {
        var tree = RevisionTree()
        let list = (0..<5_000).map { "\(9_000 - $0)-aa" }.joined(separator: ",")
        #expect(try tree.receive(list) == .inserted(isConflict: false))
        #expect(tree.revisions.count == RevisionLimits.depth)
    }

    @Test func `branches off at the first known revision`() throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa")
        let local = try tree.save("mine")
        #expect(try tree.receive("4-dd,3-cc,2-bb,1-aa") == .inserted(isConflict: true))
        #expect(tree.leafList == "\(local),4-dd")
        #expect(tree.isConflicted)
        #expect(tree.commonAncestor(of: local, and: try id("4-dd"))?.id == (try id("2-bb")))
        #expect(tree[try id("3-cc")]?.flags == .conflict)
    }

    @Test func `inserts a pruned ancestor as a second root in conflict`() throws {
        var tree = RevisionTree()
        try tree.receive("3-cc,2-bb")
        #expect(
            try tree.receive("1-aa", from: RemoteID(rawValue: 2)) == .inserted(isConflict: true)
        )
        #expect(tree.leafList == "3-cc,1-aa")
    }

    @Test func `accepts placeholder ancestors like ordinary ones`() throws {
        var tree = RevisionTree()
        try tree.receive("3-cc,2-faded000abababababababab,1-aa")
        #expect(tree.isAncestor(try id("2-faded000abababababababab"), of: try id("3-cc")))
    }

    /// `revisions.md` §8: a peer that resolved a conflict for its own side ends ours.
    @Test func `a revision that closes the current branch replaces it`() throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa", from: nil)
        let insert = { (tree: inout RevisionTree, closing: String) in
            try tree.insertRemote(
                id("2-cc"),
                history: ids("1-aa"),
                body: body("2-cc"),
                remote: nil,
                refusesConflicts: true,
                closing: ids(closing)
            )
        }
        let before = tree
        #expect(try insert(&tree, "3-dd,2-ee,1-aa") == .conflict)
        #expect(throws: RevisionError.self) { try insert(&tree, "3-dd,1-aa") }
        #expect(tree == before)
        #expect(try insert(&tree, "3-dd,2-bb,1-aa") == .inserted(isConflict: false))
        #expect(tree.leafList == "2-cc,3-dd")
        #expect(tree.current?.id == (try id("2-cc")))
        #expect(!tree.isConflicted)
        #expect(try insert(&tree, "3-dd,2-bb,1-aa") == .alreadyThere)
    }

    @Test func `refuses conflicts if they are not allowed`() throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa", from: nil, refusesConflicts: true)
        let before = tree
        for list in ["2-cc,1-aa", "3-cc,2-cc,1-aa", "1-bb"] {
            #expect(try tree.receive(list, from: nil, refusesConflicts: true) == .conflict)
        }
        #expect(tree == before)
        let next = try tree.receive("4-dd,3-cc,2-bb,1-aa", from: nil, refusesConflicts: true)
        #expect(next == .inserted(isConflict: false))
    }

    @Test(arguments: [nil, remote])
    func `restores a deleted document even if conflicts are refused`(source: RemoteID?) throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa", from: source, flags: .tombstone)
        let tombstone = tree
        // A second tombstone, and a continuation of an older ancestor, remain conflicts.
        #expect(
            try tree.receive("1-dd", from: nil, flags: .tombstone, refusesConflicts: true)
                == .conflict
        )
        #expect(try tree.receive("2-dd,1-aa", from: nil, refusesConflicts: true) == .conflict)
        #expect(tree == tombstone)

        let outcome = try tree.receive("1-cc", from: nil, refusesConflicts: true)
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.leafList == "1-cc,2-bb" && tree.conflict == nil)
        let late = try tree.receive("3-dd,2-bb", from: nil, refusesConflicts: true)
        #expect(late == .conflict, "the branch was closed")
        // Once deleted again, the new branch counts, although its generation is lower.
        try tree.receive("2-aa,1-cc", from: nil, flags: .tombstone, refusesConflicts: true)
        #expect(tree.leafList == "2-aa,2-bb" && tree.conflict == nil)
        #expect(try tree.reloaded() == tree)
    }

    /// Both directions between Divan peers then have the same result.
    @Test func `a new document of a Divan peer is in conflict with a deletion`() throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa", from: nil, flags: .tombstone)
        let outcome = try tree.insertRemote(
            try #require(RevisionID("1-cc")),
            history: [],
            body: Array("{}".utf8),
            remote: nil,
            refusesConflicts: true,
            keepsOrder: true
        )
        #expect(outcome == .conflict)
    }

    @Test func `continuing a branch in conflict keeps the conflict`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        let local = try tree.save("mine")
        try tree.receive("2-bb,1-aa")
        #expect(try tree.receive("3-cc,2-bb,1-aa") == .inserted(isConflict: true))
        #expect(tree.leafList == "\(local),3-cc")
    }
}

@Suite struct WinnerTests {
    /// Without a remote nothing is in conflict: live before deleted, then the higher ID.
    @Test(arguments: [
        (["2-bb,1-aa", "2-cc,1-aa"], "2-cc,2-bb"), (["3-aa,2-aa,1-aa", "2-ff,1-aa"], "3-aa,2-ff"),
        (["1-aa", "1-bb"], "1-bb,1-aa"), (["10-aa", "9-ff"], "10-aa,9-ff"),
        (["2-bb,1-aa", "†3-cc,2-cc,1-aa"], "2-bb,3-cc"),
        (["†2-bb,1-aa", "†2-cc,1-aa"], "2-cc,2-bb"),
    ])
    func `leaves are sorted live before deleted, then by ID`(
        lists: [String],
        expected: String
    ) throws {
        for lists in [lists, lists.reversed()] {
            var tree = RevisionTree()
            for list in lists {
                let isTombstone = list.hasPrefix("†")
                try tree.receive(
                    isTombstone ? String(list.dropFirst()) : list,
                    from: nil,
                    flags: isTombstone ? .tombstone : []
                )
            }
            #expect(tree.leafList == expected)
        }
    }

    /// Random branches, offered in random orders, give the same tree.
    @Test(arguments: UInt64(0)..<60)
    func `the order of arrival does not change the tree`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var branches: [[RevisionID]] = []
        for _ in 0..<Int.random(in: 2...6, using: &generator) {
            let base = branches.randomElement(using: &generator) ?? []
            var branch = Array(base.dropFirst(.random(in: 0...base.count, using: &generator)))
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let digest = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let generation = (branch.first?.generation ?? 0) + 1
                let next = RevisionID(generation: generation, digestBytes: digest.span)
                branch.insert(try #require(next), at: 0)
            }
            branches.append(branch)
        }
        // A branch that another one continues is not a leaf; whether it loses its body depends on the order.
        let all = branches
        branches.removeAll { branch in all.contains { $0.dropFirst().contains(branch[0]) } }

        var trees: [RevisionTree] = []
        for _ in 0..<5 {
            var tree = RevisionTree()
            for branch in branches.shuffled(using: &generator) {
                let list = branch.map(\.description).joined(separator: ",")
                try tree.receive(list, from: nil)
            }
            trees.append(tree)
        }
        #expect(trees.allSatisfy { $0 == trees[0] }, "seed \(seed)")
        #expect(trees[0].current?.id == branches.map { $0[0] }.max(), "seed \(seed)")
    }

    @Test(arguments: UInt64(0)..<200)
    func `invariants hold after any changes`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let tree = try RevisionTree.arbitrary(using: &generator)
        let listed = tree.revisions.map(\.id)
        #expect(zip(listed, listed.dropFirst()).allSatisfy { $0 > $1 }, "seed \(seed)")
        #expect(tree.current?.flags.contains(.conflict) == false, "seed \(seed)")
        #expect(tree.leaves.allSatisfy { $0.body != nil }, "seed \(seed)")
        for revision in tree.revisions where !tree.isLeaf(revision.id) {
            #expect(revision.body == nil || revision.flags.contains(.keepsBody), "seed \(seed)")
        }
        for leaf in tree.leaves {
            let generations = tree.lineage(of: leaf.id).map(\.id.generation)
            #expect(generations == generations.sorted(by: >), "seed \(seed)")
        }
    }
}
