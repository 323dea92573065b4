import DivanBLIP
import DivanLog
import DivanStore

/// What active and passive peers have in common; each adds what differs.
///
/// `receive` only reads. Messages are acted on in `pump`, when everything that had arrived is read.
protocol ConnectedPeer: SyncPeer {
    var connection: Connection { get }
    var inbox: Inbox { get }
    var attachments: AttachmentServer { get set }
    /// The current status.
    var currentStatus: SyncStatus { get }

    /// Does everything that can be done now.
    func pump()
    /// Stores everything that has arrived in one transaction, and answers it.
    func commit()
    /// Makes room in an inbox that is full.
    func commitFull()
    /// Makes room for others when the listener holds too much.
    func yieldMemory()
    /// Fills each collection's windows.
    func fillWindows()
    /// Reports the result of a received revision.
    func finish(_ revision: IncomingRevision, _ result: RevisionResult)
    /// Reports what will never be finished.
    func giveUp()
    /// Handles a request, other than those that `ConnectedPeer` answers.
    func receive(_ request: BLIPIncomingRequest) throws(SyncError)
    /// Checks that a request concerns a collection that both sides have.
    func checkCollection(of request: BLIPIncomingRequest) throws(SyncError)
    /// Whether a request for a blob names a document that has it and that the peer may fetch.
    func mayRead(
        blob digest: BlobDigest,
        of request: BLIPIncomingRequest
    ) throws(SyncError) -> Bool
    /// Whether an answer shows that the conversation must start over, which it then does.
    func startsOver(after reply: BLIPIncomingReply, to purpose: Purpose) -> Bool
    /// Handles the answer to one of this role's requests.
    func receive(_ reply: BLIPIncomingReply, for purpose: Purpose) throws
}

extension ConnectedPeer {
    var limits: ReplicatorLimits { connection.limits }
    var origin: ChangeOrigin { connection.origin }
    var isEnded: Bool { connection.isClosed }
    var status: SyncStatus { connection.status }
    var hasSavedProgress: Bool { false }

    func commitFull() { commit() }
    func yieldMemory() {}
    func giveUp() {}
    func mayRead(blob digest: BlobDigest, of request: BLIPIncomingRequest) -> Bool { false }
    func startsOver(after reply: BLIPIncomingReply, to purpose: Purpose) -> Bool { false }

    func receive(_ message: Span<UInt8>, at now: Duration) {
        connection.now = now
        guard !isEnded else { return }
        connection.receive(message) { handle($0) }
    }

    func inputDrained(at now: Duration) {
        connection.now = now
        pump()
        yieldMemory()
    }

    func disconnected(error: SyncError?, at now: Duration) {
        connection.now = now
        guard connection.life != .ended else { return }
        commit()
        giveUp()
        inbox.abandon()
        attachments.abandon()
        connection.disconnected(error)
        connection.reportStatus(currentStatus)
    }

    func advance(to now: Duration) {
        connection.now = now
        pump()
        yieldMemory()
    }

    func next() -> SyncEffect? { connection.nextEffect() }

    func nextFrame(into output: inout [UInt8]) -> Bool {
        if connection.wantsOutput {
            fillWindows()
            attachments.begin()
        }
        return connection.nextFrame(into: &output)
    }

    private func handle(_ event: BLIPEvent) {
        switch event {
        case .request(let request):
            do throws(SyncError) {
                try handle(request)
            } catch {
                connection.refuse(request, logging: error)
            }
            if inbox.isFull { commitFull() }
        case .reply(let number, let reply):
            guard let purpose = connection.purpose(of: number, answeredBy: reply),
                !startsOver(after: reply, to: purpose)
            else { return }
            do {
                try handle(reply, for: purpose)
            } catch {
                // Otherwise the subject of the answer would wait forever.
                connection.end(storage: error, .cannotFulfil)
            }
        case .replyPiece(let number, let piece, let isFinal):
            fail(inbox.receive(piece, isFinal: isFinal, of: number))
        case .bodyFailed: break  // told when its frame was made
        }
    }

    private func handle(_ request: BLIPIncomingRequest) throws(SyncError) {
        switch request.profile {
        case "rev": try receive(request)  // nearly all are
        case "getAttachment":
            try checkCollection(of: request)
            attachments.get(request) { (digest) throws(SyncError) in
                try mayRead(blob: digest, of: request)
            }
        case "proveAttachment":
            try checkCollection(of: request)
            attachments.prove(request)
        default: try receive(request)
        }
    }

    private func handle(_ reply: BLIPIncomingReply, for purpose: Purpose) throws {
        if case .blob(let ticket) = purpose {
            if let failure = reply.error {
                fail(inbox.failed(ticket, SyncError(failure)))
            } else {
                inbox.began(ticket, reply.properties)
            }
        } else {
            if case .revision(_, let revision) = purpose {
                connection.measureAnswer(to: revision.sentByteCount)
            }
            try receive(reply, for: purpose)
        }
    }

    /// Requests blobs, and continues with the revisions whose blobs have arrived over other connections.
    func pumpBlobs() {
        fail(inbox.pump())
    }

    private func fail(_ revisions: [Inbox.Failed]) {
        for (revision, error) in revisions {
            finish(revision, .failed(error, isLost: error.isLocalFailure))
        }
        // A pushing peer gets an error and sends it again; a pulling one must request it again.
        if connection.remote != nil, let lost = revisions.first(where: { $0.error.mayPass }) {
            connection.closeForRetry(after: lost.error)
        }
    }

    /// Reports the result of a transaction that was to store revisions.
    ///
    /// - Returns: Why nothing was stored; `nil` if all was.
    func finish(
        _ revisions: [IncomingRevision],
        storing: () throws -> [RevisionResult]
    ) -> SyncError? {
        do {
            for (revision, result) in zip(revisions, try storing()) { finish(revision, result) }
            return nil
        } catch {
            let failure = SyncError(storage: error)
            for revision in revisions { finish(revision, .failed(failure, isLost: true)) }
            connection.fail(failure)
            return failure
        }
    }
}
