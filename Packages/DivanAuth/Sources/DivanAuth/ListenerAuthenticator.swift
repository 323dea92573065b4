/// What a client shows of itself before its connection is upgraded.
public struct AuthenticationRequest: Sendable {
    /// The value of its `Authorization` header.
    public var authorization: String?
    /// All fields of its request, `Authorization` included, in the order in which they came.
    public var headers: [(name: String, value: String)]
    /// Its certificates as DER, leaf first; TLS has accepted them already.
    public var certificates: [[UInt8]]
    /// Its address as text, for whoever counts attempts.
    public var remoteAddress: String?

    /// Collects what is known of a client.
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
    /// Let it in; the user's name, if it gave one.
    case accepted(user: String?)
    /// Answer `401 Unauthorized` with this value of `WWW-Authenticate`.
    case refused(challenge: String)

    /// The refusal of everyone who should have sent a user name and password.
    ///
    /// Source: `tls-and-auth.md` §4; RFC 7617 §2.1.
    public static let basicChallenge = AuthenticationOutcome.refused(
        challenge: #"Basic charset="UTF-8""#
    )
}

/// Decides which clients a listener lets in, once for each request, before anything else.
///
/// Called on a thread of the listener's own, for several clients at a time; it may take its time.
/// What it accepted stays connected, whatever it would say later.
/// `ListenerAuthenticatorContract` checks an implementation.
///
/// Source: `tls-and-auth.md` §4.
public protocol ListenerAuthenticator: Sendable {
    /// Lets a client in or not.
    func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome

    /// Names of the header fields by which it lets clients in, in any case of letters; none where it refuses
    /// nobody.
    ///
    /// Who sends one of them, or has a certificate, shows something: refusing it is a failed login, which
    /// delays the next ones. Who shows nothing only asks what is needed. Name no others than those that are
    /// looked at: proxies add fields of all kinds, some with another value in each request.
    var credentialFields: [String] { get }
}

extension ListenerAuthenticator {
    /// Whether a client shows something by which it might be let in.
    ///
    /// Any thread may ask.
    public func showsCredentials(_ request: AuthenticationRequest) -> Bool {
        let fields = credentialFields
        guard !fields.isEmpty else { return false }
        return !request.certificates.isEmpty || !request.telling(fields).isEmpty
    }
}

/// Everyone may come in, whatever credentials they bring.
public struct OpenListenerAuthenticator: ListenerAuthenticator {
    /// Creates the authenticator.
    public init() {}

    /// Accepts, with the user name that was given, which nobody has checked.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        .accepted(user: nil)
    }

    /// Nobody is refused, so nobody guesses.
    public var credentialFields: [String] { [] }
}

/// Asks the application about each user name and password.
public struct PasswordListenerAuthenticator: ListenerAuthenticator {
    private let accepts: @Sendable (_ username: String, _ password: String) -> Bool

    /// Asks `accepts`, on a thread of the listener's own; clients that send no well-formed
    /// credentials are refused without asking.
    public init(
        _ accepts: @escaping @Sendable (_ username: String, _ password: String) -> Bool
    ) {
        self.accepts = accepts
    }

    /// Lets in whom the application accepts.
    public func authenticate(_ request: AuthenticationRequest) -> AuthenticationOutcome {
        guard let credentials = request.credentials,
            accepts(credentials.username, credentials.password)
        else { return .basicChallenge }
        return .accepted(user: credentials.username)
    }

    /// Cookies and the like are not looked at here.
    public var credentialFields: [String] { ["Authorization"] }
}
