import DivanAuth
import DivanTLS

/// How a listener finds out who a client is.
@preconcurrency public protocol ListenerAuthenticator: Sendable {}

/// Asks clients for a user name and a password.
public final class ListenerPasswordAuthenticator: ListenerAuthenticator, Sendable {
    private let callback: @Sendable (String, String) -> Bool

    /// Creates an authenticator.
    ///
    /// - Parameter authenticator: Says whether a user name and password are accepted. Called on a
    ///   thread of the listener's own, several clients at a time; it may take its time, up to the
    ///   client's patience of 15 seconds.
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
    /// - Parameter authenticator: Says whether a client with this chain, its own certificate
    ///   first, is accepted. Called during the handshake, on a thread that serves other clients
    ///   too: be quick.
    @preconcurrency
    public init(authenticator: @escaping @Sendable (_ certs: [SecCertificate]) -> Bool) {
        rule = .callback(authenticator)
    }

    /// Creates an authenticator that accepts what one of these certificates has signed and what
    /// is valid today.
    public init(rootCerts: [SecCertificate]) {
        rule = .roots(rootCerts)
    }
}

/// An authenticator of the application's own: it reads the header of each request.
///
/// An addition to the official API.
public protocol CustomListenerAuthenticator: ListenerAuthenticator, Sendable {
    /// Lets a client in or not.
    ///
    /// Called on a thread of the listener's own, several clients at a time; it may take its time, up
    /// to the client's patience of 15 seconds. Refusals of clients that show
    /// something (`credentialFields`) count as failed logins.
    func authenticate(_ request: ListenerRequest) -> ListenerLogin

    /// Names of the header fields by which it lets clients in, such as `Authorization`.
    ///
    /// Who sends none of them, and no certificate, only asks what is needed. Wrong guesses at their values
    /// delay the next ones from the same address, but for those who have come in with theirs before. Name
    /// no others than those that are looked at: where a proxy in front sets a cookie of its own, clients
    /// with tokens would be taken for others each time.
    var credentialFields: [String] { get }
}

/// What a client shows of itself before it is let in.
public struct ListenerRequest: Sendable {
    /// Its certificates, its own first; TLS has accepted them already.
    public let certificates: [TLSCertificate]
    /// Its IP address, or that of a proxy in front.
    public let address: String?
    private let fields: [(name: String, value: String)]

    init(_ request: AuthenticationRequest) {
        fields = request.headers
        certificates = request.certificates.compactMap { der in
            (try? DivanTLS.TLSCertificate(der: der.span)).map { TLSCertificate($0) }
        }
        address = request.remoteAddress
    }

    /// The first header field of this name, in any case of letters; `nil` when there is none.
    public func header(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// What becomes of a client.
public enum ListenerLogin: Equatable, Sendable {
    /// It is let in; the access hook and the list of connections show the user's name.
    case accepted(user: String?)
    /// It is answered 401 with this value of `WWW-Authenticate`, such as `Bearer`; a replicator stops
    /// with 10401.
    case refused(challenge: String)
}
