public import DivanRevisions

/// A revision that a remote has: the remote accepted it, or announced that it has it.
public struct KnownRevision: Equatable, Sendable {
    /// The document.
    public var documentID: DocumentID
    /// The revision.
    public var revisionID: RevisionID
    /// Its sequence, if it was the only revision of the document then.
    public var sequence: UInt64?
    /// The greatest sequence of the collection when the feed was read; 0 if unknown.
    public var feedEnd: UInt64
    /// Whether the remote announced this as its current revision, even if it is known to have had a descendant.
    public var isCurrentThere: Bool

    /// Creates a mark for `StoreWriter.markKnown`.
    public init(
        documentID: DocumentID,
        revisionID: RevisionID,
        sequence: UInt64? = nil,
        feedEnd: UInt64 = 0,
        isCurrentThere: Bool = false
    ) {
        self.documentID = documentID
        self.revisionID = revisionID
        self.sequence = sequence
        self.feedEnd = feedEnd
        self.isCurrentThere = isCurrentThere
    }
}

// MARK: Reading marks

extension StoreReader {
    /// What remotes have of a collection; read once per block.
    func known(in collection: OpenCollection) throws(StoreError) -> KnownSequences {
        if let known = collection.known { return known }
        var known = KnownSequences()
        if let value = try value(collection.key, in: .knownSequences) {
            guard let stored = KnownSequences(encoded: value) else {
                throw StoreError(.corrupt("invalid remotes of \(collection.path)"), at: path)
            }
            known = stored
        }
        collection.known = known
        return known
    }

    /// A collection of a damaged database, whose name may be another one in the copy.
    ///
    /// What remotes have is dispensable, and must cost no document if it is damaged.
    @_spi(Database) public func salvagedCollection(
        _ id: CollectionID,
        as path: CollectionPath
    ) throws(StoreError) -> OpenCollection {
        let collection = OpenCollection(path: path, id: id)
        collection.known =
            try current().damageReading.readableValues(in: .knownSequences)
            .first { $0.key.utf8.elementsEqual(collection.key.utf8) }
            .flatMap { KnownSequences(encoded: $0.value) } ?? KnownSequences()
        return collection
    }

    /// The latest revision of a row's document that a remote is known to have.
    func ancestor(
        of row: DocumentRow,
        at remote: RemoteID?,
        in collection: OpenCollection
    ) throws(StoreError) -> RevisionID? {
        guard let remote else { return nil }
        guard case .single(let knownAt) = row.tree else {
            do throws(StoreError) {
                return try outline(of: row, in: collection).latest(at: remote)
            } catch  where error.concernsOneDocument {
                return nil  // damaged; whoever reads the document is told
            }
        }
        if knownAt == remote { return row.revisionID }
        let isKnown = try known(in: collection).contains(row.sequence, at: remote)
        return isKnown ? row.revisionID : nil
    }
}

extension StoreReader.OpenCollection {
    /// The key of the collection's entry among the small values.
    var key: String { String(id.rawValue) }
}

// MARK: Setting marks

extension StoreWriter {
    /// Records that a remote has revisions of documents of one collection.
    ///
    /// Long runs of new documents cost a few bytes, other documents a write of each row. Missing and damaged
    /// documents and revisions are skipped. Sequences do not change, and observers are not notified, unless this
    /// ends a conflict because the remote accepted the local revision.
    public func markKnown(
        _ revisions: [KnownRevision],
        at remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) {
        let opened = try self.collection(collection)
        let before = try known(in: opened)[remote]
        var sequences = before
        for run in KnownRevision.runs(revisions) {
            if try add(run, to: &sequences, in: opened) { continue }
            for revision in run.revisions {
                try markKnown(revision, at: remote, in: collection)
            }
        }
        guard sequences != before else { return }
        var known = try known(in: opened)
        known[remote] = sequences
        try set(known, of: opened)
    }

    /// Records that a remote has a revision: the remote accepted it, or announced that it has it.
    ///
    /// Does nothing if the document or the revision is missing, the document is damaged, or the mark already
    /// exists. The sequence does not change, and observers are not notified, unless this ends a conflict because
    /// the remote accepted the local revision.
    public func markKnown(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        at remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) {
        let known = KnownRevision(documentID: documentID, revisionID: revisionID)
        try markKnown(known, at: remote, in: collection)
    }

    /// A damaged document does not hold up the others: reading it reports the damage.
    private func markKnown(
        _ known: KnownRevision,
        at remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) {
        let collection = try self.collection(collection)
        do throws(StoreError) {
            try mark(known, at: remote, in: collection)
        } catch  where error.concernsOneDocument {}
    }

    private func mark(
        _ known: KnownRevision,
        at remote: RemoteID,
        in collection: OpenCollection
    ) throws(StoreError) {
        let (documentID, revisionID) = (known.documentID, known.revisionID)
        let id = collection.id
        // In the common case this changes one number of the row and reads nothing.
        if try changing().markSingle(revisionID, of: documentID, at: remote, in: id) {
            return noteTreeChange()
        }
        // Without the body, which is not part of the encoded tree and stays where it is.
        guard let row = try current().row(documentID, in: id, content: .summary) else { return }
        if case .single(let knownAt) = row.tree {
            let isCurrent = row.revisionID == revisionID
            // A tree with a single revision has no other; a vector may know more.
            if isCurrent ? knownAt == remote : scheme == .trees { return }
        }
        var history = try outline(of: row, in: collection)
        history.markLatest(revisionID, at: remote, goesBack: known.isCurrentThere)
        guard row.flags.contains(.conflicted), history.conflict == nil else {
            return try setTree(changedTo: history, of: row, in: collection, nil)
        }
        if known.isCurrentThere {
            // If the remote only went back, nobody has decided about what it had before.
            var decided = try outline(of: row, in: collection)
            decided.markLatest(revisionID, at: remote, goesBack: false)
            guard decided.conflict == nil else { return }
        }
        try endConflict(of: documentID, revisionID, at: remote, in: collection)
    }

    /// The remote took our side: the document is no longer in conflict, and counts as changed.
    private func endConflict(
        of documentID: DocumentID,
        _ revisionID: RevisionID,
        at remote: RemoteID,
        in collection: OpenCollection
    ) throws(StoreError) {
        guard let row = try row(documentID, in: collection.id) else { return }
        var history = try history(of: row, in: collection)
        history.markLatest(revisionID, at: remote, goesBack: false)
        _ = try put(history, documentID, in: collection, over: row)
    }

    /// Adds a run if that keeps the set small and each of its rows still exists with a single
    /// revision, which is then the same one.
    private func add(
        _ run: KnownRevision.Run,
        to sequences: inout SequenceSet,
        in collection: OpenCollection
    ) throws(StoreError) -> Bool {
        guard let range = run.range else { return false }
        if sequences.contains(range) { return true }
        var longer = sequences
        longer.insert(range)
        let isLong = range.count >= StoreLimits.knownRunCount
        guard
            longer.ranges.count <= sequences.ranges.count
                || (isLong && longer.ranges.count <= StoreLimits.knownRangesCount)
        else { return false }
        // If nothing was stored since the feed was read, there is nothing to check.
        if try state(of: collection).lastSequence != run.feedEnd {
            let count = try current().singleRevisionCount(in: collection.id, within: range)
            guard count == range.count else { return false }
        }
        sequences = longer
        return true
    }

    /// The tree of a row was changed in place and now says what every remote has.
    func forgetKnown(_ sequence: UInt64, in collection: OpenCollection) throws(StoreError) {
        var known = try known(in: collection)
        if known.remove(sequence) { try set(known, of: collection) }
    }

    private func set(
        _ known: KnownSequences,
        of collection: OpenCollection
    ) throws(StoreError) {
        let value = known.encoded
        try setValue(value.isEmpty ? nil : value, for: collection.key, in: .knownSequences)
        collection.known = known
    }

    /// Forgets what remotes have of a collection that is being deleted.
    func forgetKnown(in collection: OpenCollection) throws(StoreError) {
        guard try !known(in: collection).remotes.isEmpty else { return }
        try set(KnownSequences(), of: collection)
    }
}

extension KnownRevision {
    /// Revisions of consecutive changes; without a range, those whose sequence is unknown.
    fileprivate struct Run {
        var range: Range<UInt64>?
        var revisions: ArraySlice<KnownRevision>

        /// The end of the feed, if it was the same for all of them.
        var feedEnd: UInt64? {
            guard let end = revisions.first?.feedEnd else { return nil }
            return revisions.allSatisfy { $0.feedEnd == end } ? end : nil
        }
    }

    fileprivate static func runs(_ revisions: [KnownRevision]) -> [Run] {
        var changes = revisions
        var runs: [Run] = []
        if revisions.contains(where: { $0.sequence == nil }) {
            runs.append(Run(range: nil, revisions: revisions.filter { $0.sequence == nil }[...]))
            changes.removeAll { $0.sequence == nil }
        }
        // The remote's answers nearly always arrive in the order of the changes.
        if !zip(changes, changes.dropFirst()).allSatisfy({ $0.place <= $1.place }) {
            changes.sort { $0.place < $1.place }
        }
        var start = 0
        while start < changes.count, changes[start].place < .max {
            var end = start + 1
            while end < changes.count, changes[end].place < .max,
                changes[end].place == changes[end - 1].place + 1
            {
                end += 1
            }
            let range = changes[start].place..<(changes[end - 1].place + 1)
            runs.append(Run(range: range, revisions: changes[start..<end]))
            start = end
        }
        return runs
    }

    /// Its position in the feed; 0 if unknown.
    private var place: UInt64 { sequence ?? 0 }
}
