import DivanBLIP
import DivanDelta
import DivanJSON
import DivanRevisions
import DivanSealedFields
import DivanStore

/// Received revisions on their way from message to transaction: read, checked, and held back until their blobs have
/// arrived.
///
/// For collections with indexes it also gathers revisions that are ready, for one transaction instead of many: the
/// entries of a revision are spread over its indexes, so nearly every transaction rewrites most of their pages.
/// Gathered revisions are answered at once, because their sender would otherwise soon wait for answers; only the active
/// peer may do that, as its checkpoint stays before what is not stored.
final class Inbox {
    // Unchecked: an inbox is used by one thread, and a changing array calls nothing.
    @exclusivity(unchecked) private(set) var ready: [IncomingRevision] = []
    /// Bytes of all revisions held here.
    private(set) var byteCount = 0
    private var blobs: BlobFetcher
    /// Those waiting for their blobs.
    private var parked: [Int: IncomingRevision] = [:]
    private var lastParkedNumber = 0
    /// Why revisions are sent again over another connection: one found no room to wait for its blobs, or the peer could
    /// not send one at the time.
    private(set) var turnedAway: SyncError?
    /// Whether revisions that are ready may wait for a larger transaction.
    var gathers = false
    /// When gathered revisions must be stored; `nil` if there are none.
    private(set) var gatheringDeadline: Duration?
    let connection: Connection

    /// A revision that cannot be stored.
    typealias Failed = (revision: IncomingRevision, error: SyncError)

    init(_ connection: Connection) {
        self.connection = connection
        blobs = BlobFetcher(connection)
    }

    /// Whether no revision waits for its blobs.
    var waitsForNoBlob: Bool { blobs.isIdle }

    /// Reads the body of a `rev` message.
    func body(
        of message: RevisionMessage,
        _ request: BLIPIncomingRequest,
        in admission: Admission
    ) throws(SyncError) -> ReceivedBody {
        let full = try fullBody(message, request.body, in: admission)
        return try ReceivedBody(
            try opened(full, of: message.documentID, in: admission),
            isTombstone: message.isTombstone,
            limits: connection.limits
        )
    }

    /// Decrypts the properties of a body; a cipher that is unavailable now stops the replication.
    private func opened(
        _ body: [UInt8],
        of documentID: DocumentID,
        in admission: Admission
    ) throws(SyncError) -> [UInt8] {
        guard let opening = admission.opening, body.count <= connection.limits.documentByteCount
        else { return body }
        let fields = DocumentFields(of: documentID, in: admission.path)
        do throws(FieldFailure) {
            return try fields.opened(body, by: opening)
        } catch {
            let told = SyncError(field: error)
            if error.isTransient { connection.fail(told) }
            throw told
        }
    }

    /// Accepts a revision: it is stored with the next batch, or after its blobs have arrived.
    func take(
        _ message: RevisionMessage,
        _ body: ReceivedBody,
        _ request: BLIPIncomingRequest,
        in admission: Admission
    ) throws(SyncError) {
        try admission.admit(message, body.bytes, by: connection)
        let revision = IncomingRevision(
            message,
            body: body.bytes,
            hasBlobs: !body.blobs.isEmpty,
            collection: admission.collection,
            answering: request.isNoReply ? nil : request.id
        )
        if message.deltaSource != nil {
            let byteCount = request.body.count
            revision.delta = DeltaUse(byteCount: byteCount, bodyByteCount: body.bytes.count)
        }
        var needs = BlobNeeds()
        if !body.blobs.isEmpty {
            revision.holds = try hold(body.blobs)
            needs = try self.needs(of: body, message.documentID, in: admission)
            revision.absentBlobs = needs.absent
            if connection.remote == nil { revision.admission = admission }
        }
        let effects = revision.life.handle(.arrived(missingCount: needs.missing.count))
        if effects.contains(.fetch) { try park(revision, until: needs.missing) }
        guard effects.contains(.store) else { return }
        byteCount += revision.byteCount
        ready.append(revision)
    }

    /// Whether the revisions that are ready fill a transaction.
    var isFull: Bool {
        let limits = connection.limits
        guard gathers else { return ready.count >= limits.insertedRevisionsCount }
        return ready.count >= limits.gatheredRevisionsCount || byteCount >= limits.gatheredByteCount
    }

    /// Whether the revisions that are ready must be stored now.
    var isDue: Bool { isFull || gatheringDeadline.map { connection.now >= $0 } ?? false }

    /// Answers the revisions that are ready, which then wait for more.
    func gather() {
        guard !ready.isEmpty else { return }
        gatheringDeadline = gatheringDeadline ?? connection.now + connection.limits.gatheringTime
        for revision in ready[connection.underway.gatheredCount...]
        where revision.life.handle(.held).contains(.answer) {
            connection.answer(revision.request)
        }
        connection.underway.gatheredCount = ready.count
    }

    /// Returns, and removes, the revisions that are ready, in the order of arrival.
    func takeReady() -> [IncomingRevision] {
        gatheringDeadline = nil
        connection.underway.gatheredCount = 0
        for revision in ready { byteCount -= revision.byteCount }
        defer { ready = [] }
        return ready
    }

    /// Drops what waits for blobs: the connection is closed.
    func abandon() {
        blobs.abandon()
        parked = [:]
        byteCount = ready.reduce(0) { $0 + $1.byteCount }
    }

    /// Applies a delta; on any error the full body is requested.
    ///
    /// Source: `delta.md` §8.
    private func fullBody(
        _ message: RevisionMessage,
        _ body: [UInt8],
        in admission: Admission
    ) throws(SyncError) -> [UInt8] {
        guard let source = message.deltaSource else { return body }
        guard connection.configuration.usesDeltas else {
            throw .http(.unprocessable, "deltas are disabled; send the full body")
        }
        do {
            let stored = try self.source(source, of: message.documentID, in: admission.path)
            guard let stored, !stored.isTombstone else {
                throw SyncError.http(.unprocessable, "the delta's source revision does not exist")
            }
            // A peer must not copy what it may not read.
            guard admission.mayRead(message.documentID, source, stored.body) else {
                throw SyncError.http(.unprocessable, "the delta's source revision does not exist")
            }
            guard !EncryptableForm.occurs(in: stored.body.span) else {
                throw SyncError.http(
                    .unprocessable,
                    "the delta's source has decrypted properties; send the full body"
                )
            }
            let longest = JSONDelta.bodyByteCounts.upperBound
            guard body.count <= longest, stored.body.count <= longest else {
                throw SyncError.http(
                    .unprocessable,
                    "deltas of more than \(longest) bytes are not applied; send the full body"
                )
            }
            let delta = try JSON(parsing: body.span)
            var old = try JSON(parsing: stored.body.span)
            if delta[LegacyAttachments.key] != nil, let document = old.object {
                old = .object(LegacyAttachments.add(to: document, generation: 1))
            }
            let new = try JSONDelta.apply(delta, to: old)
            guard new.kind == .object else {
                throw SyncError.http(.unprocessable, "the delta's result is not a JSON object")
            }
            return try new.canonicalBytes()
        } catch let error as SyncError {
            throw error
        } catch {
            throw .http(.unprocessable, "the delta cannot be applied: \(error)")
        }
    }
}

extension Inbox {
    /// The revision from which a delta was made, if it is here and may be read now: its document's current body is read
    /// with it, so that is charged first.
    private func source(
        _ revisionID: RevisionID,
        of documentID: DocumentID,
        in path: CollectionPath
    ) throws -> StoredRevision? {
        try connection.store.read { reader in
            guard let row = try reader.change(of: documentID, in: path) else { return nil }
            guard
                connection.readingCredit.spend(
                    row.bodyByteCount,
                    at: connection.now
                )
            else {
                throw Self.tooManyDifferences
            }
            let stored = try reader.revision(documentID, revisionID, in: path)
            let excess = max(0, (stored?.body.count ?? 0) - row.bodyByteCount)
            guard connection.readingCredit.spend(excess, at: connection.now)
            else {
                throw Self.tooManyDifferences
            }
            return stored
        }
    }

    private static let tooManyDifferences = SyncError.http(
        .unprocessable,
        "read limit for deltas reached; send the full body"
    )
}

// MARK: - Revisions that name blobs

extension Inbox {
    /// Requests as many blobs as may be in transit; returns the revisions that failed with one that has arrived over
    /// another connection.
    func pump() -> [Failed] { blobs.pump().compactMap { resolve($0) } }

    /// When to look again for blobs that other connections receive.
    var blobDeadline: Duration? { blobs.deadline }

    /// Requests blobs that were left at the peer, unless they are here by now.
    func want(_ wanted: [(collection: Int, blob: RequestedBlob)]) {
        for (collection, blob) in wanted {
            guard !connection.store.blobs.contains(blob.digest) else {
                connection.emit(.blob(BlobEvent(digest: blob.digest, state: .arrived)))
                continue
            }
            blobs.want(
                BlobFetcher.Waiter(
                    reason: .wish,
                    collection: collection,
                    documentID: blob.documentID,
                    blob: BlobReference(to: blob.digest)
                )
            )
        }
    }

    /// The answer with a blob begins.
    func began(_ ticket: BlobTicket, _ properties: BLIPProperties) {
        blobs.began(ticket, properties)
    }

    /// Handles a piece of a blob; returns the revisions that failed with it.
    func receive(
        _ piece: [UInt8],
        isFinal: Bool,
        of number: BLIPRequestNumber
    ) -> [Failed] {
        guard let ticket = connection.blobTicket(of: number, isFinal: isFinal) else { return [] }
        return blobs.received(piece: piece, isFinal: isFinal, ticket).compactMap { resolve($0) }
    }

    /// The peer does not send a blob; returns the revisions that failed with it.
    func failed(_ ticket: BlobTicket, _ error: SyncError) -> [Failed] {
        blobs.failed(error, ticket).compactMap { resolve($0) }
    }

    /// A blob arrived, or failed to; returns the revision if it failed with it.
    private func resolve(_ completion: BlobFetcher.Completion) -> Failed? {
        guard case .revision(let number) = completion.reason,
            let revision = parked.removeValue(forKey: number)
        else { return nil }
        let error = completion.error.flatMap {
            verdict(on: $0, completion.digest, of: revision)
        }
        if let error {
            byteCount -= revision.byteCount
            // A full or faulty disk is not the document's fault: it must be sent again.
            if error.isLocalFailure {
                connection.fail(error)
            } else if error.isTransient {
                turnedAway = turnedAway ?? error
            }
            return (revision, error)
        }
        if revision.life.handle(.blobArrived).contains(.store) {
            do throws(SyncError) {
                try revision.admission?.admit(revision.message, revision.body, by: connection)
            } catch {
                byteCount -= revision.byteCount
                return (revision, error)
            }
            ready.append(revision)
        } else {
            parked[number] = revision
        }
        return nil
    }

    /// Protects the blobs of a revision from garbage collection.
    private func hold(_ blobs: [BlobReference]) throws(SyncError) -> [BlobHold] {
        let limit = connection.limits.revisionBlobsCount
        guard blobs.count <= limit else {
            throw .http(.contentTooLarge, "the revision has more than \(limit) blobs")
        }
        return blobs.map { connection.store.blobs.hold($0.digest) }
    }

    /// Holds a revision back until its blobs have been fetched.
    private func park(
        _ revision: IncomingRevision,
        until missing: [BlobReference]
    ) throws(SyncError) {
        let limits = connection.limits
        guard parked.count < limits.parkedRevisionsCount,
            byteCount + revision.byteCount <= limits.parkedByteCount
        else {
            let error = SyncError.http(
                .serviceUnavailable,
                "too many revisions are waiting for their blobs"
            )
            turnedAway = turnedAway ?? error
            throw error
        }
        byteCount += revision.byteCount
        lastParkedNumber += 1
        parked[lastParkedNumber] = revision
        for blob in missing {
            blobs.want(
                BlobFetcher.Waiter(
                    reason: .revision(lastParkedNumber),
                    collection: revision.collection,
                    documentID: revision.message.documentID,
                    blob: blob
                )
            )
        }
    }
}
