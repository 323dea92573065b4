public import DivanRevisions

/// The two leaves of a document in conflict, and where they diverge.
public struct StoredConflict: Equatable, Sendable {
    /// The document.
    public var documentID: DocumentID
    /// The current revision.
    public var local: StoredRevision
    /// The pending revision from a remote.
    public var remote: StoredRevision
    /// The common ancestor, if its body is kept.
    public var base: StoredRevision?
    /// The places of both in the order of the default rule.
    public var precedence: Places

    /// The places of both sides in the order of the default rule.
    public struct Places: Equatable, Sendable {
        /// That of the current revision.
        public var local: Precedence
        /// That of the pending revision.
        public var remote: Precedence
    }
}

/// How a conflict is resolved; the result always continues the remote's branch.
///
/// Source: `revisions.md` §8.
public enum ConflictDecision: Equatable, Sendable {
    /// The local body is saved as a child of the remote revision.
    case keepLocal
    /// The remote revision becomes current.
    case keepRemote
    /// A new body, canonical JSON, becomes current.
    case merge(body: [UInt8], hasBlobs: Bool)
    /// The document is deleted.
    case delete
}

extension StoreReader {
    /// The conflict to resolve; `nil` if the document is not in conflict.
    public func conflict(
        of documentID: DocumentID,
        in collection: CollectionPath
    ) throws(StoreError) -> StoredConflict? {
        let collection = try self.collection(collection)
        guard let row = try row(documentID, in: collection.id),
            row.flags.contains(.conflicted)
        else { return nil }
        let history = try history(of: row, in: collection)
        guard let (local, remote) = history.conflict else { return nil }
        let base = history.commonAncestor(of: local.id, and: remote.id)
        return StoredConflict(
            documentID: documentID,
            local: StoredRevision(local, body: local.body ?? []),
            remote: StoredRevision(remote, body: remote.body ?? []),
            base: base.flatMap { base in base.body.map { StoredRevision(base, body: $0) } },
            precedence: StoredConflict.Places(
                local: history.precedence(of: local.id)
                    ?? Precedence(local.id, isTombstone: local.isTombstone),
                remote: history.precedence(of: remote.id)
                    ?? Precedence(remote.id, isTombstone: remote.isTombstone)
            )
        )
    }
}

extension StoreWriter {
    /// Resolves a conflict between two leaves.
    ///
    /// With `closesRemote`, keeping a live local revision creates no new revision: the remote's branch is closed,
    /// and the remote must be notified (`closedBranch`).
    ///
    /// - Returns: The document as it is now, possibly in conflict with another leaf; `nil` if one of the two is
    ///   no longer a leaf: read the conflict again and resolve it again.
    /// - Throws: `notFound` if the document was purged in the meantime; `badRevision` if the generation limit is
    ///   reached; `bodyTooLarge`, `tooManyBlobs` and `forbiddenKey` for a merged body.
    public func resolveConflict(
        _ documentID: DocumentID,
        in collection: CollectionPath,
        local: RevisionID,
        remote: RevisionID,
        decision: ConflictDecision,
        closesRemote: Bool = false
    ) throws(StoreError) -> StoredDocument? {
        var decision = decision
        if case .merge(let body, let hasBlobs) = decision {
            try check(body)
            let names = try checkKeys(body, of: documentID, isMerged: true)
            decision = .merge(body: body, hasBlobs: hasBlobs || names)
        }
        let collection = try self.collection(collection)
        guard let old = try row(documentID, in: collection.id) else {
            throw StoreError(.notFound(documentID: documentID), at: path)
        }
        var history = try history(of: old, in: collection)
        author.blinding =
            switch decision {
            case .merge(let body, _): Self.blinding(for: body)
            case .keepLocal: Self.blinding(for: old.body)
            case .keepRemote, .delete: []
            }
        do {
            _ = try history.end(
                (local, remote),
                as: HistoryDecision(decision),
                closesRemote: closesRemote,
                by: &author
            )
        } catch {
            if case .notALeaf = error { return nil }
            throw StoreError(.badRevision(documentID: documentID, error), at: path)
        }
        return StoredDocument(try put(history, documentID, in: collection, over: old))
    }
}

extension StoreWriter {
    /// Adds the current revision as a child of a revision that lost to it.
    ///
    /// - Returns: Whether there is a new current revision; `false` if `loser` did not lose to it.
    /// - Throws: `badRevision` if no generation is left.
    public func graftCurrent(
        of documentID: DocumentID,
        onto loser: RevisionID,
        in collection: CollectionPath
    ) throws(StoreError) -> Bool {
        let collection = try self.collection(collection)
        guard let old = try row(documentID, in: collection.id) else { return false }
        var history = try history(of: old, in: collection)
        let blinding = Self.blinding(for: old.body)
        do {
            let grafted = try history.graftCurrent(onto: loser, blinding: blinding)
            guard grafted != nil else { return false }
        } catch {
            throw StoreError(.badRevision(documentID: documentID, error), at: path)
        }
        _ = try put(history, documentID, in: collection, over: old)
        return true
    }
}

extension StoreWriter {
    /// Makes a revision that lost locally current again, because it won on a remote and the local one lost there.
    ///
    /// - Returns: The document as it is now; `nil` if nothing changed, because the current revision
    ///   ranks above that one, or its body is not kept.
    /// - Throws: `badRevision` if no generation is left.
    public func takeBack(
        _ revisionID: RevisionID,
        of documentID: DocumentID,
        from remote: RemoteID,
        in collection: CollectionPath
    ) throws(StoreError) -> StoredDocument? {
        let collection = try self.collection(collection)
        guard let old = try row(documentID, in: collection.id) else { return nil }
        var history = try history(of: old, in: collection)
        do {
            guard try history.takeBack(revisionID, from: remote) else { return nil }
        } catch {
            throw StoreError(.badRevision(documentID: documentID, error), at: path)
        }
        return StoredDocument(try put(history, documentID, in: collection, over: old))
    }
}

extension StoredRevision {
    fileprivate init(_ revision: HistoryRevision, body: [UInt8]) {
        self.init(
            revisionID: revision.id,
            flags: revision.flags,
            sequence: revision.sequence,
            body: body
        )
    }
}

extension HistoryDecision {
    fileprivate init(_ decision: ConflictDecision) {
        switch decision {
        case .keepLocal: self = .keepLocal
        case .keepRemote: self = .keepRemote
        case .merge(let body, let hasBlobs): self = .merge(body: body, hasBlobs: hasBlobs)
        case .delete: self = .delete
        }
    }
}
