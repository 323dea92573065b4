@_spi(Modern) internal import CouchbaseLiteSwift
public import DivanAuth
internal import Foundation

extension Listener {
    /// Which clients a listener accepts.
    ///
    /// Closures run as tasks, at most 16 at the same time. A client waits up to 15 seconds for the answer, then it is
    /// refused. Wrong credentials delay further attempts from the same address.
    public struct Users: Sendable {
        typealias MakeAuthenticator =
            @Sendable (CallbackBridge) -> (any CouchbaseLiteSwift.ListenerAuthenticator)?

        enum Check: Sendable {
            case official(MakeAuthenticator)
            case certificates(@Sendable ([Certificate]) async -> Bool)
        }

        let check: Check

        private init(_ make: @escaping MakeAuthenticator) {
            check = .official(make)
        }

        private init(check: Check) {
            self.check = check
        }

        /// All clients; use it in trusted networks only.
        public static let anyone = Users { _ in nil }

        /// Clients with a user name and a password that a closure accepts.
        public static func passwords(
            _ isValid: @escaping @Sendable (_ user: String, _ password: String) async -> Bool
        ) -> Users {
            Users { bridge in
                ListenerPasswordAuthenticator { user, password in
                    bridge.answer(false) { await isValid(user, password) }
                }
            }
        }

        /// Clients with a user name and its password in a table.
        public static func passwords(_ table: [String: String]) -> Users {
            // Others cannot be sent: a name with a colon, and control characters.
            let users = table.compactMap { name, password in
                try? BasicCredentials(username: name, password: password)
            }
            return .custom(PasswordListAuthenticator(users))
        }

        /// Clients with a bearer token for which a closure returns the user's name; `nil` refuses the token.
        public static func tokens(
            _ user: @escaping @Sendable (_ token: String) async -> String?
        ) -> Users {
            Users { TokenUsers(user: user, bridge: $0) }
        }

        /// Clients with a valid certificate that one of these authorities has signed; requires TLS.
        public static func certificates(signedBy authorities: Certificate...) -> Users {
            Users { _ in
                ListenerCertificateAuthenticator(
                    rootCerts: authorities.map { TLSCertificate($0.wrapped) }
                )
            }
        }

        /// Clients with a certificate that a closure accepts, given the chain, the client's own certificate first;
        /// requires TLS.
        ///
        /// Certificates that have expired or are not valid yet are refused. A refused client stops with
        /// ``DivanError/Code/forbidden``.
        public static func certificates(
            where isAccepted: @escaping @Sendable ([Certificate]) async -> Bool
        ) -> Users {
            Users(check: .certificates(isAccepted))
        }

        /// Clients that an authenticator of the application accepts; `ListenerAuthenticatorContract` of DivanAuth
        /// tests one.
        public static func custom(
            _ authenticator: any DivanAuth.ListenerAuthenticator
        ) -> Users {
            Users { _ in AdaptedListenerAuthenticator(authenticator) }
        }
    }

    /// A client of a listener.
    public struct Client: Sendable {
        /// The authenticated user name; `nil` if the listener does not require one.
        public let user: String?
        /// The certificates that the client presented, its own first.
        public let certificates: [Certificate]
        /// The client's IP address, or the address of a proxy.
        public let address: String
        /// The client's port.
        public let port: UInt16
        /// Whether the connection uses TLS.
        public let isSecure: Bool

        init(_ client: ListenerClient) {
            user = client.user
            certificates = client.certificates.map { Certificate($0.certificate) }
            address = client.address
            port = client.port
            isSecure = client.isSecure
        }
    }

    /// What a client can access.
    ///
    /// Rights apply until the connection ends; see ``Listener/recheckAccess()``. A client that gains the right to read
    /// a document gets it with the document's next change.
    public struct Access: Sendable {
        /// The collections that the client can access; `nil` means all that the listener shares.
        public var collections: [DocumentCollection]?
        /// Whether the client can only pull.
        public var isReadOnly: Bool
        /// Selects the documents that the client can read; nothing is sent of other documents.
        public var reads: Sync.Filter?
        /// Selects the documents that the client can write; others are refused.
        public var writes: Sync.Filter?
        /// Whether these rights are still valid, for ``Listener/recheckAccess()``; it must return quickly.
        public var isCurrent: (@Sendable () -> Bool)?
        var condition: (text: String, parameters: [String: DocumentValue])?
        var refusal: String?

        /// Access to everything that the listener shares.
        public static let full = Access()
        /// Access to everything, for reading only.
        public static let readOnly = Access(isReadOnly: true)

        /// Describes what a client can access.
        public init(
            collections: [DocumentCollection]? = nil,
            isReadOnly: Bool = false,
            reads: Sync.Filter? = nil,
            writes: Sync.Filter? = nil
        ) {
            self.collections = collections
            self.isReadOnly = isReadOnly
            self.reads = reads
            self.writes = writes
        }

        /// Only documents that meet a condition in SQL++, such as `owner = $user`: the client cannot read, create,
        /// change or delete others.
        ///
        /// Deletions are sent to every client, with only the document's ID, unless the condition mentions
        /// `META().deleted`. An invalid condition refuses the client, and is logged.
        public static func documents(
            where condition: String,
            _ parameters: [String: DocumentValue] = [:]
        ) -> Access {
            var access = Access()
            access.condition = (condition, parameters)
            return access
        }

        /// No access: the client stops with ``DivanError/Code/forbidden``, and the explanation is in its error.
        public static func refused(
            _ explanation: String = "you may not use this listener"
        ) -> Access {
            var access = Access()
            access.refusal = explanation
            return access
        }
    }
}

extension CallbackBridge {
    /// The answer of the application; `failure` with a warning if there is none in time.
    func answer<Output: Sendable>(
        _ failure: Output,
        _ body: @escaping @Sendable () async -> Output
    ) -> Output {
        do {
            return try wait(place: "listener", body)
        } catch {
            CouchbaseLiteSwift.Log.log(domain: .listener, level: .warning, message: "\(error)")
            return failure
        }
    }
}

/// Accepts clients with bearer tokens.
private struct TokenUsers: CustomListenerAuthenticator {
    /// As long as a client sends one.
    private static let tokenByteCount = 16_384

    let user: @Sendable (String) async -> String?
    let bridge: CallbackBridge

    let credentialFields = ["Authorization"]

    func authenticate(_ request: ListenerRequest) -> ListenerLogin {
        let field = request.header("Authorization")
        guard let token = AuthenticationRequest(authorization: field).bearerToken,
            token.utf8.count <= Self.tokenByteCount
        else { return .refused(challenge: "Bearer") }
        let name = bridge.answer(String?.none) { [user] in await user(token) }
        guard let name else { return .refused(challenge: #"Bearer error="invalid_token""#) }
        return .accepted(user: name)
    }
}
