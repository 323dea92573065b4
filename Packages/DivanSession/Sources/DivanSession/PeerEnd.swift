import DivanReplicator
import DivanTransport

/// Why a connection is over.
struct PeerEnd: Sendable {
    /// What the transport said.
    var close: TransportClose?
    /// What the engine closed it for.
    var error: SyncError?
    /// Whether the engine asked for the close.
    var closedByPeerState = false
    /// Whether the next connection may go on where this one ended.
    var hasSavedProgress = false
    /// Whether the application asked for the end.
    var wasStopped = false

    /// The error to report, `nil` when the session ended as it should.
    ///
    /// An error of the engine comes first: the close that follows is only its consequence. A peer
    /// that says good-bye unasked gives 1001 whatever it sent (`errors.md` §9).
    var reportedError: SyncError? {
        if let error { return error }
        if closedByPeerState || wasStopped { return nil }
        switch close {
        case nil: return nil
        case .clean(let code, let reason, _):
            let code = CloseCode(code)
            return SyncError(.close(code == .normal ? .goingAway : code), reason)
        case .failed(let error):
            return SyncError(error)
        }
    }

    /// The error as the rules for trying again see it, when it is not `reportedError` itself.
    ///
    /// A server that answers a handshake with 500 may recover, so `behaviour.md` §1 (7) has it
    /// tried again; in a conversation 500 stays permanent (`errors.md` §7).
    var retryError: SyncError? {
        guard case .failed(let failure)? = close,
            case .refused(HTTPStatus.internalError.rawValue, _, _) = failure.reason
        else {
            return nil
        }
        return .http(.serviceUnavailable, "\(failure)")
    }
}
