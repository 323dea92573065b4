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
        let body = try ReceivedBody(
            full,
            isTombstone: message.isTombstone,
            limits: session.limits
        )
        let requestID = request.isNoReply ? nil : request.id
        if body.isRemoved, let puller = collections[index].puller {
            inbox.add(
                puller.removal(
                    of: message.documentID,
                    message.revisionID,
                    request: requestID,
                    sequence: message.sequence
                )
            )
            return
        }
        try askPullFilter(about: message, body, in: index)
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

    private func askPullFilter(
        about message: RevisionMessage,
        _ body: ReceivedBody,
        in index: Int
    ) throws(SyncError) {
        guard let filter = collections[index].pullFilter else { return }
        let shown = FilteredRevision(
            message.documentID,
            message.revisionID,
            body: message.isTombstone ? [] : body.bytes,
            flags: message.isTombstone ? .deleted : []
        )
        guard filter(shown) else { throw .http(403, "rejected by validation function") }
    }

    /// Applies a delta; whatever goes wrong asks for the full body.
    ///
    /// Source: `delta.md` §8.
    private mutating func fullBody(
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
            guard session.mayApplyDelta(to: stored.body.count) else {
                throw SyncError.http(422, "too many differences of large bodies; send the whole")
            }
            // What a peer may not read it may not copy either.
            if let filter = collections[index].readFilter,
                !filter(FilteredRevision(message.documentID, source, body: stored.body))
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
    ///
    /// A document that is gone or has gone on is no failure; any other reason is the document's.
    mutating func receiveMissingRevision(_ request: BLIPIncomingRequest, in index: Int) {
        let text = request.properties["sequence"] ?? request.properties["seq"]
        finish(text.map { RemoteSequence(json: $0) }, in: index, isFinished: true, byteCount: 0)
        session.answer(request)
        let code = request.properties.integer("error") ?? 404
        guard isActive, code != 404, code != 410 else { return }
        let reason = request.properties["reason"] ?? "the peer cannot send the document"
        let status = (400...999).contains(code) ? code : 502
        report(
            DocumentID(unchecked: request.properties["id"] ?? ""),
            in: index,
            flags: [],
            SyncError(.webSocket, status, reason, isFromPeer: true)
        )
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
            DocumentID(unchecked: request.properties["id"] ?? ""),
            in: index,
            flags: request.properties.bool("deleted") ? .deleted : [],
            error
        )
    }

    func pullEvent(
        _ documentID: DocumentID,
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
        _ documentID: DocumentID,
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
