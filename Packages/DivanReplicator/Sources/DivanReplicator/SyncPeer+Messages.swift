import DivanBLIP
import DivanLog
import DivanStore

// What arrives, handed to the part that it concerns.
extension SyncPeer {
    mutating func handle(_ event: BLIPEvent) {
        switch event {
        case .request(let request): receive(request)
        case .reply(let number, let reply): receive(reply, to: number)
        case .replyPiece(let number, let piece, let isFinal):
            receive(piece: piece, isFinal: isFinal, of: number)
        case .bodyFailed(let failure):
            // A blob that ended short fails its digest at the peer, which says so.
            session.log.error("a blob could not be read to its end: \(failure.cause)")
        }
    }

    private mutating func receive(_ request: BLIPIncomingRequest) {
        do throws(SyncError) {
            if isActive {
                try receiveAsActive(request)
            } else {
                try receiveAsPassive(request)
            }
        } catch {
            session.log.warning("\(request.profile): \(error)")
            session.refuse(request, with: error)
        }
    }

    private mutating func receiveAsActive(_ request: BLIPIncomingRequest) throws(SyncError) {
        switch request.profile {
        case "changes":
            let index = try collectionIndex(of: request)
            guard collections[index].puller != nil else {
                throw .http(403, "this replicator does not pull")
            }
            collections[index].puller?.receive(request, &session)
        case "rev":
            let index = try collectionIndex(of: request)
            guard collections[index].puller != nil else {
                throw .http(403, "this replicator does not pull")
            }
            receiveRevision(request, in: index)
        case "norev":
            receiveMissingRevision(request, in: try collectionIndex(of: request))
        default:
            try receiveFromAnyone(request)
        }
    }

    /// Requests that both roles answer.
    mutating func receiveFromAnyone(_ request: BLIPIncomingRequest) throws(SyncError) {
        switch request.profile {
        case "getAttachment":
            _ = try collectionIndex(of: request)
            attachments.get(request, &session)
        case "proveAttachment":
            _ = try collectionIndex(of: request)
            attachments.prove(request, &session)
        default:
            session.answer(request, with: .noHandler)
        }
    }

    /// The collection that a request is about.
    ///
    /// - Throws: HTTP/400 when it is missing, superfluous or out of range.
    func collectionIndex(of request: BLIPIncomingRequest) throws(SyncError) -> Int {
        guard let text = request.properties["collection"] else {
            guard session.mode == .legacy, !collections.isEmpty else {
                throw .http(400, "inappropriate use of the collection property.")
            }
            return 0
        }
        guard session.mode == .collections else {
            throw .http(400, "inappropriate use of the collection property.")
        }
        guard let index = Int(text), collections.indices.contains(index),
            collections[index].isKnown
        else {
            throw .http(400, "the collection property is out of range.")
        }
        return index
    }

    private mutating func receive(_ reply: BLIPIncomingReply, to number: BLIPRequestNumber) {
        if case .blob? = session.purposeInProgress(of: number), reply.error == nil {
            return  // the content follows in pieces
        }
        guard let purpose = session.purpose(of: number) else { return }
        guard !startsOver(after: reply, to: purpose) else { return }
        do {
            try receive(reply, for: purpose)
        } catch {
            session.fail(SyncError(storage: error))
        }
    }

    private mutating func receive(_ reply: BLIPIncomingReply, for purpose: Purpose) throws {
        switch purpose {
        case .collections: receiveCollections(reply)
        case .checkpoint(let index, let isForSave):
            if isForSave {
                collections[index].checkpointer?.received(revisionReply: reply, &session)
            } else {
                receiveCheckpoint(reply, in: index)
            }
        case .saveCheckpoint(let index):
            collections[index].checkpointer?.received(saveReply: reply, &session)
        case .subscription(let index):
            collections[index].puller?.subscribed(reply, &session)
            askForKnownResolutions()
        case .proposals(let index, let proposals):
            guard var checkpointer = collections[index].checkpointer.take() else { return }
            defer { collections[index].checkpointer = checkpointer }
            try collections[index].pusher?.answered(
                proposals,
                reply,
                &session,
                &checkpointer,
                &inbox
            )
        case .announcement(let index, let changes):
            collections[index].feed?.answered(changes, reply, &session)
        case .revision(let index, let revision):
            session.trial.answered(revision.sentByteCount, at: session.now)
            collections[index].feed?.answered(revision, reply, &session)
            guard var checkpointer = collections[index].checkpointer.take() else { return }
            defer { collections[index].checkpointer = checkpointer }
            try collections[index].pusher?.answered(
                revision,
                reply,
                &session,
                &checkpointer,
                &inbox
            )
        case .blob(let ticket):
            if let failure = reply.error { finish(blobs.failed(SyncError(failure), ticket)) }
        }
    }

    private mutating func receive(piece: [UInt8], isFinal: Bool, of number: BLIPRequestNumber) {
        guard case .blob(let ticket)? = session.purposeInProgress(of: number) else { return }
        if isFinal { _ = session.purpose(of: number) }
        finish(blobs.received(piece: piece, isFinal: isFinal, ticket, &session))
    }

    private mutating func finish(_ completions: [BlobFetcher.Completion]) {
        for completion in completions {
            guard let (revision, error) = inbox.resolved(completion) else { continue }
            // A full or broken disk is not the document's fault: it must come again.
            if error.isLocalFailure { session.fail(error) }
            finish(revision, .failed(error), isLost: error.isLocalFailure)
        }
    }
}

extension SyncError {
    /// Reads an error reply.
    init(_ remote: BLIPRemoteError) {
        self.init(wireDomain: remote.domain, code: remote.code, message: remote.message)
    }
}
