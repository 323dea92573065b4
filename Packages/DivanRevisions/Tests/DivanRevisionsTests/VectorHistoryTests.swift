import DivanRevisions
import DivanTestKit
import Testing

/// What a database of version vectors keeps of a document, and how neighbours come to agree.
@Suite struct VectorHistoryTests {
    /// Peers that each hold one document, and remember what the others have.
    struct Fleet {
        var histories: [any RevisionHistory]
        var authors: [RevisionAuthor]

        init(count: Int, using generator: inout SeededGenerator) throws {
            histories = (0..<count).map { _ in RevisionScheme.vectors.emptyHistory }
            authors = try (0..<count).map { _ in
                let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let source = try #require(SourceID(bytes: bytes))
                return RevisionAuthor(source: source, clock: HybridClock(), wall: Self.wall)
            }
        }

        private static let wall: UInt64 = 1_800_000_000_000_000_000

        mutating func save(_ body: String, at place: Int, isTombstone: Bool = false) throws {
            let edit = LocalEdit(
                parent: histories[place].current?.id,
                isTombstone: isTombstone,
                body: isTombstone ? Array("{}".utf8) : Array(body.utf8)
            )
            _ = try histories[place].save(edit, by: &authors[place])
        }

        /// Sends what one peer has to another, which tracks it; returns the outcome.
        @discardableResult
        mutating func send(from sender: Int, to receiver: Int) throws -> HistoryOutcome? {
            guard let current = histories[sender].current else { return nil }
            let known = histories[sender].latest(at: RemoteID(rawValue: UInt32(receiver)))
            let ancestry = histories[sender].ancestry(
                of: current.id,
                limit: 50,
                until: known.map { [$0] } ?? [],
                random: FixedRandom()
            )
            let received = ReceivedRevision(
                current.id,
                ancestry: try RevisionAncestry(of: current.id, text: ancestry.text(of: current.id)),
                flags: current.flags,
                body: current.body ?? [],
                remote: RemoteID(rawValue: UInt32(sender)),
                refusesConflicts: false
            )
            let outcome = try histories[receiver].insert(received, by: &authors[receiver])
            // A peer that lets it wait in a conflict has not accepted it, and our side of that conflict stays.
            if outcome != .givenUp, outcome != .inserted(isConflict: true) {
                histories[sender].markLatest(
                    current.id,
                    at: RemoteID(rawValue: UInt32(receiver)),
                    goesBack: true
                )
            }
            return outcome
        }

        /// Resolves by this peer's preference.
        mutating func resolve(at place: Int, using generator: inout SeededGenerator) throws {
            while let (local, remote) = histories[place].conflict {
                let decisions: [HistoryDecision] = [
                    .keepLocal, .keepRemote, .delete,
                    .merge(body: Array("\(local.id) \(remote.id)".utf8), hasBlobs: false),
                ]
                _ = try histories[place].end(
                    (local.id, remote.id),
                    as: decisions.randomElement(using: &generator) ?? .keepLocal,
                    closesRemote: false,
                    by: &authors[place]
                )
            }
        }

        mutating func reload(_ place: Int) throws {
            guard let current = histories[place].current else { return }
            let bytes = histories[place].encoded()
            let row = HistoryRevision(
                only: current.id,
                flags: current.flags,
                sequence: current.sequence,
                body: current.body
            )
            let again = try RevisionScheme.vectors.history(decoding: bytes.span, current: row)
            #expect(again.encoded() == bytes)
            histories[place] = again
        }
    }

    @Test func `the known revision that the requesting remote had is listed first`() throws {
        var generator = SeededGenerator(seed: 1)
        var fleet = try Fleet(count: 4, using: &generator)
        var latest: [RevisionID] = []
        for sender in 1...3 {
            try fleet.save("by \(sender)", at: sender)
            latest.append(try #require(fleet.histories[sender].current?.id))
            try fleet.send(from: sender, to: 0)
            if sender < 3 { try fleet.send(from: sender, to: sender + 1) }
        }
        try fleet.save("mine", at: 0)
        let mine = try #require(fleet.histories[0].current?.id)
        for sender in 1...3 {
            try fleet.save("again", at: sender)
            let standing = fleet.histories[0].standing(
                ofAnnounced: try #require(fleet.histories[sender].current?.id),
                at: RemoteID(rawValue: UInt32(sender)),
                keepsOrder: false
            )
            guard case .wanted(let named, _) = standing else {
                Issue.record("\(standing)")
                continue
            }
            #expect(Array(named.prefix(2)) == [mine, latest[sender - 1]])
            #expect(Set(named) == Set(latest + [mine]) && named.count == 4)
        }
    }

    @Test(arguments: 0..<80 as Range<UInt64>)
    func `peers with different resolvers converge`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...5, using: &generator)
        var fleet = try Fleet(count: count, using: &generator)
        var bodies: [RevisionID: [UInt8]] = [:]
        for step in 0..<60 {
            let (here, there) = (
                Int.random(in: 0..<count, using: &generator),
                Int.random(in: 0..<count, using: &generator)
            )
            if here == there || Int.random(in: 0..<3, using: &generator) == 0 {
                let isTombstone =
                    Int.random(in: 0..<6, using: &generator) == 0
                    && fleet.histories[here].current != nil
                try fleet.save("\(here) \(step)", at: here, isTombstone: isTombstone)
            } else {
                try fleet.send(from: here, to: there)
            }
            if Bool.random(using: &generator) { try fleet.resolve(at: there, using: &generator) }
            fleet.histories[here].assignSequence(UInt64(step + 1))
            try fleet.reload(here)
            for current in fleet.histories.compactMap(\.current) {
                let known = bodies.updateValue(current.body ?? [], forKey: current.id)
                #expect(known == nil || known == current.body, "seed \(seed): \(current.id)")
            }
        }
        // From now on there are no edits: each round sends what each peer has to both neighbours in a ring.
        var isRest = false
        for _ in 0..<60 where !isRest {
            for place in 0..<count {
                try fleet.resolve(at: place, using: &generator)
                try fleet.send(from: place, to: (place + 1) % count)
                try fleet.send(from: (place + 1) % count, to: place)
            }
            let names = Set(fleet.histories.map { $0.current?.id })
            isRest = names.count == 1 && !fleet.histories.contains { $0.isConflicted }
        }
        #expect(isRest, "seed \(seed): \(fleet.histories.map { $0.current?.id.description ?? "" })")
        let outcomes = Set(fleet.histories.map { $0.current?.body ?? [] })
        #expect(outcomes.count == 1, "seed \(seed)")
    }

    @Test func `keeping one side creates no revision, and merging creates one`() throws {
        var generator = SeededGenerator(seed: 1)
        var fleet = try Fleet(count: 2, using: &generator)
        try fleet.save("a", at: 0)
        try fleet.save("b", at: 1)
        #expect(try fleet.send(from: 1, to: 0) == .inserted(isConflict: true))
        let conflict = try #require(fleet.histories[0].conflict)
        var kept = fleet.histories[0]
        var author = fleet.authors[0]
        let names = (conflict.local.id, conflict.remote.id)
        _ = try kept.end(names, as: .keepLocal, closesRemote: false, by: &author)
        #expect(kept.current?.id == conflict.local.id && !kept.isConflicted)
        #expect(kept.isAncestor(conflict.remote.id, of: conflict.local.id))
        #expect(kept.latest(at: RemoteID(rawValue: 1)) == conflict.remote.id)
        var taken = fleet.histories[0]
        _ = try taken.end(names, as: .keepRemote, closesRemote: false, by: &author)
        #expect(taken.current?.id == conflict.remote.id)
        #expect(taken.latest(at: RemoteID(rawValue: 1)) == conflict.remote.id)
        var deleted = fleet.histories[0]
        _ = try deleted.end(names, as: .delete, closesRemote: false, by: &author)
        #expect(deleted.current?.isTombstone == true)
        #expect(deleted.current?.id.version?.source == author.source)
    }

    @Test func `keeping a side never uses the ID of its writer's next revision`() throws {
        var generator = SeededGenerator(seed: 2)
        var fleet = try Fleet(count: 3, using: &generator)
        try fleet.save("a", at: 1)
        for other in [0, 2] { try fleet.send(from: 1, to: other) }
        try fleet.save("b", at: 0)
        try fleet.save("", at: 1, isTombstone: true)
        try fleet.send(from: 1, to: 2)
        try fleet.save("c", at: 1)
        // The later one arrives first; the one that it follows arrives by another way, and is kept.
        try fleet.send(from: 1, to: 0)
        try fleet.send(from: 2, to: 0)
        let later = try #require(fleet.histories[1].current?.id)
        let tombstone = try #require(fleet.histories[2].current?.id)
        let local = try #require(fleet.histories[0].current?.id)
        for (ours, theirs, decision) in [
            (local, tombstone, HistoryDecision.keepRemote), (tombstone, later, .keepLocal),
        ] {
            _ = try fleet.histories[0].end(
                (ours, theirs),
                as: decision,
                closesRemote: false,
                by: &fleet.authors[0]
            )
        }
        let outcome = try #require(fleet.histories[0].current)
        #expect(outcome.isTombstone && outcome.id != later)
        #expect(outcome.id.version?.source == fleet.authors[0].source)
        for other in [1, 2] { try fleet.send(from: 0, to: other) }
        #expect(fleet.histories.allSatisfy { $0.current?.id == outcome.id && !$0.isConflicted })
    }

    @Test func `revisions in the history of a tree are still known after the upgrade`() throws {
        var tree = RevisionTree()
        try tree.receive("2-bb,1-aa")
        let mine = try tree.save("mine")
        tree.assignSequence(7)
        let current = try #require(tree.current)
        let history = try RevisionScheme.vectors.history(
            decoding: tree.encoded().span,
            current: current
        )
        #expect(history.current?.id == mine && history.current?.sequence == 7)
        #expect(history.latest(at: remote) == (try id("2-bb")))
        #expect(history.isAncestor(try id("1-aa"), of: mine))
        #expect(history.names(behind: mine) == [mine] + (try ids("2-bb,1-aa")))
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `damaged bytes give a valid history or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var fleet = try Fleet(count: 3, using: &generator)
        for place in 0..<3 { try fleet.save("\(place)", at: place) }
        for place in 1..<3 { try fleet.send(from: place, to: 0) }
        let current = try #require(fleet.histories[0].current)
        var bytes = fleet.histories[0].encoded()
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = .random(in: 0...255, using: &generator)
        }
        guard bytes[0] != 1,
            let read = try? RevisionScheme.vectors.history(decoding: bytes.span, current: current)
        else { return }
        #expect(read.current?.id == current.id)
        var changed = read
        _ = try? changed.save(
            LocalEdit(parent: current.id, body: Array("{}".utf8)),
            by: &fleet.authors[0]
        )
        if let conflict = changed.conflict {
            let names = (conflict.local.id, conflict.remote.id)
            _ = try? changed.end(names, as: .delete, closesRemote: false, by: &fleet.authors[0])
        }
        _ = changed.encoded()
    }
}
