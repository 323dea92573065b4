import DivanRevisions
import DivanTestKit
import Testing

/// Two revisions that were each given up for the other, somewhere.
@Suite struct PrecedenceTests {
    private let lower = "2-bb"
    private let greater = "2-cc"

    /// A peer that gave up `loser` for `winner`, both of them known at `remote`.
    private func peer(gaveUp loser: String, for winner: String) throws -> RevisionTree {
        var tree = RevisionTree()
        try tree.receive("1-aa", from: nil)
        try tree.receive("\(loser),1-aa", from: nil)
        try tree.receive("\(winner),1-aa", from: RemoteID(rawValue: 8))
        try tree.resolve(local: id(loser), remote: id(winner), as: .keepRemote, closesRemote: true)
        return tree
    }

    private func offer(
        _ text: String,
        closing: [RevisionID],
        to tree: inout RevisionTree,
        isPush: Bool
    ) throws -> RevisionTree.InsertOutcome {
        try tree.insertRemote(
            id(text),
            history: [id("1-aa")],
            body: body(text),
            remote: isPush ? nil : remote,
            refusesConflicts: isPush,
            closing: closing,
            keepsOrder: true
        )
    }

    @Test(arguments: [true, false])
    func `of two revisions that close each other the greater one becomes current`(
        isPush: Bool
    ) throws {
        var tree = try peer(gaveUp: greater, for: lower)
        let closing = [try RevisionTree.closing(of: id(lower), for: id(greater)).id, try id(lower)]
        let outcome = try offer(greater, closing: closing, to: &tree, isPush: isPush)
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.current?.id == (try id(greater)))
        #expect(tree.isClosed(try id(lower)))
        #expect(tree.latest(at: remote) == (isPush ? nil : try id(greater)))
    }

    @Test(arguments: [true, false])
    func `the lower revision stays closed, and the current one counts as changed`(
        isPush: Bool
    ) throws {
        var tree = try peer(gaveUp: lower, for: greater)
        tree.assignSequence(5)
        let closing = [
            try RevisionTree.closing(of: id(greater), for: id(lower)).id, try id(greater),
        ]
        let outcome = try offer(lower, closing: closing, to: &tree, isPush: isPush)
        #expect(outcome == .givenUp)
        #expect(tree.current?.id == (try id(greater)))
        #expect(tree.current?.sequence == 0)
        #expect(tree.isClosed(try id(lower)))
        #expect(tree.latest(at: remote) == (isPush ? nil : try id(lower)))
    }

    /// Each peer has the other's revision with its continuation, which was given up there.
    @Test func `two revisions that continued and lost on other peers do not block each other`()
        throws
    {
        func peer(with winner: String, wentOn: String, for loser: String) throws -> RevisionTree {
            var tree = RevisionTree()
            try tree.receive(winner, from: nil)
            try tree.receive("\(wentOn),\(loser)", from: RemoteID(rawValue: 8))
            try tree.resolve(
                local: id(winner),
                remote: id(wentOn),
                as: .keepLocal,
                closesRemote: true
            )
            return tree
        }
        var lowerPeer = try peer(with: "1-bb", wentOn: "2-dd", for: "1-cc")
        var greaterPeer = try peer(with: "1-cc", wentOn: "2-ee", for: "1-bb")
        func offer(
            _ text: String,
            from sender: RevisionTree,
            to tree: inout RevisionTree
        ) throws -> RevisionTree.InsertOutcome {
            let closing = sender.closedBranch(from: try #require(tree.current?.id))
            return try tree.insertRemote(
                id(text),
                history: [],
                body: body(text),
                remote: nil,
                refusesConflicts: true,
                closing: closing,
                keepsOrder: true
            )
        }
        #expect(try offer("1-bb", from: lowerPeer, to: &greaterPeer) == .givenUp)
        #expect(greaterPeer.current?.id == (try id("1-cc")))
        let neighbour = RemoteID(rawValue: 8)
        #expect(lowerPeer.latest(at: neighbour) == (try id("2-dd")))
        let outcome = try offer("1-cc", from: greaterPeer, to: &lowerPeer)
        #expect(outcome == .inserted(isConflict: false))
        #expect(lowerPeer.current?.id == (try id("1-cc")))
        // A peer that has a removed revision is notified again, and does not count as up to date.
        #expect(lowerPeer.latest(at: neighbour) == nil)
    }

    /// A revision that waits here for a resolver was decided by its sender.
    @Test func `a conflict ends when the sender closed our revision for the other one`() throws {
        var tree = RevisionTree()
        try tree.receive("\(lower),1-aa", from: nil)
        try tree.receive("\(greater),1-aa", from: RemoteID(rawValue: 8))
        #expect(tree.conflict != nil)
        let closing = [try RevisionTree.closing(of: id(lower), for: id(greater)).id, try id(lower)]
        _ = try offer(greater, closing: closing, to: &tree, isPush: true)
        #expect(tree.current?.id == (try id(greater)))
        #expect(tree.conflict == nil)
        #expect(tree.isClosed(try id(lower)))
    }

    /// The sender of a continuation of a waiting branch gave ours up: otherwise the tombstone that closed
    /// ours would be current, a revision that nobody made.
    @Test func `a continuation of a conflicting branch becomes current if its sender closed ours`()
        throws
    {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa", from: nil)
        try tree.receive("2-cc,1-ee", from: RemoteID(rawValue: 8))
        try tree.receive("3-dd,2-cc,1-ee", from: RemoteID(rawValue: 8))
        let (ours, theirs) = (try id("2-bb"), try id("4-ff"))
        let outcome = try tree.insertRemote(
            theirs,
            history: ids("3-dd,2-cc,1-ee"),
            flags: .tombstone,
            body: Array("{}".utf8),
            remote: nil,
            refusesConflicts: true,
            closing: [RevisionTree.closing(of: ours, for: theirs).id, ours],
            keepsOrder: true
        )
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.current?.id == theirs)
        #expect(tree.conflict == nil)
        #expect(tree.isClosed(ours))
    }

    /// A peer that was not notified of our revision has decided nothing about it.
    @Test func `a losing revision is restored only by a peer that gave up ours`() throws {
        var tree = try peer(gaveUp: greater, for: lower)
        #expect(try offer(greater, closing: [], to: &tree, isPush: false) == .givenUp)
        #expect(tree.current?.id == (try id(lower)))
        #expect(tree.conflict == nil)
        // It insists: now both have been given up for the other.
        #expect(try tree.takeBack(id(greater), from: remote))
        #expect(tree.current?.id == (try id(greater)))
        #expect(tree.current?.body == body(greater))
        #expect(tree.isClosed(try id(lower)))
        #expect(try !tree.takeBack(id(lower), from: remote))
    }

    @Test func `a remote that closed our revision for another one is followed`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        try tree.receive("\(greater),1-aa")
        let closing = [
            try RevisionTree.closing(of: id(greater), for: id(lower)).id, try id(greater),
        ]
        #expect(
            try offer(lower, closing: closing, to: &tree, isPush: false)
                == .inserted(isConflict: false)
        )
        #expect(tree.current?.id == (try id(lower)))
        #expect(tree.isClosed(try id(greater)))
    }

    /// For instance, its database was replaced, and the document was created again there.
    @Test func `a revision of a remote that did not close ours is in conflict with it`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        try tree.receive("\(greater),1-aa")
        #expect(
            try offer(lower, closing: [], to: &tree, isPush: false) == .inserted(isConflict: true)
        )
        #expect(tree.conflict?.local.id == (try id(greater)))
        #expect(tree.conflict?.remote.id == (try id(lower)))
    }

    /// The other side knew how ours continued, and gave that up.
    @Test(arguments: [true, false])
    func `a revision that continued and lost on another peer also loses locally`(
        isPush: Bool
    ) throws {
        var tree = try peer(gaveUp: lower, for: greater)
        let next = try id("3-dd")
        let closing = [
            try RevisionTree.closing(of: next, for: id(lower)).id, next, try id(greater),
        ]
        let outcome = try offer(lower, closing: closing, to: &tree, isPush: isPush)
        #expect(outcome == .inserted(isConflict: false))
        #expect(tree.current?.id == (try id(lower)))
        #expect(tree.isGivenUp(try id(greater)))
        // And peers that still have it are notified.
        #expect(
            try offer(
                greater,
                closing: [RevisionTree.closing(of: id(lower), for: id(greater)).id, id(lower)],
                to: &tree,
                isPush: isPush
            ) == .givenUp
        )
    }

    @Test func `a closed revision from a peer that does not close branches is a conflict`() throws {
        var tree = try peer(gaveUp: greater, for: lower)
        try tree.receive("\(greater),1-aa")
        #expect(tree.conflict?.remote.id == (try id(greater)))
    }

    @Test func `an outdated announcement of a closed revision changes nothing`() throws {
        var tree = try peer(gaveUp: greater, for: lower)
        let before = tree
        let outcome = try tree.insertRemote(
            id(greater),
            history: [id("1-aa")],
            body: body(greater),
            remote: remote,
            refusesConflicts: false,
            keepsOrder: true,
            isOutdated: true
        )
        #expect(outcome == .alreadyThere)
        #expect(tree == before)
    }
}

/// Peers that announce their revisions to each other, in any order, with any decisions.
@Suite struct RotationTests {
    /// The three peers that changed places for ever: one has both and the greater, one only the lower,
    /// one has both and the lower, and each follows the next.
    @Test func `three peers in a circle converge`() throws {
        let turned = try circle(keepsOrder: true)
        #expect(Set(turned.all.compactMap(\.current?.id)) == [try id("2-cc")])
        #expect(turned.moveCount <= 4)
        let endless = try circle(keepsOrder: false)
        #expect(endless.moveCount >= 60, "the circle has lost what made it turn")
    }

    private func circle(keepsOrder: Bool) throws -> ReplicatedTrees {
        let (lower, greater) = ("2-bb", "2-cc")
        var first = RevisionTree()
        try first.receive("1-aa", from: nil)
        try first.receive("\(lower),1-aa", from: nil)
        _ = try first.insertRemote(
            id(greater),
            history: [id("1-aa")],
            body: body(greater),
            remote: nil,
            refusesConflicts: true,
            closing: [RevisionTree.closing(of: id(lower), for: id(greater)).id, id(lower)]
        )
        var second = RevisionTree()
        try second.receive("1-aa", from: ReplicatedTrees.remote(0))
        try second.receive("\(lower),1-aa", from: ReplicatedTrees.remote(0))
        var third = RevisionTree()
        try third.receive("1-aa", from: ReplicatedTrees.remote(0))
        try third.receive("\(greater),1-aa", from: ReplicatedTrees.remote(0))
        try third.receive("\(lower),1-aa", from: ReplicatedTrees.remote(1))
        try third.resolve(
            local: id(greater),
            remote: id(lower),
            as: .keepRemote,
            closesRemote: true
        )
        var peers = ReplicatedTrees([first, second, third], keepsOrder: keepsOrder)
        peers.noteTold(try id(greater), by: 0, to: 2)
        peers.noteTold(try id(lower), by: 1, to: 2)
        for _ in 0..<20 {
            for (active, passive) in [(1, 0), (2, 0), (2, 1)] {
                try peers.pullNews(by: active, from: passive) { .decided($0) }
                try peers.push(by: active, to: passive)
            }
        }
        return peers
    }

    /// Whatever is decided, and whichever letter arrives first: after the last edit the peers come to rest.
    @Test(arguments: 0..<TestLength.of(6, long: UInt64(60)))
    func `peers converge to the same revision`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &* 77 &+ 5)
        for _ in 0..<20 { try settle(using: &generator, seed: seed) }
    }

    private func settle(using generator: inout SeededGenerator, seed: UInt64) throws {
        let count = Int.random(in: 2...6, using: &generator)
        var tree = RevisionTree()
        try tree.receive("1-aa", from: nil)
        var peers = ReplicatedTrees(Array(repeating: tree, count: count), keepsOrder: true)
        var links = (1..<count).map { ($0, Int.random(in: 0..<$0, using: &generator)) }
        for active in 0..<count {
            for passive in 0..<count where active != passive {
                if Int.random(in: 0..<3, using: &generator) == 0 { links.append((active, passive)) }
            }
        }
        var editCount = 0
        for step in 0..<Int.random(in: 0...40, using: &generator) {
            if editCount < 8, Bool.random(using: &generator) {
                editCount += 1
                let node = Int.random(in: 0..<count, using: &generator)
                if !peers[node].isConflicted {
                    let isTombstone =
                        peers[node].current?.isTombstone == false
                        && Int.random(in: 0..<5, using: &generator) == 0
                    try peers.edit(node, "\(node)-\(step)", isTombstone: isTombstone)
                }
            }
            try exchange(&peers, links, using: &generator)
        }
        let before = peers.moveCount
        var quietCount = 0
        var roundCount = 0
        while quietCount < 3, roundCount < 200 {
            let moves = peers.moveCount
            for _ in 0..<(links.count * 4) { try exchange(&peers, links, using: &generator) }
            for (active, passive) in links {
                try peers.pull(by: active, from: passive) { conflict in .decided(conflict) }
                try peers.push(by: active, to: passive)
            }
            quietCount = peers.moveCount == moves ? quietCount + 1 : 0
            roundCount += 1
        }
        let current = Set(peers.all.compactMap(\.current?.id))
        #expect(current.count == 1, "seed \(seed): \(peers.text)")
        #expect(peers.all.allSatisfy { $0.conflict == nil }, "seed \(seed)")
        // R of `Precedence`, without the closing tombstones.
        let madeCount = editCount + 1
        #expect(peers.moveCount - before <= count * madeCount * (madeCount + 1), "seed \(seed)")
    }

    /// One letter between two neighbours, or an older one that arrives late.
    private func exchange(
        _ peers: inout ReplicatedTrees,
        _ links: [(Int, Int)],
        using generator: inout SeededGenerator
    ) throws {
        guard let (active, passive) = links.randomElement(using: &generator) else { return }
        let keepsLocal = Bool.random(using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: try peers.push(by: active, to: passive)
        case 1: peers.write(from: passive, to: active)
        case 2: try peers.deliver(to: active) { _ in keepsLocal ? .keepLocal : .keepRemote }
        default:
            try peers.pull(by: active, from: passive) { _ in
                keepsLocal ? .keepLocal : .keepRemote
            }
        }
    }
}

extension RevisionTree.Decision {
    /// The decision of every peer.
    fileprivate static func decided(
        _ conflict: (local: RevisionTree.Revision, remote: RevisionTree.Revision)
    ) -> Self {
        let (local, remote) = conflict
        if local.isTombstone != remote.isTombstone {
            return local.isTombstone ? .keepLocal : .keepRemote
        }
        return local.id > remote.id ? .keepLocal : .keepRemote
    }
}
