/// Authenticates the client to a server, in the headers of each handshake request.
///
/// Called once for each connection attempt, on the thread of the replication: it must return immediately.
/// `ClientAuthenticatorContract` checks an implementation.
///
/// Source: `tls-and-auth.md` §5. Client certificates belong to TLS, not to this protocol.
public protocol ClientAuthenticator: Sendable {
    /// Fields for the request, such as `Authorization` or `Cookie`.
    ///
    /// Names are tokens; values contain no control characters.
    func headers() -> [(name: String, value: String)]
}

/// A user name and password, sent with the first request.
public struct BasicClientAuthenticator: ClientAuthenticator {
    /// The credentials to send.
    public let credentials: BasicCredentials

    /// Creates an authenticator that sends these credentials.
    public init(_ credentials: BasicCredentials) {
        self.credentials = credentials
    }

    /// Creates an authenticator that sends a user name and password.
    ///
    /// - Throws: `AuthenticationError` if they cannot be sent in the header.
    public init(username: String, password: String) throws(AuthenticationError) {
        credentials = try BasicCredentials(username: username, password: password)
    }

    /// The `Authorization` field.
    public func headers() -> [(name: String, value: String)] {
        [("Authorization", credentials.header)]
    }
}

/// A session of the server, sent as a cookie.
public struct SessionClientAuthenticator: ClientAuthenticator {
    /// The default cookie name of Sync Gateway.
    public static let defaultCookieName = "SyncGatewaySession"

    /// The cookie's name.
    public let cookieName: String
    private let sessionID: String

    /// Creates an authenticator that sends a session ID.
    ///
    /// - Throws: `AuthenticationError` if the name or the ID is not valid in a cookie.
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

/// The requirements for every client authenticator, as a check for any test framework.
public enum ClientAuthenticatorContract {
    /// Returns one sentence for each violated requirement; none if the authenticator is correct.
    public static func violations(of authenticator: some ClientAuthenticator) -> [String] {
        authenticator.headers().flatMap { name, value in
            var violations: [String] = []
            if !isToken(name.utf8) {
                violations.append("\(name.debugDescription) is not a valid field name.")
            }
            if value.utf8.contains(where: isControl) {
                violations.append("The value of \(name) contains control characters.")
            }
            return violations
        }
    }
}
