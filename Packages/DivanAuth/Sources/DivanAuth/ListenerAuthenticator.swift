/// The credentials of a client, before its connection is upgraded.
public struct AuthenticationRequest: Sendable {
    /// The value of its `Authorization` header.
    public var authorization: String?
    /// All fields of its request, including `Authorization`, in the order received.
    public var headers: [(name: String, value: String)]
    /// Its certificates as DER, leaf first; TLS has already accepted them.
    public var certificates: [[UInt8]]
    /// Its address, for authenticators that count attempts.
    public var remoteAddress: String?

    /// Creates a request.
    public init(
        authorization: String? = nil,
        headers: [(name: String, value: String)] = [],
        certificates: [[UInt8]] = [],
        remoteAddress: String? = nil
    ) {
        self.authorization = authorization
        self.headers = headers
        self.certificates = certificates
        self.remoteAddress = remoteAddress
    }

    /// The user name and password in `authorization`, if it is valid Basic authentication.
    public var credentials: BasicCredentials? {
        authorization.flatMap { BasicCredentials(header: $0) }
    }
}

/// The decision of an authenticator.
public enum AuthenticationOutcome: Sendable, Equatable {
    /// Accept the client, with its user name, if any.
    case accepted(user: String?)
    /// Answer `401 Unauthorized` with this value of `WWW-Authenticate`.
    case refused(challenge: String)

    /// Refuse a client that must send a user name and password.
    ///
    /// Source: `tls-and-auth.md` §4; RFC 7617 §2.1.
    public static let basicChallenge = AuthenticationOutcome.refused(
        challenge: #"Basic charset="UTF-8""#
    )
}

/// Authenticates the clients of a listener, once for each request, before anything else.
///
/// Called on a thread of the listener, for several clients at the same time; it may block. An accepted client stays
/// connected, even if the decision would change later. `ListenerAuthenticatorContract` checks an implementation.
///
/// Source: `tls-and-auth.md` §4.
public protocol ListenerAuthenticator: Sendable {
    /// Accepts or refuses a client.
    func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome

    /// The names of the header fields with which it authenticates clients, in any letter case; empty if it accepts
    /// everyone.
    ///
    /// A client with one of these fields, or with a certificate, presents credentials: refusing it is a failed
    /// login, which delays further attempts. Any other client only asks which credentials are required. List only
    /// fields that are checked: proxies add other fields, some with a different value in each request.
    var credentialFields: [String] { get }
}

extension ListenerAuthenticator {
    /// Whether a client presents credentials.
    ///
    /// Can be called from any thread.
    public func showsCredentials(_ request: AuthenticationRequest) -> Bool {
        let fields = credentialFields
        guard !fields.isEmpty else { return false }
        return !request.certificates.isEmpty || !request.telling(fields).isEmpty
    }
}

/// Accepts all clients, regardless of their credentials.
public struct OpenListenerAuthenticator: ListenerAuthenticator {
    /// Creates the authenticator.
    public init() {}

    /// Accepts the client, with its user name, which is not verified.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        .accepted(user: nil)
    }

    /// Empty: no client is refused.
    public var credentialFields: [String] { [] }
}

/// Calls the application to check each user name and password.
public struct PasswordListenerAuthenticator: ListenerAuthenticator {
    private let accepts: @Sendable (_ username: String, _ password: String) -> Bool

    /// Creates an authenticator that calls `accepts` on a thread of the listener.
    ///
    /// Clients without well-formed credentials are refused without calling it.
    public init(
        _ accepts: @escaping @Sendable (_ username: String, _ password: String) -> Bool
    ) {
        self.accepts = accepts
    }

    /// Accepts the clients that the application accepts.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        guard let credentials = request.credentials,
            accepts(credentials.username, credentials.password)
        else { return .basicChallenge }
        return .accepted(user: credentials.username)
    }

    /// Only the `Authorization` field is checked.
    public var credentialFields: [String] { ["Authorization"] }
}
