import DivanAuth
import DivanPlatform
import DivanTLS
import DivanTransport
import DivanWebSocket

/// Asks an authenticator about clients, off their loops, a few at a time; the others wait in line.
///
/// The line is as long as the transport's bound of half-open connections: a client that disconnects leaves it.
final class AuthenticationQueue: Sendable {
    private let authenticator: any ListenerAuthenticator
    private let queue: WorkQueue

    init(_ authenticator: any ListenerAuthenticator, limit: Int) {
        self.authenticator = authenticator
        queue = WorkQueue(label: "divan.listener.passwords", limit: limit)
    }

    /// Calls `check`, on one of the gate's own threads, when it is the client's turn.
    func enter(_ request: UpgradeRequest, _ check: @escaping @Sendable () -> Void) {
        queue.async(unlessGone: request.departure, check)
    }

    /// The decision about a client whose turn it is.
    func decide(about request: UpgradeRequest) -> AuthenticationOutcome {
        authenticator.authenticate(AuthenticationRequest(request))
    }

    /// The credentials that a client presents; `nil` if it only asks what is needed.
    func credentials(shownBy request: UpgradeRequest) -> PresentedCredentials? {
        PresentedCredentials(AuthenticationRequest(request), to: authenticator)
    }

    /// The bearer token that a client presents.
    func bearerToken(of request: UpgradeRequest) -> String? {
        AuthenticationRequest(request).bearerToken
    }

    /// Whether a client presents something that might let it in.
    func hasCredentials(_ request: UpgradeRequest) -> Bool {
        authenticator.showsCredentials(AuthenticationRequest(request))
    }
}

extension AuthenticationRequest {
    fileprivate init(_ request: UpgradeRequest) {
        self.init(
            authorization: request.handshake.headers["Authorization"],
            headers: request.handshake.headers.fields.map { ($0.name, $0.value) },
            certificates: request.certificates.map(\.derBytes),
            remoteAddress: request.address.host
        )
    }
}
