import DivanReplicator
import DivanTransport

/// Why a connection is over.
struct PeerEnd: Sendable {
    /// The transport's close.
    var close: TransportClose?
    /// The error for which the engine closed it.
    var error: SyncError?
    /// Whether the engine asked for the close.
    var closedByPeerState = false
    /// Whether the next connection may continue where this one ended.
    var hasSavedProgress = false
    /// Whether the application asked for the end.
    var wasStopped = false

    /// The error to report, `nil` when the session ended normally.
    ///
    /// An error of the engine comes first: the close that follows is only its consequence. A peer
    /// that closes normally without being asked gives 1001 whatever it sent (`errors.md` §9).
    var reportedError: SyncError? {
        if let error { return error }
        if closedByPeerState || wasStopped { return nil }
        switch close {
        case nil: return nil
        case .clean(let code, let reason, _):
            let code = CloseCode(code)
            let isNormal = code == .normal || code == .noCode
            let explanation = reason == CloseCode.stoppedReason ? "" : reason
            return SyncError(.close(isNormal ? .goingAway : code), explanation)
        case .failed(let error):
            return SyncError(error)
        }
    }

    /// The error for the retry rules, when it is not `reportedError` itself.
    ///
    /// A server that answers a handshake with 500 may recover, so it is retried
    /// (`behaviour.md` §6); within a connection 500 is permanent (`errors.md` §7).
    ///
    /// A listener that its application stopped ends its clients; a server that goes away for another reason returns.
    var retryError: SyncError? {
        if error == nil, case .clean(let code, CloseCode.stoppedReason, _)? = close,
            [CloseCode.normal, .goingAway].contains(CloseCode(code))
        {
            return SyncError(.close(.doNotRetry))
        }
        guard case .failed(let failure)? = close,
            case .refused(HTTPStatus.internalError.rawValue, _, _) = failure.reason
        else {
            return nil
        }
        return .http(.serviceUnavailable, "\(failure)")
    }
}
