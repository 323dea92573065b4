/// What a client presents before its connection is upgraded.
public struct AuthenticationRequest: Sendable {
    /// The value of its `Authorization` header.
    public var authorization: String?
    /// All fields of its request, including `Authorization`, in the order received.
    public var headers: [(name: String, value: String)]
    /// Its certificates as DER, leaf first; TLS has accepted them already.
    public var certificates: [[UInt8]]
    /// Its address as text, for authenticators that count attempts.
    public var remoteAddress: String?

    /// Combines what is known about a client.
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

    /// The user name and password in `authorization`, if it is well-formed Basic.
    public var credentials: BasicCredentials? {
        authorization.flatMap { BasicCredentials(header: $0) }
    }
}

/// What a listener does with a client.
public enum AuthenticationOutcome: Sendable, Equatable {
    /// Let it in; with the user's name, if it gave one.
    case accepted(user: String?)
    /// Answer `401 Unauthorized` with this value of `WWW-Authenticate`.
    case refused(challenge: String)

    /// The refusal of a client that should have sent a user name and password.
    ///
    /// Source: `tls-and-auth.md` §4; RFC 7617 §2.1.
    public static let basicChallenge = AuthenticationOutcome.refused(
        challenge: #"Basic charset="UTF-8""#
    )
}

/// Decides which clients a listener lets in, once for each request, before anything else.
///
/// Called on a thread of the listener, for several clients at the same time; it may block.
/// A client that it accepted stays connected, even if it would later decide otherwise.
/// `ListenerAuthenticatorContract` checks an implementation.
///
/// Source: `tls-and-auth.md` §4.
public protocol ListenerAuthenticator: Sendable {
    /// Lets a client in or not.
    func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome

    /// Names of the header fields by which it authenticates clients, in any letter case; none if it refuses
    /// nobody.
    ///
    /// A client with one of them, or with a certificate, presents credentials: refusing it is a failed login,
    /// which delays the next ones. Any other client only asks what is needed. Name only fields that are
    /// examined: proxies add fields of all kinds, some with another value in each request.
    var credentialFields: [String] { get }
}

extension ListenerAuthenticator {
    /// Whether a client presents something by which it might be let in.
    ///
    /// May be called from any thread.
    public func showsCredentials(_ request: AuthenticationRequest) -> Bool {
        let fields = credentialFields
        guard !fields.isEmpty else { return false }
        return !request.certificates.isEmpty || !request.telling(fields).isEmpty
    }
}

/// Lets everyone in, whatever credentials they present.
public struct OpenListenerAuthenticator: ListenerAuthenticator {
    /// Creates the authenticator.
    public init() {}

    /// Accepts the client, with the given user name, which is not verified.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        .accepted(user: nil)
    }

    /// Nobody is refused, so there is nothing to guess.
    public var credentialFields: [String] { [] }
}

/// Asks the application about each user name and password.
public struct PasswordListenerAuthenticator: ListenerAuthenticator {
    private let accepts: @Sendable (_ username: String, _ password: String) -> Bool

    /// Calls `accepts`, on a thread of the listener; clients without well-formed
    /// credentials are refused without calling it.
    public init(
        _ accepts: @escaping @Sendable (_ username: String, _ password: String) -> Bool
    ) {
        self.accepts = accepts
    }

    /// Lets in the clients that the application accepts.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        guard let credentials = request.credentials,
            accepts(credentials.username, credentials.password)
        else { return .basicChallenge }
        return .accepted(user: credentials.username)
    }

    /// Cookies and the like are not examined here.
    public var credentialFields: [String] { ["Authorization"] }
}
