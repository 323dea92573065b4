internal import DivanDelta
public import DivanRevisions

/// A revision received from a peer.
public struct RemoteRevision: Sendable {
    /// The document.
    public var documentID: DocumentID
    /// The revision ID, stored as received.
    public var revisionID: RevisionID
    /// Its ancestors, newest first.
    public var history: [RevisionID]
    /// How many of the first entries of `history` this revision merged; 0 in a revision tree.
    public var mergeCount: Int
    /// Whether it deletes the document.
    public var isTombstone: Bool
    /// JSON as received, without metadata keys; an object.
    public var body: [UInt8]
    /// Whether the body refers to blobs, which must already be stored.
    public var hasBlobs: Bool
    /// The remote that sent it; `nil` on a peer that does not track the other side.
    public var remote: RemoteID?
    /// Whether only a continuation of a leaf is accepted.
    public var refusesConflicts: Bool
    /// A tombstone with its history, newest first, that closes the current branch in favor of this revision;
    /// usually empty.
    public var closing: [RevisionID]
    /// Whether the sender remembers and announces the revisions that lost, and respects the order of revisions that
    /// lost to each other, as Divan's peers do.
    public var keepsOrder: Bool
    /// Whether the remote is known to have a newer revision by now.
    public var isOutdated: Bool

    /// Creates a revision from the parts of a `rev` message.
    public init(
        documentID: DocumentID,
        revisionID: RevisionID,
        history: [RevisionID] = [],
        mergeCount: Int = 0,
        isTombstone: Bool = false,
        body: [UInt8],
        hasBlobs: Bool = false,
        remote: RemoteID? = nil,
        refusesConflicts: Bool = false,
        closing: [RevisionID] = [],
        keepsOrder: Bool = false,
        isOutdated: Bool = false
    ) {
        self.documentID = documentID
        self.revisionID = revisionID
        self.history = history
        self.mergeCount = mergeCount
        self.isTombstone = isTombstone
        self.body = body
        self.hasBlobs = hasBlobs
        self.remote = remote
        self.refusesConflicts = refusesConflicts
        self.closing = closing
        self.keepsOrder = keepsOrder
        self.isOutdated = isOutdated
    }
}

/// The result of inserting a received revision.
public enum InsertOutcome: Equatable, Sendable {
    /// Stored.
    ///
    /// `isConflict` means that it is in a separate branch until a resolver decides. `isBranched` means that the
    /// document has other branches, even closed ones, or had a revision unknown to the sender: the sender must be
    /// notified of the current revision.
    case inserted(sequence: UInt64, isConflict: Bool, isBranched: Bool = false)
    /// It already existed.
    case alreadyThere
    /// It is an ancestor of the current revision, which may have won over it locally while it won over that
    /// revision on the sender; only without a `remote`.
    case overtaken
    /// It lost to `current` locally, and this does not change; the document has a new sequence, so that the sender
    /// is notified of `current`.
    case givenUp(sequence: UInt64, current: RevisionID)
}

extension StoreWriter {
    /// Stores a revision received from a peer.
    ///
    /// - Throws: `conflict` if it would create a conflict and does not allow that, `badRevision` for an invalid
    ///   history, `bodyTooLarge`. Nothing is changed then.
    ///
    /// Source: `revisions.md` §4.
    public func insert(
        _ revision: RemoteRevision,
        in collection: CollectionPath
    ) throws(StoreError) -> InsertOutcome {
        try check(revision.body)
        let collection = try self.collection(collection)
        if revision.history.isEmpty, let outcome = try insertFirst(revision, in: collection) {
            return outcome
        }
        var old = try replacedRow(revision.documentID, by: revision.body, in: collection.id)
        do {
            var history = try history(over: &old, for: revision.body, in: collection)
            let retained = retention.bodies(over: old, in: collection.id)
            let outcome = try history.insert(revision.received(retaining: retained), by: &author)
            releaseBody(of: &old)
            switch outcome {
            case .inserted(let isConflict, let isUnaware):
                // Whoever pulls closes it, and tells the remote.
                if revision.isTombstone, revision.remote == nil { try closeDeletions(in: &history) }
                let isBranched = history.isBranched || isUnaware
                let row = try lastRow(
                    of: &history,
                    revision.documentID,
                    in: collection,
                    over: &old
                )
                try put(row, in: collection, over: old)
                return .inserted(
                    sequence: row.sequence,
                    isConflict: isConflict,
                    isBranched: isBranched
                )
            case .alreadyThere, .overtaken:
                guard let old else { return .alreadyThere }
                if Self.changesRow(history, old, revision) {
                    _ = try put(history, revision.documentID, in: collection, over: old)
                } else {
                    try setTree(changedTo: history, of: old, in: collection, archive)
                }
                return outcome == .overtaken ? .overtaken : .alreadyThere
            case .givenUp:
                let row = try put(history, revision.documentID, in: collection, over: old)
                return .givenUp(sequence: row.sequence, current: row.revisionID)
            case .conflict:
                throw StoreError(
                    .conflict(documentID: revision.documentID, current: old?.revisionID),
                    at: path
                )
            }
        } catch let error as RevisionError {
            throw StoreError(.badRevision(documentID: revision.documentID, error), at: path)
        } catch {
            throw StoreError(wrapping: error, at: path)
        }
    }

    /// Whether more of a row changes than its history, although its revision stays.
    ///
    /// Either the remote took our side, so that nobody has to decide any more; or what it has behind ours
    /// is kept now and is the first to refer to blobs, and a compaction relies on the row.
    private static func changesRow(
        _ history: any RevisionHistory,
        _ old: DocumentRow,
        _ revision: RemoteRevision
    ) -> Bool {
        if old.flags.contains(.conflicted), history.conflict == nil { return true }
        return revision.hasBlobs && !old.flags.contains(.hasBlobs)
            && history.revisionsWithBody.contains { $0.flags.contains(.hasBlobs) }
    }

    /// Stores a document's first revision without a history, the common case: its tree is a single node.
    ///
    /// Returns `nil`, and does nothing, if the document is not new.
    ///
    /// - Throws: `badRevision` for an ID that the database's scheme does not accept.
    private func insertFirst(
        _ revision: RemoteRevision,
        in collection: OpenCollection
    ) throws(StoreError) -> InsertOutcome? {
        do {
            try author.admit(revision.revisionID, in: scheme)
        } catch {
            throw StoreError(.badRevision(documentID: revision.documentID, error), at: path)
        }
        let row = revision.firstRow(at: try state(of: collection).lastSequence + 1)
        guard try add(row, in: collection) else { return nil }
        return .inserted(sequence: row.sequence, isConflict: false)
    }

    /// Stores the first revisions of new documents, in fewer steps than one by one.
    ///
    /// Nearly all revisions of an initial pull are like that. Worthwhile for `StorageLimits.addedTogetherCount`
    /// revisions or more.
    ///
    /// - Returns: The sequence of the first revision; the others follow it. `nil` if one of the documents is not
    ///   new: then nothing is changed, and each revision must be inserted separately.
    public func insertFirst(
        _ revisions: [RemoteRevision],
        in collection: CollectionPath
    ) throws(StoreError) -> UInt64? {
        let collection = try self.collection(collection)
        let first = try state(of: collection).lastSequence + 1
        var rows: [DocumentRow] = []
        rows.reserveCapacity(revisions.count)
        for revision in revisions {
            guard revision.history.isEmpty, revision.body.count <= StorageLimits.bodyByteCount,
                (try? author.admit(revision.revisionID, in: scheme)) != nil
            else { return nil }
            rows.append(revision.firstRow(at: first + UInt64(rows.count)))
        }
        return try add(rows, in: collection) ? first : nil
    }

    /// Stores a history in which only marks have changed.
    func setTree(
        changedTo history: any RevisionHistory,
        of row: DocumentRow,
        in collection: OpenCollection,
        _ archive: BodyArchive?
    ) throws(StoreError) {
        guard let current = history.current else { return }
        let changed = history.rowTree(current, archive: archive)
        guard changed != row.tree else { return }
        try setTree(changed, of: row, in: collection)
    }
}

extension RemoteRevision {
    fileprivate func received(retaining retention: BodyRetention) -> ReceivedRevision {
        ReceivedRevision(
            revisionID,
            ancestry: RevisionAncestry(history, mergeCount: mergeCount),
            flags: flags,
            body: body,
            remote: remote,
            refusesConflicts: refusesConflicts,
            closing: closing,
            keepsOrder: keepsOrder,
            isOutdated: isOutdated,
            retention: retention
        )
    }

    /// Its row, if it is the only revision of its document.
    fileprivate func firstRow(at sequence: UInt64) -> DocumentRow {
        var flags: DocumentFlags = []
        if isTombstone { flags.insert(.tombstone) }
        if hasBlobs { flags.insert(.hasBlobs) }
        return DocumentRow(
            documentID: documentID,
            sequence: sequence,
            revisionID: revisionID,
            flags: flags,
            tree: .single(knownAt: remote),
            body: body
        )
    }

    private var flags: RevisionFlags {
        var flags: RevisionFlags = []
        if isTombstone { flags.insert(.tombstone) }
        if hasBlobs { flags.insert(.hasBlobs) }
        return flags
    }
}
