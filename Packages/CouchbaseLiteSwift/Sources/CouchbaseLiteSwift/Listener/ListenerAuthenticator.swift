import DivanAuth
import DivanTLS

/// How a listener authenticates its clients.
@preconcurrency public protocol ListenerAuthenticator: Sendable {}

/// Requires a user name and a password.
public final class ListenerPasswordAuthenticator: ListenerAuthenticator, Sendable {
    private let callback: @Sendable (String, String) -> Bool

    /// Creates an authenticator.
    ///
    /// - Parameter authenticator: Returns whether to accept a user name and password. Called on the listener's threads,
    ///   several at a time; it may take up to 15 seconds, the client's timeout.
    @preconcurrency
    public init(
        authenticator: @escaping @Sendable (_ username: String, _ password: String) -> Bool
    ) {
        callback = authenticator
    }

    func isAccepted(_ username: String, _ password: String) -> Bool {
        callback(username, password)
    }
}

/// Requires a client certificate; needs TLS.
public final class ListenerCertificateAuthenticator: ListenerAuthenticator, Sendable {
    enum Rule: Sendable {
        case roots([SecCertificate])
        case callback(@Sendable ([SecCertificate]) -> Bool)
    }

    let rule: Rule

    /// Creates an authenticator that calls a closure for the decision, without other checks.
    ///
    /// - Parameter authenticator: Returns whether to accept a client with this chain, its own certificate first. Called
    ///   during the handshake, on a thread that also serves other clients: it must return quickly.
    @preconcurrency
    public init(authenticator: @escaping @Sendable (_ certs: [SecCertificate]) -> Bool) {
        rule = .callback(authenticator)
    }

    /// Creates an authenticator that accepts currently valid certificates signed by one of these certificates.
    public init(rootCerts: [SecCertificate]) {
        rule = .roots(rootCerts)
    }
}

/// A custom authenticator of the application, based on request headers and certificates.
///
/// An addition to the official API.
public protocol CustomListenerAuthenticator: ListenerAuthenticator, Sendable {
    /// Accepts or rejects a client.
    ///
    /// Called on the listener's threads, several at a time; it may take up to 15 seconds, the client's timeout. A
    /// rejected request with credentials (`credentialFields`) counts as a failed login.
    func authenticate(_ request: ListenerRequest) -> ListenerLogin

    /// The header fields that contain credentials, such as `Authorization`.
    ///
    /// A request with none of them, and no certificate, does not count as a failed login. Wrong values delay further
    /// attempts from the same address, except for clients that have logged in with their values before. List only
    /// fields that you check: with a cookie that a proxy sets, clients with tokens would look like new clients each
    /// time.
    var credentialFields: [String] { get }
}

/// A client's request to connect.
public struct ListenerRequest: Sendable {
    /// The client's certificate chain, its own certificate first, already verified by TLS.
    public let certificates: [TLSCertificate]
    /// The client's IP address, or the address of a proxy in front of the listener.
    public let address: String?
    private let fields: [(name: String, value: String)]

    init(_ request: AuthenticationRequest) {
        fields = request.headers
        certificates = request.certificates.compactMap { der in
            (try? DivanTLS.TLSCertificate(der: der.span)).map { TLSCertificate($0) }
        }
        address = request.remoteAddress
    }

    /// The first header field with this name, ignoring case; `nil` if there is none.
    public func header(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The decision about a client.
public enum ListenerLogin: Equatable, Sendable {
    /// Accepted, with a user name for the access hook and the list of connections.
    case accepted(user: String?)
    /// Rejected with 401 and this `WWW-Authenticate` value, such as `Bearer`; a replicator stops with 10401.
    case refused(challenge: String)
}
