import DivanRevisions
import Testing

/// Old bodies that stay for peers about which nothing is recorded.
@Suite struct BodyRetentionTests {
    private static let two = BodyRetention(revisionCount: 2, minimumByteCount: 4)

    /// A tree of local revisions `1-aa`, `2-aa`, …, each saved with a rule.
    private func tree(_ rules: [BodyRetention]) throws -> RevisionTree {
        var tree = RevisionTree()
        for rule in rules { try grow(&tree, rule) }
        return tree
    }

    private func grow(_ tree: inout RevisionTree, _ rule: BodyRetention) throws {
        let parent = tree.current?.id
        let next = try id("\((parent?.generation ?? 0) + 1)-aa")
        try tree.insertLocal(next, parent: parent, body: body("\(next)"), retaining: rule)
    }

    private func generationsWithBody(_ tree: RevisionTree) -> [UInt64] {
        tree.revisions.filter { $0.body != nil }.map(\.id.generation)
    }

    @Test func `without retention only the current body is kept`() throws {
        #expect(generationsWithBody(try tree(Array(repeating: .none, count: 4))) == [4])
    }

    @Test func `retention keeps the newest bodies before the current one`() throws {
        #expect(generationsWithBody(try tree(Array(repeating: Self.two, count: 5))) == [5, 4, 3])
    }

    @Test func `retention does not keep short bodies`() throws {
        let rule = BodyRetention(revisionCount: 2, minimumByteCount: 1_000)
        #expect(generationsWithBody(try tree([rule, rule, rule])) == [3])
    }

    @Test func `an insertion without retention drops the retained bodies`() throws {
        #expect(generationsWithBody(try tree([Self.two, Self.two, Self.two, .none])) == [4])
    }

    @Test func `a body that a remote has is kept regardless of retention`() throws {
        var tree = try tree([.none])
        tree.markLatest(try id("1-aa"), at: remote)
        for _ in 0..<4 { try grow(&tree, Self.two) }
        #expect(generationsWithBody(tree) == [5, 4, 3, 1])
        try grow(&tree, .none)
        #expect(generationsWithBody(tree) == [6, 1])
    }

    @Test func `a received revision also retains the bodies before it`() throws {
        var tree = try tree([Self.two, Self.two])
        _ = try tree.insertRemote(
            id("3-bb"),
            history: [id("2-aa"), id("1-aa")],
            body: body("3-bb"),
            remote: nil,
            refusesConflicts: true,
            retaining: Self.two
        )
        #expect(generationsWithBody(tree) == [3, 2, 1])
    }

    @Test func `the base of a conflict is kept without retention`() throws {
        var tree = try tree([.none])
        tree.markLatest(try id("1-aa"), at: remote)
        try grow(&tree, .none)
        try tree.receive("2-bb,1-aa")
        try grow(&tree, .none)
        #expect(tree.commonAncestor(of: try id("3-aa"), and: try id("2-bb"))?.body != nil)
    }

    @Test func `retention does not change the pruning depth`() throws {
        let tree = try tree(Array(repeating: Self.two, count: 200))
        #expect(tree.revisions.count == RevisionLimits.depth)
        #expect(generationsWithBody(tree) == [200, 199, 198])
    }
}
