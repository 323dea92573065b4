import DivanCrypto
import DivanDelta
import DivanJSON
import DivanRevisions
import DivanSealedFields
import DivanStore

/// Builds the `rev` message for one revision from what the store holds.
///
/// The stored bytes are sent as they are; a body is parsed only if the peer wants `_attachments` or accepts a delta.
///
/// Source: `replication.md` §4, §6, `revisions.md` §6, `delta.md` §7.
struct RevisionComposer {
    struct Message {
        var properties: RevisionMessage
        var body: [UInt8]
        /// The revision that was requested, if a newer one takes its place.
        var replaced: RevisionID?
        /// The blobs of the revision, if the peer may get only those.
        var blobs: [BlobDigest] = []
        /// Whether it would replace a branch of a peer that does not understand that.
        var isCrossed = false
    }

    let path: CollectionPath
    let reader: StoreReader
    let random: any RandomSource
    let sendsDeltas: Bool
    /// Whether the receiver must refuse conflicts; set when pushing.
    var refusesConflicts = false
    /// What the peer may fetch; `nil` = everything.
    var readFilter: DocumentFilter?
    /// Whether messages list the blobs of their revisions.
    var listsBlobs = false
    /// Whether a push that closes a branch may be answered with the closed revision.
    var keepsOrder = false
    /// Whether the peer also keeps to one order, so that it must not take a new document for one that restores
    /// what was deleted there.
    var peerKeepsOrder = false
    /// Whether messages name the branches that were given up here.
    var namesClosings = true
    /// Encrypts properties; without it a body with an encryptable value is not sent.
    var sealing: FieldSealing?

    /// Returns the message, or `nil` if the revision no longer exists and nothing replaces it.
    ///
    /// - Throws: `FieldFailure` for a body with a property that cannot be encrypted.
    func message(for revision: OutgoingRevision) throws -> Message? {
        let change = revision.change
        if let stored = try reader.revision(
            change.documentID,
            change.revisionID,
            in: path,
            at: change.sequence,
            isLong: change.isLong
        ),
            try stored.isOnly || !isReplaced(stored, change)
        {
            return try message(for: revision, stored, replaced: nil)
        }
        // An active peer sends the newer revision under its own sequence anyway.
        guard !refusesConflicts, revision.terms.takesReplacements,
            let current = try reader.document(change.documentID, in: path),
            !current.isTombstone, current.revisionID != change.revisionID,
            mayRead(change.documentID, current.revisionID, current.body),
            let stored = try reader.revision(change.documentID, current.revisionID, in: path)
        else { return nil }
        return try message(for: revision, stored, replaced: change.revisionID)
    }

    /// Whether the peer may fetch a revision that is no tombstone.
    private func mayRead(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        _ body: [UInt8]
    ) -> Bool {
        readFilter?(FilteredRevision(documentID, revisionID, body: body)) ?? true
    }

    /// Whether the document has continued here in another branch since this revision was offered.
    ///
    /// The receiver may be the peer that pushed that branch: it would consider the old one newer. And what was closed
    /// meanwhile was closed for a different revision.
    private func isReplaced(_ stored: StoredRevision, _ change: FeedChange) throws -> Bool {
        try reader.isGivenUp(stored.revisionID, documentID: change.documentID, in: path)
    }

    private func message(
        for revision: OutgoingRevision,
        _ stored: StoredRevision,
        replaced: RevisionID?
    ) throws -> Message {
        var message = RevisionMessage(
            documentID: revision.change.documentID,
            revisionID: stored.revisionID
        )
        message.sequence = RemoteSequence(revision.change.sequence)
        if replaced != nil { message.replacingSequence = stored.sequence }
        message.isTombstone = stored.isTombstone
        message.refusesConflicts = refusesConflicts
        if !stored.isOnly { message.ancestry = try ancestry(of: stored, for: revision) }
        let isCrossed = try addClosing(to: &message, for: revision)
        // A deletion is reported even if the document may not be read: no filter sees its content.
        let isHidden = stored.isTombstone && readFilter != nil
        var body = stored.body.isEmpty || isHidden ? Array("{}".utf8) : stored.body
        let blobs = listsBlobs && stored.flags.contains(.hasBlobs) ? Self.blobs(in: body) : []
        if stored.flags.contains(.hasBlobs), !stored.isTombstone {
            body = listingBlobs(body, generation: stored.revisionID.generation, for: revision.terms)
        }
        let fields = DocumentFields(of: message.documentID, in: path)
        body = try fields.sealed(body, by: sealing)
        if let delta = try delta(to: body, for: revision, stored) {
            message.deltaSource = delta.source
            body = delta.bytes
        }
        return Message(
            properties: message,
            body: body,
            replaced: replaced,
            blobs: blobs,
            isCrossed: isCrossed
        )
    }

    /// Adds what a peer needs to give up its own revision for this one.
    ///
    /// A peer whose revision was given up here for one that does not descend from it is asked to give it up too; a
    /// pulling peer decides by the order of both.
    ///
    /// - Returns: Whether the peer's revision is in the tree too, and the message does not ask to give it up.
    private func addClosing(
        to message: inout RevisionMessage,
        for revision: OutgoingRevision
    ) throws -> Bool {
        guard namesClosings else { return false }
        let isPushed = refusesConflicts
        if isPushed, keepsOrder, peerKeepsOrder, revision.known.isEmpty {
            message.keepsOrder = true
        }
        guard isPushed || revision.terms.takesClosings, let theirs = revision.known.first,
            !message.ancestry.ids.contains(theirs)
        else { return false }
        message.closing = try reader.closedBranch(
            from: theirs,
            documentID: message.documentID,
            in: path
        )
        message.keepsOrder = keepsOrder && !message.closing.isEmpty
        message.refusesConflicts = isPushed && message.closing.isEmpty
        return try !revision.terms.takesClosings && knows(theirs, of: message.documentID)
    }

    /// Whether a peer's revision is in the tree: lost, or waiting for a resolver.
    private func knows(_ theirs: RevisionID, of documentID: DocumentID) throws -> Bool {
        try reader.revisions(of: documentID, in: path)?[theirs] != nil
    }

    /// The part of a revision's history that is sent to the peer.
    private func ancestry(
        of stored: StoredRevision,
        for revision: OutgoingRevision
    ) throws -> RevisionAncestry {
        let ancestry = try reader.ancestry(
            of: revision.change.documentID,
            stored.revisionID,
            in: path,
            limit: revision.terms.historyCount,
            known: revision.known,
            takesTreeIDs: revision.terms.takesTreeIDs,
            random: random
        )
        let namesVersionsOnly = namesVersionsOnly(stored.revisionID, to: revision)
        return namesVersionsOnly ? ancestry.versionsOnly : ancestry
    }

    /// Whether tree IDs behind a version are withheld from a peer that has it: Sync Gateway, the only one that does not
    /// find blobs by itself.
    ///
    /// It gives each version a tree ID that it never reveals. To a tree that ends in one, it adds unknown IDs as a live
    /// branch, or refuses the revision, and every later one.
    private func namesVersionsOnly(_ id: RevisionID, to revision: OutgoingRevision) -> Bool {
        refusesConflicts && !revision.terms.understandsBlobs && id.isVersion
            && revision.known.first?.isVersion ?? false
    }

    private static func blobs(in body: [UInt8]) -> [BlobDigest] {
        guard let document = (try? JSON(parsing: body.span))?.object else { return [] }
        return ReceivedBody.blobs(in: document).map(\.digest)
    }

    /// The body with entries for its blobs, if the receiver wants them: a receiver that finds blobs by itself assumes
    /// that an existing list of attachments is complete.
    private func listingBlobs(
        _ body: [UInt8],
        generation: UInt64,
        for terms: PeerTerms
    ) -> [UInt8] {
        guard !terms.understandsBlobs || hasAttachments(body),
            let document = (try? JSON(parsing: body.span))?.object
        else { return body }
        let extended = LegacyAttachments.add(to: document, generation: generation)
        return (try? JSON.object(extended).canonicalBytes()) ?? body
    }

    /// Whether a body contains a list of attachments; no other key of a stored one begins like this.
    private func hasAttachments(_ body: [UInt8]) -> Bool {
        let summary = try? JSONScanner.validate(body.span, checksSpelling: false)
        return summary?.hasUnderscoreKey ?? false
    }

    /// The body as a delta against a revision that the peer has, if that is worthwhile.
    private func delta(
        to body: [UInt8],
        for revision: OutgoingRevision,
        _ stored: StoredRevision
    ) throws -> (source: RevisionID, bytes: [UInt8])? {
        // The peer's form of an encrypted property differs from what is stored here.
        guard sendsDeltas, !revision.needsFullBody, !stored.isTombstone,
            JSONDelta.bodyByteCounts.contains(body.count),
            !EncryptableForm.occurs(in: stored.body.span)
        else { return nil }
        let documentID = revision.change.documentID
        for source in revision.known {
            guard let old = try reader.revision(documentID, source, in: path),
                !old.isTombstone, old.body.count > 2,
                old.body.count <= JSONDelta.bodyByteCounts.upperBound,
                !EncryptableForm.occurs(in: old.body.span),
                mayRead(documentID, source, old.body)
            else { continue }
            var oldBody = old.body
            if old.flags.contains(.hasBlobs) {
                let generation = source.generation
                oldBody = listingBlobs(oldBody, generation: generation, for: revision.terms)
            }
            guard let from = try? JSON(parsing: oldBody.span),
                let to = try? JSON(parsing: body.span),
                let bytes = try? JSONDelta.make(from: from, to: to).canonicalBytes(),
                JSONDelta.isWorthSending(deltaByteCount: bytes.count, bodyByteCount: body.count)
            else { return nil }
            return (source, bytes)
        }
        return nil
    }
}
