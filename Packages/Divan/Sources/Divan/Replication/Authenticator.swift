/// How a replicator authenticates to the peer.
@preconcurrency public protocol Authenticator: Sendable {}

/// User name and password, sent with the first request (RFC 7617).
public struct BasicAuthenticator: Authenticator, Sendable {
    /// The user's name; it cannot hold a colon.
    public let username: String
    /// The user's password.
    public let password: String

    /// Creates an authenticator; both texts go out as UTF-8.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// A session that the server issued, sent as a cookie.
public struct SessionAuthenticator: Authenticator, Sendable {
    /// The session's ID.
    public let sessionID: String
    /// The cookie's name, `SyncGatewaySession` unless the server is configured otherwise.
    public let cookieName: String

    /// Creates an authenticator with the usual cookie name.
    public init(sessionID: String) {
        self.init(sessionID: sessionID, cookieName: nil)
    }

    /// Creates an authenticator; `nil` uses the usual cookie name.
    public init(sessionID: String, cookieName: String?) {
        self.sessionID = sessionID
        self.cookieName = cookieName ?? "SyncGatewaySession"
    }
}

/// An authenticator that the application implements: it adds header fields to each request.
///
/// A bearer token, for example, goes into the field `Authorization: Bearer …`. An addition to the official API.
public protocol CustomAuthenticator: Authenticator, Sendable {
    /// The fields, such as `Authorization` or `Cookie`, by name.
    ///
    /// Called once for each connection attempt, on the replication's thread: return at once, with a token fetched
    /// beforehand. A field that is not valid in a header ends the attempt.
    func headers() -> [String: String]
}

/// A certificate, shown when the listener asks for one during the TLS handshake.
///
/// It is also shown to a host that a redirect leads to: that host learns the client's identity, but cannot use it.
public final class ClientCertificateAuthenticator: Authenticator, Sendable {
    /// The certificate and its private key.
    public let identity: TLSIdentity

    /// Creates an authenticator.
    public init(identity: TLSIdentity) {
        self.identity = identity
    }
}
