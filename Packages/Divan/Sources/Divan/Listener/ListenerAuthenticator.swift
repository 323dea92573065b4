/// How a listener finds out who a client is.
public protocol ListenerAuthenticator {}

/// Asks clients for a user name and a password.
public final class ListenerPasswordAuthenticator: ListenerAuthenticator, Sendable {
    let isAccepted: @Sendable (String, String) -> Bool

    /// Creates an authenticator.
    ///
    /// - Parameter authenticator: Says whether a user name and password are accepted. Called on a
    ///   thread of the listener's own, several clients at a time; it may take its time, up to the
    ///   client's patience of 15 seconds.
    public init(
        authenticator: @escaping @Sendable (_ username: String, _ password: String) -> Bool
    ) {
        isAccepted = authenticator
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
    public init(authenticator: @escaping @Sendable (_ certs: [SecCertificate]) -> Bool) {
        rule = .callback(authenticator)
    }

    /// Creates an authenticator that accepts what one of these certificates has signed and what
    /// is valid today.
    public init(rootCerts: [SecCertificate]) {
        rule = .roots(rootCerts)
    }
}
