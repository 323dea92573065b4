/// How a replicator proves to the peer who it is.
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
    /// The cookie's name, `SyncGatewaySession` unless the server was told another.
    public let cookieName: String

    /// Creates an authenticator with the usual cookie name.
    public init(sessionID: String) {
        self.init(sessionID: sessionID, cookieName: nil)
    }

    /// Creates an authenticator; without a cookie name the usual one is taken.
    public init(sessionID: String, cookieName: String?) {
        self.sessionID = sessionID
        self.cookieName = cookieName ?? "SyncGatewaySession"
    }
}

/// An authenticator of the application's own: it adds fields to the header of each request.
///
/// A bearer token, for example, is the field `Authorization: Bearer …`. An addition to the official
/// API.
public protocol CustomAuthenticator: Authenticator, Sendable {
    /// The fields, such as `Authorization` or `Cookie`, by name.
    ///
    /// Called once for each attempt to connect, on the thread of the replication: answer at once,
    /// with a token that was fetched before. A field that no header can carry ends the attempt.
    func headers() -> [String: String]
}

/// A certificate, shown when the listener asks for one during the TLS handshake.
///
/// It is shown to a host that a redirect leads to as well: that one learns whose it is, and can do nothing
/// with it.
public final class ClientCertificateAuthenticator: Authenticator, Sendable {
    /// The certificate and its private key.
    public let identity: TLSIdentity

    /// Creates an authenticator.
    public init(identity: TLSIdentity) {
        self.identity = identity
    }
}
