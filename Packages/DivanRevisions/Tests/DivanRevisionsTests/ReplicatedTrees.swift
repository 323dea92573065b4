import DivanRevisions

/// Trees of one document at several peers, and what a replicator would send between them.
///
/// A pull carries what the passive side holds, and whether it gave up what the active one holds; a
/// push names what the active side gave up. Letters of a pull may be written long before they arrive.
struct ReplicatedTrees {
    typealias Conflict = (local: RevisionTree.Revision, remote: RevisionTree.Revision)

    private(set) var all: [RevisionTree]
    /// How often a current revision was replaced by one that does not descend from it.
    private(set) var moveCount = 0
    private let keepsOrder: Bool
    private var letters: [Int: [Letter]] = [:]
    private var writtenCount = 0
    /// By receiver and sender, the newest letter that arrived.
    private var newest: [Int: [Int: Int]] = [:]

    /// By active and passive peer, the last revision that was sent to the active one.
    private var told: [[Int]: RevisionID] = [:]

    private struct Letter {
        let sender: Int
        let number: Int
        let revision: RevisionTree.Revision
        let history: [RevisionID]
        let closing: [RevisionID]
    }

    init(_ trees: [RevisionTree], keepsOrder: Bool) {
        all = trees
        self.keepsOrder = keepsOrder
    }

    subscript(node: Int) -> RevisionTree { all[node] }

    /// The name of a peer at the other peers.
    static func remote(_ node: Int) -> RemoteID { RemoteID(rawValue: UInt32(node + 1)) }

    var text: String { all.map(\.leafList).joined(separator: " | ") }

    mutating func edit(_ node: Int, _ text: String, isTombstone: Bool) throws {
        try all[node].save(text, isTombstone: isTombstone)
    }

    // MARK: Pull

    /// Writes what the passive side would send now.
    mutating func write(from sender: Int, to receiver: Int) {
        guard let revision = all[sender].current, let current = all[receiver].current else {
            return
        }
        writtenCount += 1
        letters[receiver, default: []].append(
            Letter(
                sender: sender,
                number: writtenCount,
                revision: revision,
                history: all[sender].lineage(of: revision.id).dropFirst().map(\.id),
                closing: all[sender].closedBranch(from: current.id)
            )
        )
    }

    /// The oldest letter arrives.
    mutating func deliver(to receiver: Int, deciding: (Conflict) -> RevisionTree.Decision) throws {
        guard letters[receiver]?.isEmpty == false, let letter = letters[receiver]?.removeFirst()
        else { return }
        try take(letter, at: receiver, deciding: deciding)
    }

    /// A letter that is written and arrives at once, before all others.
    mutating func pull(
        by receiver: Int,
        from sender: Int,
        deciding: (Conflict) -> RevisionTree.Decision
    ) throws {
        write(from: sender, to: receiver)
        guard let letter = letters[receiver]?.popLast() else { return }
        try take(letter, at: receiver, deciding: deciding)
    }

    /// The same, if there is anything that was not sent before.
    mutating func pullNews(
        by receiver: Int,
        from sender: Int,
        deciding: (Conflict) -> RevisionTree.Decision
    ) throws {
        let current = all[sender].current?.id
        guard told[[receiver, sender]] != current else { return }
        told[[receiver, sender]] = current
        try pull(by: receiver, from: sender, deciding: deciding)
    }

    /// Records what was sent before.
    mutating func noteTold(_ id: RevisionID, by sender: Int, to receiver: Int) {
        told[[receiver, sender]] = id
    }

    private mutating func take(
        _ letter: Letter,
        at receiver: Int,
        deciding: (Conflict) -> RevisionTree.Decision
    ) throws {
        let isOutdated = letter.number < newest[receiver]?[letter.sender] ?? 0
        if !isOutdated { newest[receiver, default: [:]][letter.sender] = letter.number }
        let keepsOrder = keepsOrder
        try change(receiver) { tree in
            let id = letter.revision.id
            if tree.contains(id), !tree.isGivenUp(id) {
                if !isOutdated { tree.markLatest(id, at: Self.remote(letter.sender)) }
            } else {
                _ = try tree.insertRemote(
                    id,
                    history: letter.history,
                    flags: letter.revision.flags.intersection(.tombstone),
                    body: letter.revision.body ?? [],
                    remote: Self.remote(letter.sender),
                    refusesConflicts: false,
                    closing: letter.closing,
                    keepsOrder: keepsOrder,
                    isOutdated: isOutdated
                )
            }
            while let conflict = tree.conflict {
                try tree.resolve(
                    local: conflict.local.id,
                    remote: conflict.remote.id,
                    as: deciding(conflict),
                    closesRemote: true
                )
            }
        }
    }

    // MARK: Push

    mutating func push(by sender: Int, to receiver: Int) throws {
        guard all[sender].conflict == nil, let mine = all[sender].current,
            let theirs = all[receiver].current
        else { return }
        let name = Self.remote(receiver)
        guard mine.id != theirs.id else {
            return change(sender) { $0.markLatest(mine.id, at: name) }
        }
        let closing = all[sender].closedBranch(from: theirs.id)
        guard !closing.isEmpty || all[sender].isAncestor(theirs.id, of: mine.id) else { return }
        var outcome = RevisionTree.InsertOutcome.conflict
        let history = all[sender].lineage(of: mine.id).dropFirst().map(\.id)
        let keepsOrder = keepsOrder
        try change(receiver) { tree in
            outcome = try tree.insertRemote(
                mine.id,
                history: history,
                flags: mine.flags.intersection(.tombstone),
                body: mine.body ?? [],
                remote: nil,
                refusesConflicts: true,
                closing: closing,
                keepsOrder: keepsOrder
            )
        }
        // It gets its own revision at once, and recognizes it.
        if outcome != .givenUp { told[[sender, receiver]] = mine.id }
        try change(sender) { tree in
            switch outcome {
            case .inserted, .alreadyThere, .overtaken: tree.markLatest(mine.id, at: name)
            case .givenUp: _ = try tree.takeBack(theirs.id, from: name)
            case .conflict: break
            }
        }
    }

    private mutating func change(
        _ node: Int,
        _ body: (inout RevisionTree) throws -> Void
    ) rethrows {
        let before = all[node].current?.id
        try body(&all[node])
        guard let before, let after = all[node].current?.id, after != before,
            !all[node].isAncestor(before, of: after)
        else { return }
        moveCount += 1
    }
}
