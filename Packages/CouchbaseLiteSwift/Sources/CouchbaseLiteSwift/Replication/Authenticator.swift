/// How a replicator authenticates to the peer.
@preconcurrency public protocol Authenticator: Sendable {}

/// User name and password, sent with the first request (RFC 7617).
public struct BasicAuthenticator: Authenticator, Sendable {
    /// The user name, without a colon.
    public let username: String
    /// The user's password.
    public let password: String

    /// Creates an authenticator; both are sent as UTF-8.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// A session of the server, sent as a cookie.
public struct SessionAuthenticator: Authenticator, Sendable {
    /// The session's ID.
    public let sessionID: String
    /// The cookie's name; `SyncGatewaySession` by default.
    public let cookieName: String

    /// Creates an authenticator with the default cookie name.
    public init(sessionID: String) {
        self.init(sessionID: sessionID, cookieName: nil)
    }

    /// Creates an authenticator; `nil` means the default cookie name.
    public init(sessionID: String, cookieName: String?) {
        self.sessionID = sessionID
        self.cookieName = cookieName ?? "SyncGatewaySession"
    }
}

/// A custom authenticator of the application, which adds header fields to each request.
///
/// For example, a bearer token in the field `Authorization: Bearer …`. An addition to the official API.
public protocol CustomAuthenticator: Authenticator, Sendable {
    /// Returns the fields, such as `Authorization` or `Cookie`, by name.
    ///
    /// Called once for each connection attempt, on the replicator's thread, so it must return quickly: fetch tokens
    /// beforehand. An invalid header field ends the attempt.
    func headers() -> [String: String]
}

/// A client certificate, sent if the listener requests one during the TLS handshake.
///
/// It is also sent to the target of a redirect, which then knows the client's identity, but cannot use it.
public final class ClientCertificateAuthenticator: Authenticator, Sendable {
    /// The certificate and its private key.
    public let identity: TLSIdentity

    /// Creates an authenticator.
    public init(identity: TLSIdentity) {
        self.identity = identity
    }
}
