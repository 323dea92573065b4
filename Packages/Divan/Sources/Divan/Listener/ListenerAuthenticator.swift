import DivanAuth
import DivanTLS

/// How a listener authenticates its clients.
@preconcurrency public protocol ListenerAuthenticator: Sendable {}

/// Asks clients for a user name and a password.
public final class ListenerPasswordAuthenticator: ListenerAuthenticator, Sendable {
    private let callback: @Sendable (String, String) -> Bool

    /// Creates an authenticator.
    ///
    /// - Parameter authenticator: Returns whether to accept a user name and password. Called on the listener's own
    ///   threads, for several clients at a time; it may take its time, up to the client's timeout of 15 seconds.
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

/// Asks clients for a certificate; needs TLS.
public final class ListenerCertificateAuthenticator: ListenerAuthenticator, Sendable {
    enum Rule: Sendable {
        case roots([SecCertificate])
        case callback(@Sendable ([SecCertificate]) -> Bool)
    }

    let rule: Rule

    /// Creates an authenticator that leaves the decision to a closure, and checks nothing else.
    ///
    /// - Parameter authenticator: Returns whether to accept a client with this chain, its own certificate first. Called
    ///   during the handshake, on a thread that serves other clients too: it must be quick.
    @preconcurrency
    public init(authenticator: @escaping @Sendable (_ certs: [SecCertificate]) -> Bool) {
        rule = .callback(authenticator)
    }

    /// Creates an authenticator that accepts currently valid certificates signed by one of these certificates.
    public init(rootCerts: [SecCertificate]) {
        rule = .roots(rootCerts)
    }
}

/// An authenticator that the application implements: it reads the header of each request.
///
/// An addition to the official API.
public protocol CustomListenerAuthenticator: ListenerAuthenticator, Sendable {
    /// Accepts or refuses a client.
    ///
    /// Called on the listener's own threads, for several clients at a time; it may take its time, up to the client's
    /// timeout of 15 seconds. Refusals of clients that present credentials (`credentialFields`) count as failed logins.
    func authenticate(_ request: ListenerRequest) -> ListenerLogin

    /// The names of the header fields that authenticate clients, such as `Authorization`.
    ///
    /// A client that sends none of them, and no certificate, is only asking what is required. Wrong values delay
    /// further attempts from the same address, except for clients that have logged in with theirs before. Only name
    /// fields that are examined: if a proxy sets its own cookie, clients with tokens would look like new ones each
    /// time.
    var credentialFields: [String] { get }
}

/// What a client presents before it is accepted.
public struct ListenerRequest: Sendable {
    /// Its certificates, its own first; TLS has already accepted them.
    public let certificates: [TLSCertificate]
    /// Its IP address, or that of a proxy in front of the listener.
    public let address: String?
    private let fields: [(name: String, value: String)]

    init(_ request: AuthenticationRequest) {
        fields = request.headers
        certificates = request.certificates.compactMap { der in
            (try? DivanTLS.TLSCertificate(der: der.span)).map { TLSCertificate($0) }
        }
        address = request.remoteAddress
    }

    /// The first header field with this name, ignoring case; `nil` when there is none.
    public func header(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The decision about a client.
public enum ListenerLogin: Equatable, Sendable {
    /// Accepted; the access hook and the list of connections show the user's name.
    case accepted(user: String?)
    /// Refused with 401 and this value of `WWW-Authenticate`, such as `Bearer`; a replicator stops with 10401.
    case refused(challenge: String)
}
