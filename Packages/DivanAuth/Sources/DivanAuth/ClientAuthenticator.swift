/// Identifies us to a server, in the header of each handshake request.
///
/// Called once for each attempt to connect, on the thread of the replication: return at once.
/// `ClientAuthenticatorContract` checks an implementation.
///
/// Source: `tls-and-auth.md` §5. Client certificates belong to TLS, not to this protocol.
public protocol ClientAuthenticator: Sendable {
    /// Fields for the request, such as `Authorization` or `Cookie`.
    ///
    /// Names are tokens; values contain no control characters.
    func headers() -> [(name: String, value: String)]
}

/// User name and password, sent unasked with the first request.
public struct BasicClientAuthenticator: ClientAuthenticator {
    /// The credentials to send.
    public let credentials: BasicCredentials

    /// Sends these credentials.
    public init(_ credentials: BasicCredentials) {
        self.credentials = credentials
    }

    /// Sends a user name and password.
    ///
    /// - Throws: `AuthenticationError` if the header could not carry them.
    public init(username: String, password: String) throws(AuthenticationError) {
        credentials = try BasicCredentials(username: username, password: password)
    }

    /// The `Authorization` field.
    public func headers() -> [(name: String, value: String)] {
        [("Authorization", credentials.header)]
    }
}

/// A session that the application got from the server, sent as a cookie.
public struct SessionClientAuthenticator: ClientAuthenticator {
    /// The cookie's name in Sync Gateway, unless its configuration says otherwise.
    public static let defaultCookieName = "SyncGatewaySession"

    /// The cookie's name, sent as given.
    public let cookieName: String
    private let sessionID: String

    /// Sends a session ID.
    ///
    /// - Throws: `AuthenticationError` if a cookie could not carry the name or the ID.
    public init(
        sessionID: String,
        cookieName: String = defaultCookieName
    ) throws(AuthenticationError) {
        guard isToken(cookieName.utf8) else { throw .cookieName(cookieName) }
        guard !sessionID.isEmpty, sessionID.utf8.allSatisfy(isCookieByte) else {
            throw .sessionID
        }
        self.cookieName = cookieName
        self.sessionID = sessionID
    }

    /// The `Cookie` field.
    public func headers() -> [(name: String, value: String)] {
        [("Cookie", "\(cookieName)=\(sessionID)")]
    }
}

extension SessionClientAuthenticator: CustomStringConvertible, CustomReflectable {
    /// Only the cookie's name: anyone with the ID can act as the user.
    public var description: String { "session in cookie \(cookieName)" }

    /// Only the cookie's name, so that `dump` and `String(reflecting:)` hide the ID too.
    public var customMirror: Mirror { Mirror(self, children: ["cookieName": cookieName]) }
}

/// What every client authenticator must guarantee; check your own with any test framework.
public enum ClientAuthenticatorContract {
    /// Returns one sentence for each broken promise; none if the authenticator is correct.
    public static func violations(of authenticator: some ClientAuthenticator) -> [String] {
        authenticator.headers().flatMap { name, value in
            var violations: [String] = []
            if !isToken(name.utf8) {
                violations.append("\(name.debugDescription) is no field name.")
            }
            if value.utf8.contains(where: isControl) {
                violations.append("The value of \(name) holds control characters.")
            }
            return violations
        }
    }
}
