import DivanReplicator
import DivanRevisions
import DivanTransport
import DivanWebSocket

/// A handshake that failed because the two databases name their revisions differently.
///
/// Servers say so in different ways. A Divan peer names what it supports; Couchbase Lite answers 400 without a body;
/// Sync Gateway answers 500 with a sentence, or upgrades without agreeing on a subprotocol.
///
/// Source: `version-vectors.md` §7, §9.
struct SchemeMismatch {
    /// How this side names revisions.
    let scheme: RevisionScheme
    /// Whether the answer has no other explanation.
    let isCertain: Bool
    private let error: TransportError

    /// `nil` if the handshake failed for another reason.
    init?(_ error: TransportError, scheme: RevisionScheme) {
        self.error = error
        self.scheme = scheme
        switch error.reason {
        case .handshake(let handshake):
            guard case .noSubprotocol = handshake.reason else { return nil }
            isCertain = true
        case .refused(let status, let explanation, _)
        where [HTTPStatus.badRequest, .internalError].contains(HTTPStatus(rawValue: status)):
            let words = explanation.lowercased()
            isCertain = Self.marks.contains { words.contains($0) }
            let isSilent =
                HTTPStatus(rawValue: status) == .badRequest
                && (words.isEmpty || words == "bad request")
            guard isCertain || isSilent else { return nil }
        default: return nil
        }
    }

    /// Words of answers about subprotocols.
    private static let marks = [
        "subprotocol", "sub-protocol", "cbmobile_", "common protocol", "sec-websocket-protocol",
    ]

    /// The error to report, with the code of the answer.
    var syncError: SyncError {
        let code = SyncError(error).wireCode
        return SyncError(code, "\(error.place): \(problem); \(remedy)", hasRemedy: true)
    }

    /// The error for the retry rules: trying again does not help, whatever the status is.
    var retryError: SyncError { SyncError(.close(.doNotRetry)) }

    private var problem: String {
        let answer: String
        switch error.reason {
        case .refused(let status, _, _):
            answer = "the server refused the connection with HTTP \(status)"
        default: answer = "the server supports none of the offered sync protocol versions"
        }
        let other = scheme == .vectors ? "revision trees" : "version vectors"
        let own = scheme == .vectors ? "version vectors" : "revision trees"
        let cause = isCertain ? "because" : "probably because"
        return "\(answer), \(cause) this database uses \(own) and the peer's uses \(other)"
    }

    private var remedy: String {
        switch scheme {
        case .vectors:
            "upgrade the peer's database (divan upgrade, Couchbase Lite 4, Sync Gateway 4), or "
                + "sync a backup of this database from before its upgrade"
        case .trees:
            "upgrade this database to version vectors (divan upgrade; cannot be undone)"
        }
    }
}
