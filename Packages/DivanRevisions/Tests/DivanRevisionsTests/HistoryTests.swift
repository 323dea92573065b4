import DivanCrypto
import DivanRevisions
import Testing

@Suite struct HistoryTests {
    @Test(arguments: [
        (50, "", "4-dd,3-cc,2-bb,1-aa"), (50, "3-cc", "4-dd,3-cc"), (50, "4-dd", "4-dd"),
        (3, "", "4-dd,3-cc"), (3, "1-aa", "4-dd,1-aa"), (3, "3-cc", "4-dd,3-cc"), (1, "4-dd", ""),
        (0, "", ""), (2, "1-aa", "1-aa"), (.max, "9-99", "4-dd,3-cc,2-bb,1-aa"),
    ])
    func `a history ends at a known revision or at the limit`(
        limit: Int,
        known: String,
        expected: String
    ) throws {
        var tree = RevisionTree()
        try tree.receive("5-ee,4-dd,3-cc,2-bb,1-aa")
        let history = tree.history(
            of: try id("5-ee"),
            limit: limit,
            until: Set(try ids(known)),
            random: FixedRandom()
        )
        #expect(history.map(\.description).joined(separator: ",") == expected)
    }

    @Test func `a gap is filled with placeholder IDs up to the limit`() throws {
        var tree = RevisionTree()
        let list = (0..<49).map { "\(100 - $0)-aa" } + ["3-aa"]
        try tree.receive(list.joined(separator: ","))
        tree.prune(depth: 2)
        tree.markLatest(try id("99-aa"), at: RemoteID(rawValue: 2))
        try tree.receive("101-aa,100-aa")
        tree.prune(depth: 1)
        #expect(tree.revisions.map(\.id) == (try ids("101-aa,99-aa")))

        let history = tree.history(of: try id("101-aa"), random: FixedRandom())
        #expect(history == (try ids("100-faded000abababababababab,99-aa")))
        let short = tree.history(of: try id("101-aa"), limit: 2, random: FixedRandom())
        #expect(short == (try ids("100-faded000abababababababab")))
        let known: Set = [try id("99-aa")]
        let end = tree.history(of: try id("101-aa"), limit: 2, until: known, random: FixedRandom())
        #expect(end == (try ids("99-aa")))
    }

    @Test func `a large gap in generations does not fill memory`() throws {
        var tree = RevisionTree()
        let list = (0..<49).map { "\(4_294_967_295 - $0)-aa" } + ["1-aa"]
        try tree.receive(list.joined(separator: ","))
        let leaf = try #require(tree.current?.id)
        let history = tree.history(of: leaf, limit: .max, random: FixedRandom())
        #expect(history.count == RevisionLimits.historyCount - 1)
    }

    @Test func `the history of a first or unknown revision is empty`() throws {
        var tree = RevisionTree()
        let first = try tree.save("a")
        #expect(tree.history(of: first, random: FixedRandom()).isEmpty)
        #expect(tree.history(of: try id("7-aa"), random: FixedRandom()).isEmpty)
    }

    @Test func `a placeholder ID is new each time`() throws {
        var tree = RevisionTree()
        try tree.receive("3-cc,2-bb,1-aa")
        tree.markLatest(try id("1-aa"), at: RemoteID(rawValue: 2))
        tree.prune(depth: 1)
        let first = tree.history(of: try id("3-cc"), random: SystemRandomSource())
        let second = tree.history(of: try id("3-cc"), random: SystemRandomSource())
        try #require(first.count == 2)
        try #require(second.count == 2)
        #expect(first[0] != second[0])
        #expect(first[0].digest.hasPrefix("faded000"))
        #expect(first[1] == (try id("1-aa")))
    }
}

@Suite struct PruningTests {
    @Test func `pruning keeps the depth below each leaf`() throws {
        var tree = RevisionTree()
        for step in 1...120 { try tree.save("\(step)") }
        #expect(tree.revisions.count == 50)
        #expect(tree.revisions.last?.id.generation == 71)
    }

    @Test func `pruning keeps revisions that a remote has and links across the rest`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        for step in 1...60 { try tree.save("\(step)") }
        #expect(tree.latest(at: remote) == (try id("1-aa")))
        #expect(tree.revisions.count == 51)
        let leaf = try #require(tree.current?.id)
        #expect(tree.isAncestor(try id("1-aa"), of: leaf))
        #expect(tree[try id("1-aa")]?.body == body("1-aa"))
    }

    @Test func `pruning removes a shared ancestor even if another leaf is closer to it`() throws {
        var tree = RevisionTree()
        try tree.receive("4-dd,3-cc,2-bb,1-aa", from: nil)
        try tree.receive("2-ff,1-aa", from: nil)
        tree.prune(depth: 2)
        #expect(tree.revisions.map(\.id) == (try ids("4-dd,3-cc,2-ff")))
        #expect(tree.revisions.map(\.parent) == [1, nil, nil])
    }
}
