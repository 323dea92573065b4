import DivanBLIP
import DivanDelta
import DivanJSON
import DivanRevisions
import DivanStore

// Received revisions: read, checked, held back for their blobs.
extension SyncPeer {
    mutating func receiveRevision(_ request: BLIPIncomingRequest, in index: Int) {
        let fields = RevisionFields(request.properties)
        if fields.hasError {
            receiveMissingRevision(request, in: index)
            return
        }
        do throws(SyncError) {
            let message = try RevisionMessage(fields, limits: session.limits)
            if isActive, message.sequence == nil {
                throw .http(400, "received revision without sequence")
            }
            try receive(message, request, in: index)
        } catch {
            refuse(request, in: index, error)
        }
    }

    private mutating func receive(
        _ message: RevisionMessage,
        _ request: BLIPIncomingRequest,
        in index: Int
    ) throws(SyncError) {
        let full = try fullBody(message, request.body, in: index)
        let body = try ReceivedBody(full, isTombstone: message.isTombstone)
        let requestID = request.isNoReply ? nil : request.id
        if body.isRemoved, let puller = collections[index].puller {
            inbox.add(
                puller.removal(
                    of: message.documentID,
                    request: requestID,
                    sequence: message.sequence
                )
            )
            return
        }
        if let filter = collections[index].pullFilter {
            let shown = message.isTombstone ? [] : body.bytes
            guard filter(message.documentID, shown, message.isTombstone ? .deleted : []) else {
                throw .http(403, "rejected by validation function")
            }
        }
        var revision = IncomingRevision(
            request: requestID,
            collection: index,
            message: message,
            body: body.bytes,
            hasBlobs: !body.blobs.isEmpty
        )
        if message.deltaSource != nil {
            let byteCount = request.body.count
            revision.delta = DeltaUse(byteCount: byteCount, bodyByteCount: body.bytes.count)
        }
        if body.blobs.isEmpty {
            inbox.add(consume revision)
        } else {
            try hold(consume revision, body)
        }
    }

    /// Stores the revision with the next batch, or after its blobs have come.
    private mutating func hold(
        _ received: consuming IncomingRevision,
        _ body: ReceivedBody
    ) throws(SyncError) {
        var revision = consume received
        revision.holds = body.blobs.map { session.store.blobs.hold($0.digest) }
        var missing: [BlobReference] = []
        for blob in body.blobs where !session.store.blobs.contains(blob.digest) {
            guard !body.orphans.contains(blob.digest) else {
                throw .http(404, "the sender has no content for \(blob.digest.description)")
            }
            missing.append(blob)
        }
        guard !missing.isEmpty else {
            inbox.add(revision)
            return
        }
        guard inbox.hasRoom(for: revision.body.count, session.limits) else {
            throw .http(503, "too many revisions wait for their blobs")
        }
        let parkedID = inbox.park(revision, missingCount: missing.count)
        for blob in missing {
            blobs.want(
                BlobFetcher.Waiter(
                    parkedID: parkedID,
                    collection: revision.collection,
                    documentID: revision.message.documentID,
                    blob: blob
                )
            )
        }
    }

    /// Applies a delta; whatever goes wrong asks for the full body.
    ///
    /// Source: `delta.md` §8.
    private func fullBody(
        _ message: RevisionMessage,
        _ body: [UInt8],
        in index: Int
    ) throws(SyncError) -> [UInt8] {
        let path = collections[index].path
        guard let source = message.deltaSource else { return body }
        guard session.configuration.usesDeltas else {
            throw .http(422, "deltas are not in use; send the whole body")
        }
        do {
            let stored = try session.store.read { reader in
                try reader.revision(message.documentID, source, in: path)
            }
            guard let stored, !stored.isTombstone else {
                throw SyncError.http(422, "the delta's source is not here")
            }
            // What a peer may not read it may not copy either.
            if let filter = collections[index].readFilter,
                !filter(message.documentID, stored.body, [])
            {
                throw SyncError.http(422, "the delta's source is not here")
            }
            let delta = try JSON(parsing: body.span)
            var old = try JSON(parsing: stored.body.span)
            if delta[LegacyAttachments.key] != nil, let document = old.object {
                old = .object(LegacyAttachments.add(to: document, generation: 1))
            }
            let new = try JSONDelta.apply(delta, to: old)
            guard new.kind == .object else {
                throw SyncError.http(422, "the delta makes no document")
            }
            return try new.canonicalBytes()
        } catch let error as SyncError {
            throw error
        } catch {
            throw .http(422, "the delta does not fit: \(error)")
        }
    }

    /// The peer cannot send what was asked for: the sequence is done.
    mutating func receiveMissingRevision(_ request: BLIPIncomingRequest, in index: Int) {
        let text = request.properties["sequence"] ?? request.properties["seq"]
        finish(text.map { RemoteSequence(json: $0) }, in: index, isFinished: true, byteCount: 0)
        session.answer(request)
    }

    private mutating func refuse(
        _ request: BLIPIncomingRequest,
        in index: Int,
        _ error: SyncError
    ) {
        session.refuse(request, with: error)
        guard !error.refusesDelta else { return }  // comes again in full
        let text = request.properties["sequence"]
        finish(
            text.map { RemoteSequence(json: $0) },
            in: index,
            isFinished: !error.isTransient,
            byteCount: request.body.count
        )
        report(
            request.properties["id"] ?? "",
            in: index,
            flags: request.properties.bool("deleted") ? .deleted : [],
            error
        )
    }

    func pullEvent(
        _ documentID: String,
        in index: Int,
        flags: SyncFlags,
        _ error: SyncError?
    ) -> DocumentEvent {
        DocumentEvent(
            collection: collections[index].path,
            documentID: documentID,
            isPush: false,
            flags: flags,
            error: error
        )
    }

    mutating func report(
        _ documentID: String,
        in index: Int,
        flags: SyncFlags,
        delta: DeltaUse? = nil,
        _ error: SyncError?
    ) {
        var event = pullEvent(documentID, in: index, flags: flags, error)
        event.delta = delta
        session.report(event)
    }

    mutating func finish(
        _ sequence: RemoteSequence?,
        in index: Int,
        isFinished: Bool,
        byteCount: Int
    ) {
        collections[index].finish(
            sequence,
            isFinished: isFinished,
            byteCount: byteCount,
            &session
        )
    }
}
