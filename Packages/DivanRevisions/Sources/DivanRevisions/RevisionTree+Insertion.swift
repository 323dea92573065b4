extension RevisionTree {
    /// The result of adding a revision.
    public typealias InsertOutcome = HistoryOutcome

    /// Adds a local revision.
    ///
    /// - Parameters:
    ///   - id: The digest of `parent` and `body`.
    ///   - parent: A leaf, or `nil` in an empty tree.
    ///   - isTombstone: Whether it deletes the document.
    ///   - hasBlobs: Whether the body refers to blobs.
    ///   - body: Canonical JSON; `{}` for a tombstone.
    ///   - retention: The rule for old bodies.
    /// - Returns: `inserted`, or `alreadyThere` if the tree contains the same edit.
    /// - Throws: `notALeaf`, `parentMissing` or `wrongGeneration`; the tree is then unchanged.
    @discardableResult
    public mutating func insertLocal(
        _ id: RevisionID,
        parent: RevisionID?,
        isTombstone: Bool = false,
        hasBlobs: Bool = false,
        body: [UInt8],
        retaining retention: BodyRetention = .none
    ) throws(RevisionError) -> InsertOutcome {
        if contains(id) { return .alreadyThere }
        var flags: RevisionFlags = []
        if isTombstone { flags.insert(.tombstone) }
        if hasBlobs { flags.insert(.hasBlobs) }
        var parentPosition: Int?
        if let parent {
            guard let position = position(of: parent), isLeaf(position) else {
                throw .notALeaf(parent)
            }
            parentPosition = position
        } else if !revisions.isEmpty {
            throw .parentMissing
        }
        let expected = try parent?.nextGeneration() ?? 1
        guard id.generation == expected else { throw .wrongGeneration(id, expected: expected) }
        _ = add([Revision(id: id, flags: flags, body: body)], onto: parentPosition)
        retainBodies(retention)
        settle()
        prune()
        return .inserted(isConflict: false)
    }

    /// Adds a revision from a peer.
    ///
    /// - Parameters:
    ///   - id: Its ID, stored as received.
    ///   - history: Its ancestors, newest first. Generations descend one by one; gaps are allowed
    ///     only after the first `RevisionLimits.depth` − 1 entries, `id` included.
    ///   - flags: Only `tombstone` and `hasBlobs` are allowed.
    ///   - body: JSON as received.
    ///   - remote: The remote that sent it; `nil` if the remote is not tracked.
    ///   - refusesConflicts: Whether only children of a leaf are accepted, and, unless the sender `keepsOrder`,
    ///     revisions that restore a deleted document: a live revision without ancestors in the tree, as in Sync
    ///     Gateway (`revisions.md` §7). The tombstones are then closed.
    ///   - closing: A tombstone with its history, newest first, that closes the branch of the current revision in
    ///     favour of this one: sent by a peer that kept its own side in a conflict (`revisions.md` §8). Used if
    ///     conflicts are rejected, and for a revision that lost a conflict here.
    ///   - keepsOrder: Whether the sender records and sends closed branches and applies the order of
    ///     `Precedence`, as Divan peers do. The decisions of other peers are always accepted.
    ///   - isOutdated: Whether the remote is known to have a newer revision: its recorded latest revision is not
    ///     changed, and a conflicting revision is a conflict.
    ///   - retention: The rule for old bodies.
    /// - Returns: The result.
    /// - Throws: `brokenHistory`; the tree is then unchanged.
    public mutating func insertRemote(
        _ id: RevisionID,
        history: [RevisionID],
        flags: RevisionFlags = [],
        body: [UInt8],
        remote: RemoteID?,
        refusesConflicts: Bool,
        closing: [RevisionID] = [],
        keepsOrder: Bool = false,
        isOutdated: Bool = false,
        retaining retention: BodyRetention = .none
    ) throws(RevisionError) -> InsertOutcome {
        let received = Received(
            id: id,
            history: history,
            flags: flags,
            body: body,
            remote: remote,
            closing: closing,
            keepsOrder: keepsOrder,
            isOutdated: isOutdated,
            retention: retention
        )
        if isLeftBehind(received) { return .alreadyThere }
        if let outcome = rejoin(received) { return outcome }
        if keepsOrder, isGivenUp(id) {
            return try contend(received, refusesConflicts)
        }
        if keepsOrder, let outcome = recall(received) { return outcome }
        guard refusesConflicts, !closing.isEmpty, !revisions.isEmpty,
            !contains(id) || isClosed(id) || waits(id)
        else { return try insert(received, refusesConflicts: refusesConflicts) }
        var closed = self
        guard try closed.closeCurrent(with: closing) else { return .conflict }
        // The sender has decided: the branch that this one continues no longer waits.
        if let known = ([id] + history).lazy.compactMap(closed.position).first {
            closed.clearConflict(from: known)
        }
        let outcome =
            contains(id)
            ? closed.reopen(received) : try closed.insert(received, refusesConflicts: false)
        // Reopening a branch adds the revisions that closed the other one, and does not prune.
        closed.prune()
        self = closed
        return outcome
    }

    /// Decides about a revision that was given up here and arrives again, from a peer that applies
    /// the order: it replaces the current one if the peer gave up that one, and if it
    /// is above it; otherwise it stays closed, and the peer is told of ours (`Precedence`).
    private mutating func contend(
        _ received: Received,
        _ refusesConflicts: Bool
    ) throws(RevisionError) -> InsertOutcome {
        guard let current else { return .conflict }
        let closing = received.closing
        guard !received.isOutdated else { return .alreadyThere }
        let isAbove = Precedence(current) < Precedence(received.id, received.flags)
        // A descendant of ours that lost is news, and was decided later than what we know.
        let hasNews = (closing.firstIndex(of: current.id) ?? 0) > 1
        // If each of the two was continued and lost somewhere, both are news, and the order decides.
        let wentOnHere = !isClosed(received.id)
        let takesPlace = wentOnHere ? isAbove && hasNews : isAbove || hasNews
        var changed = self
        if takesPlace, try changed.closeCurrent(with: closing) {
            self = changed
            if wentOnHere { removeDescendants(of: received.id) }
            return takeBack(received)
        }
        if refusesConflicts, closing.isEmpty || closing.last != current.id { return .conflict }
        if let remote = received.remote, let position = position(of: received.id) {
            // The body is used if the peer insists.
            revisions[position].body = received.body
            revisions[position].flags.formUnion(
                received.flags.intersection([.tombstone, .hasBlobs])
            )
            markLatest(received.id, at: remote)
            settle()
        }
        touch()
        return .givenUp
    }

    /// Reopens a closed branch, which replaces the current one that was closed for it.
    mutating func takeBack(_ received: Received) -> InsertOutcome {
        guard let position = position(of: received.id) else { return .alreadyThere }
        let flags = received.flags.intersection([.tombstone, .hasBlobs])
        reopen(position, flags, body: received.body)
        if let remote = received.remote { markLatest(received.id, at: remote) }
        settle()
        prune()
        return .inserted(isConflict: false)
    }

    /// Makes the current revision count as changed.
    mutating func touch() {
        guard let current = currentPosition else { return }
        revisions[current].sequence = 0
    }

    /// A received revision and its circumstances; the members are those of `insertRemote`.
    struct Received {
        let id: RevisionID
        let history: [RevisionID]
        let flags: RevisionFlags
        let body: [UInt8]
        let remote: RemoteID?
        let closing: [RevisionID]
        let keepsOrder: Bool
        let isOutdated: Bool
        let retention: BodyRetention
    }

    private mutating func insert(
        _ received: Received,
        refusesConflicts: Bool
    ) throws(RevisionError) -> InsertOutcome {
        let (id, flags, remote) = (received.id, received.flags, received.remote)
        let listed = [id] + received.history.prefix(RevisionLimits.historyCount)
        try Self.check(listed)
        let known = listed.firstIndex(where: contains)
        if known == 0 { return insertKnown(received, refusesConflicts) }
        let parent = known.flatMap { position(of: listed[$0]) }
        let isContinuation = parent.map(isLeaf) ?? revisions.isEmpty
        let isRevival =
            refusesConflicts && !received.keepsOrder && parent == nil && revives(flags)
        let endsElsewhere = parent.map(isClosedBeside) ?? false
        if refusesConflicts, !isRevival, !isContinuation || endsElsewhere { return .conflict }

        let joinsConflict = parent.map { revisions[$0].flags.contains(.conflict) } ?? false
        // If a deleted branch is continued next to the one that brought the document back, it is a
        // conflict: the longer of the two must not hide the other.
        // A branch that waits for a decision continues to wait, whoever adds to it.
        let isConflict =
            !isRevival && (joinsConflict || remote != nil && (!isContinuation || endsElsewhere))
        if isRevival { closeTombstones() }
        let before = currentPosition.map { revisions[$0].id }
        let missing = listed[..<(known ?? listed.count)]
        let chain = missing.reversed().map { ancestor in
            let isNewest = ancestor == id
            return Revision(
                id: ancestor,
                flags: (isNewest ? flags.intersection([.tombstone, .hasBlobs]) : [])
                    .union(isConflict ? .conflict : []),
                body: isNewest ? received.body : nil
            )
        }
        _ = add(chain, onto: parent)
        follow(received, currentBefore: before)
        retainBodies(received.retention)
        settle()
        prune()
        return .inserted(isConflict: self[id]?.flags.contains(.conflict) ?? false)
    }

    /// Takes a revision that is in the tree: news only if it was closed here.
    private mutating func insertKnown(
        _ received: Received,
        _ refusesConflicts: Bool
    ) -> InsertOutcome {
        let hasGoneBack =
            !refusesConflicts && !received.isOutdated && !isClosed(received.id)
            && hasGoneBack(to: received.id, at: received.remote)
        if hasGoneBack { removeDescendants(of: received.id) }
        guard hasGoneBack || isClosed(received.id) else {
            if let remote = received.remote, !received.isOutdated {
                markLatest(received.id, at: remote)
            }
            return .alreadyThere
        }
        return refusesConflicts ? .conflict : reopen(received)
    }

    /// Continues the branch of a closed revision: its sender holds it, whatever was decided
    /// here.
    private mutating func reopen(_ received: Received) -> InsertOutcome {
        guard let position = position(of: received.id) else { return .alreadyThere }
        let before = currentPosition.map { revisions[$0].id }
        let flags = received.flags.intersection([.tombstone, .hasBlobs])
        let isConflict = received.remote != nil
        if !isConflict { clearConflict(from: position) }
        reopen(position, isConflict ? flags.union(.conflict) : flags, body: received.body)
        follow(received, currentBefore: before)
        settle()
        return .inserted(isConflict: self[received.id]?.flags.contains(.conflict) ?? false)
    }

    /// Whether this came late, and is unrelated to what is here: the remote has recreated the document
    /// since, or let another revision win in it, so this must not be taken for its latest state.
    private func isLeftBehind(_ received: Received) -> Bool {
        received.isOutdated && !revisions.isEmpty && !contains(received.id)
            && !received.history.contains(where: contains)
    }

    /// Notes which revision the remote has now, which an outdated revision does not tell.
    private mutating func follow(_ received: Received, currentBefore: RevisionID?) {
        guard let remote = received.remote else { return }
        if received.isOutdated, let latest = latest(at: remote),
            !isAncestor(latest, of: received.id)
        {
            return
        }
        moveMark(of: remote, to: received, currentBefore: currentBefore)
    }

    /// Whether a revision with these flags brings a deleted document back.
    private func revives(_ flags: RevisionFlags) -> Bool {
        (current?.isTombstone ?? false) && !flags.contains(.tombstone)
    }

    /// Whether a revision is in a conflict that is unresolved here.
    func waits(_ id: RevisionID) -> Bool {
        guard let position = position(of: id), isLeaf(position) else { return false }
        return revisions[position].flags.contains(.conflict)
    }

    /// Whether this branch was closed and the document continues in another one.
    func isClosedBeside(_ position: Int) -> Bool {
        revisions[position].flags.contains(.closed) && position != currentPosition
    }

    /// Ends the current branch with a peer's tombstone; false when that does not continue it.
    private mutating func closeCurrent(with listed: [RevisionID]) throws(RevisionError) -> Bool {
        try Self.check(listed)
        guard let known = listed.firstIndex(where: contains), let end = position(of: listed[known]),
            end == currentPosition || join(end, toCurrentNamedIn: listed)
        else { return false }
        guard known > 0 else {
            if revisions[end].isTombstone { revisions[end].flags.insert(.closed) }
            return revisions[end].isTombstone
        }
        let chain = listed[..<known].reversed().map { ancestor in
            let isNewest = ancestor == listed[0]
            return Revision(
                id: ancestor,
                flags: isNewest ? [.tombstone, .closed] : [],
                body: isNewest ? Array("{}".utf8) : nil
            )
        }
        _ = add(chain, onto: end)
        settle()
        return true
    }

    /// Ranks every tombstone below the branch that now begins, even if that ends in one too.
    private mutating func closeTombstones() {
        for position in leafPositions where revisions[position].isTombstone {
            revisions[position].flags.insert(.closed)
        }
    }

    private static func check(_ listed: [RevisionID]) throws(RevisionError) {
        if let version = listed.first(where: \.isVersion) { throw .foreignScheme(version) }
        for position in listed.indices.dropFirst() {
            let generation = listed[position].generation
            let previous = listed[position - 1].generation
            let mayLeap = position >= RevisionLimits.depth - 1
            guard generation < previous, mayLeap || generation == previous - 1 else {
                throw .brokenHistory(position: position, generation: generation)
            }
        }
    }
}
