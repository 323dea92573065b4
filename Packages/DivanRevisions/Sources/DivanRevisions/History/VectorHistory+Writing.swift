extension VectorHistory {
    /// Adds a local revision.
    ///
    /// - Throws: `notALeaf` if another revision is current; `parentMissing`.
    public mutating func save(
        _ edit: LocalEdit,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome {
        if let parent = edit.parent {
            guard entries.first?.id == parent else { throw .notALeaf(parent) }
        } else if !entries.isEmpty {
            throw .parentMissing
        }
        let old = currentVector
        let time = try author.time(after: old.vector)
        let vector = old.vector.saved(by: author.source, at: time)
        let mixed = MixedVector(vector: vector, legacy: old.legacy)
        let count = Entry.deletionCount(
            isTombstone: edit.isTombstone,
            after: Array(entries.prefix(1))
        )
        makeCurrent(
            Entry(mixed, flags: edit.flags, body: edit.body).counting(deletions: count)
        )
        settle(edit.retention, replaced: edit.parent)
        return .inserted(isConflict: false)
    }

    /// Adds a revision from a peer.
    ///
    /// - Throws: `badVersion` for a time that is invalid or in the future, a source that occurs twice, a version
    ///   after a tree ID; nothing has then been changed.
    public mutating func insert(
        _ received: ReceivedRevision,
        by author: inout RevisionAuthor
    ) throws(RevisionError) -> HistoryOutcome {
        var mixed = try MixedVector(received.id, received.ancestry)
        mixed.vector = mixed.vector.pruned()
        mixed.legacy = Array(mixed.legacy.prefix(VersionLimits.legacyCount))
        try author.see(mixed.vector, beyond: currentVector.vector)
        let flags = received.flags.intersection([.tombstone, .hasBlobs])
        var entry = Entry(mixed, flags: flags, body: received.body)
        guard let current = entries.first else {
            makeCurrent(entry)
            if let remote = received.remote { setMark(of: remote, to: 0) }
            return .inserted(isConflict: false)
        }
        let standing = standing(of: entry, to: current, received)
        switch standing {
        case .follow:
            let isUnaware = !entry.knows(current.id)
            entry = Entry(mixed.following(current.mixed), flags: flags, body: received.body)
                .counting(deletions: current.deletionCount)
            makeCurrent(entry)
            follow(received, at: 0)
            settle(received.retention, replaced: current.id)
            return .inserted(isConflict: false, isUnaware: isUnaware)
        case .known where current.mixed.isLegacy && mixed.order(to: current.mixed) == .same:
            // A tree ID and the version that it was converted to name one revision.
            follow(received, at: 0)
            settle(unchangedRetention)
            return .alreadyThere
        case .known, .behind:
            learn(entry)
            follow(received, at: add(entry))
            settle(unchangedRetention)
            return standing == .behind && received.remote == nil ? .overtaken : .alreadyThere
        case .stay:
            // Its sender must be told of ours again, even if remotes are not tracked.
            learn(entry)
            if received.remote != nil { follow(received, at: add(entry)) }
            entries[0].revision.sequence = 0
            settle(unchangedRetention)
            return .givenUp
        case .wait where received.refusesConflicts || received.remote == nil:
            return .conflict
        case .wait:
            return wait(received, as: entry)
        }
    }

    /// Keeps a revision in addition to the current one until the conflict is resolved.
    private mutating func wait(
        _ received: ReceivedRevision,
        as entry: Entry
    ) -> HistoryOutcome {
        let place = add(entry)
        entries[place].revision.flags.insert(.conflict)
        follow(received, at: place)
        settle(unchangedRetention)
        let isConflict = position(of: entry.id).map { entries[$0].isConflict } ?? false
        return .inserted(isConflict: isConflict)
    }

    /// Notes what was seen besides the current revision, so that nothing overtaken wins again.
    private mutating func learn(_ entry: Entry) {
        entries[0].mixed = entries[0].mixed.knowing(entry.mixed)
        entries[0] = entries[0].counting(deletions: entry.deletionCount)
    }

    /// Notes which revision the remote has now, which an outdated revision does not tell.
    private mutating func follow(_ received: ReceivedRevision, at position: Int) {
        guard let remote = received.remote else { return }
        // Nor does it if it knows what the remote has: of two that were given up for each other
        // each does.
        if received.isOutdated, latest(at: remote) != nil { return }
        setMark(of: remote, to: position)
    }

    /// Records that a remote has a revision: it accepted or reported it.
    ///
    /// A revision older than the current one need not be kept. With `goesBack` the remote reports that it is its
    /// current revision now: it won a conflict at a peer. A revision that includes the remote's and is included by
    /// it is recorded as well: both merged the same versions.
    public mutating func markLatest(_ id: RevisionID, at remote: RemoteID, goesBack: Bool) {
        if !goesBack, let previous = latest(at: remote), previous != id,
            entries.first(where: { $0.id == previous })?.knows(id) == true,
            entries.first(where: { $0.id == id })?.knows(previous) != true
        {
            return
        }
        guard let position = position(ofSameAs: id) ?? placeBehind(id) else { return }
        setMark(of: remote, to: position)
        settle(unchangedRetention)
    }

    /// An entry for a revision behind the current one, of which only the name is known.
    private mutating func placeBehind(_ id: RevisionID) -> Int? {
        guard let current = entries.first, current.knows(id) else { return nil }
        let mixed: MixedVector
        if let version = id.version {
            mixed = MixedVector(vector: VersionVector(version), legacy: current.mixed.legacy)
        } else {
            // It may be known only by the version that it is converted to.
            let names = current.mixed.legacy.drop { $0 != id }
            mixed = MixedVector(legacy: names.isEmpty ? [id] : Array(names))
        }
        return add(Entry(mixed, flags: [], body: nil))
    }

    /// Does nothing: the vector of a winning revision already includes the other.
    public mutating func graftCurrent(
        onto loser: RevisionID,
        blinding: [UInt8]
    ) throws(RevisionError) -> RevisionID? { nil }

    /// Does nothing: vectors have no closed branches.
    public mutating func takeBack(
        _ id: RevisionID,
        from remote: RemoteID
    ) throws(RevisionError) -> Bool { false }

    /// Sets the sequence of all new revisions.
    public mutating func assignSequence(_ sequence: UInt64) {
        for index in entries.indices where entries[index].revision.sequence == 0 {
            entries[index].revision.sequence = sequence
        }
    }

    /// Replaces the kept bodies of all revisions except the current one.
    public mutating func transformOldBodies<E: Error>(
        _ transform: ([UInt8]) throws(E) -> [UInt8]
    ) throws(E) {
        for index in entries.indices.dropFirst() {
            guard let body = entries[index].revision.body else { continue }
            entries[index].revision.body = try transform(body)
        }
    }
}

extension VectorHistory.Entry {
    init(_ mixed: MixedVector, flags: RevisionFlags, body: [UInt8]?) {
        // Made only from parts that have a name.
        let id = mixed.current ?? RevisionID(Version(checked: 1, .me))
        self.init(mixed, HistoryRevision(id: id, flags: flags, body: body))
    }
}
