@_spi(Modern) internal import CouchbaseLiteSwift
public import DivanAuth
public import DivanTransport
public import Foundation

// MARK: - The peer

extension Sync {
    /// The peer of a sync; a string literal is a URL.
    public struct Target: Sendable {
        /// Creates the transport of one connection attempt, not started.
        ///
        /// Called on an internal thread; it must return quickly. The transport's `loop` must be the given one. The
        /// array contains the subprotocols that this side supports, the preferred one first; a transport that agrees on
        /// one reports it in `TransportPeer.subprotocol`.
        public typealias TransportFactory =
            @Sendable (_ loop: any EventLoop, _ subprotocols: [String]) throws ->
            any MessageTransport

        enum Kind: Sendable {
            case url(String)
            case database(Database)
            case nearby(name: String, Discovery, patience: Duration)
            case transport(id: String, TransportFactory)
        }

        let kind: Kind

        /// The peer at a URL: `wss://host:port/database`, or `ws://…` without TLS.
        public static func url(_ url: URL) -> Target { Target(kind: .url(url.absoluteString)) }

        /// The peer at a URL that a user entered; an invalid one ends a run with
        /// ``DivanError/Code/invalidArgument``.
        public static func url(_ text: String) -> Target { Target(kind: .url(text)) }

        /// Another database of this process.
        public static func database(_ database: Database) -> Target {
            Target(kind: .database(database))
        }

        /// The listener that is advertised under a name; it is looked up for each connection.
        ///
        /// Anyone on the network can advertise a name: pin the peer's certificate, or trust your own authority only.
        /// Each attempt fails if the peer is not found within `patience`.
        public static func nearby(
            _ name: String,
            through discovery: Discovery = .network,
            patience: Duration = .seconds(15)
        ) -> Target {
            Target(kind: .nearby(name: name, discovery, patience: patience))
        }

        /// A peer that is reached over a transport of the application; `MessageTransportContract` of DivanTransport
        /// tests one.
        ///
        /// The state of the sync is stored under the ID, so it must always be the same for the same peer. The other
        /// side passes its end to ``Listener/accept(_:)``.
        public static func transport(
            id: String,
            _ make: @escaping TransportFactory
        ) -> Target {
            Target(kind: .transport(id: id, make))
        }
    }
}

extension Sync.Target: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The peer at a URL, such as `"wss://sync.example.com/shop"`.
    public init(stringLiteral url: String) {
        kind = .url(url)
    }

    /// The URL, the name or the ID of the peer.
    public var description: String {
        switch kind {
        case .url(let text): text
        case .database(let database): "database \(database.name)"
        case .nearby(let name, _, _): "peer \(name)"
        case .transport(let id, _): id
        }
    }

    func endpoint() throws -> any Endpoint {
        switch kind {
        case .url(let text):
            return try URLEndpoint(validating: text)
        case .database(let database):
            return DatabaseEndpoint(database: database.official)
        case .nearby(let name, let discovery, let patience):
            guard let source = discovery.source else { throw Discovery.missing }
            var endpoint = DiscoveredEndpoint(name: name, through: source)
            endpoint.patience = patience.bounded
            return endpoint
        case .transport(let id, let make):
            return TransportEndpoint(uid: id, makeTransport: make)
        }
    }
}

// MARK: - Credentials

extension Sync {
    /// How a sync authenticates to the peer.
    public struct Credentials: Sendable {
        let authenticator: (any Authenticator)?

        /// No credentials.
        public static let none = Credentials(authenticator: nil)

        /// A user name, without a colon, and a password.
        public static func password(_ user: String, _ password: String) -> Credentials {
            Credentials(authenticator: BasicAuthenticator(username: user, password: password))
        }

        /// A session of the server, sent as a cookie.
        public static func session(
            _ id: String,
            cookie name: String = "SyncGatewaySession"
        ) -> Credentials {
            Credentials(authenticator: SessionAuthenticator(sessionID: id, cookieName: name))
        }

        /// Bearer tokens, which the closure fetches: before the first connection, when the peer rejects a token, and
        /// before a token expires.
        ///
        /// Only one call runs at a time. If it throws, the sync goes `offline` and retries later; a
        /// `CancellationError`, or a second rejected token in a row, stops it with ``DivanError/Code/unauthorized``.
        ///
        /// ```swift
        /// credentials: .token { _ in Sync.Token(try await login.accessToken()) }
        /// ```
        ///
        /// - Parameters:
        ///   - margin: How long before its expiry a token is renewed, up to a day; at most half of its lifetime.
        ///   - fetch: Fetches a token; it may take as long as it needs.
        /// - Returns: Credentials that syncs can share; they share the token.
        public static func token(
            renewingBefore margin: Duration = .seconds(60),
            _ fetch: @escaping @Sendable (Token.Reason) async throws -> Token
        ) -> Credentials {
            let authenticator = TokenAuthenticator(renewingBefore: margin.bounded) { reason in
                let token = try await fetch(Token.Reason(reason))
                return AccessToken(token.value, expirationDate: token.expires)
            }
            return Credentials(authenticator: authenticator)
        }

        /// A client certificate.
        public static func certificate(_ identity: Identity) -> Credentials {
            Credentials(
                authenticator: ClientCertificateAuthenticator(
                    identity: TLSIdentity(identity.credential)
                )
            )
        }

        /// A client certificate that is read from the storage at each start, so that a renewed one is used.
        public static func storedCertificate(
            _ name: String,
            in storage: Identity.Storage = .user
        ) -> Credentials {
            Credentials(
                authenticator: StoredIdentityAuthenticator(label: name, in: storage.store)
            )
        }

        /// An authenticator of the application, which adds header fields; `ClientAuthenticatorContract` of DivanAuth
        /// tests one.
        public static func custom(_ authenticator: any ClientAuthenticator) -> Credentials {
            Credentials(authenticator: AdaptedAuthenticator(authenticator))
        }
    }

    /// A bearer token (RFC 6750), as issued by an identity provider; printing it does not show it.
    public struct Token: Sendable {
        /// Why a token is requested.
        public enum Reason: Sendable {
            /// No token has been fetched yet.
            case first
            /// The token expires soon, or has expired.
            case expiring
            /// The peer rejected the last token.
            case rejected
        }

        /// The token: 1 to 16,384 letters, digits and `-._~+/=`.
        public var value: String
        /// When it expires; `nil` if unknown.
        public var expires: Date?

        /// Creates a token.
        public init(_ value: String, expires: Date? = nil) {
            self.value = value
            self.expires = expires
        }
    }
}

extension Sync.Token: CustomStringConvertible, CustomReflectable {
    /// A text without the token.
    public var description: String { "bearer token" }

    /// Empty, so that `dump` does not show the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Sync.Token.Reason {
    init(_ reason: TokenAuthenticator.Reason) {
        self =
            switch reason {
            case .first: .first
            case .expiring: .expiring
            case .refused: .rejected
            }
    }
}

// MARK: - Trust

extension Sync {
    /// Which certificates of the peer are accepted.
    public struct Trust: Sendable {
        enum Rule: Sendable {
            case system
            case pinned(Certificate)
            case authorities([Certificate])
            case selfSigned
        }

        let rule: Rule

        /// Valid certificates for the host's name, signed by an authority that the system trusts.
        public static let system = Trust(rule: .system)

        /// Only this certificate, or one that it has signed; neither its validity nor the host's name is checked.
        ///
        /// A self-signed certificate may be renewed with the same key: the pin accepts the new one.
        public static func pinned(_ certificate: Certificate) -> Trust {
            Trust(rule: .pinned(certificate))
        }

        /// Valid certificates for the host's name, signed by one of these authorities instead of the system's.
        public static func authority(_ authorities: Certificate...) -> Trust {
            Trust(rule: .authorities(authorities))
        }

        /// Any self-signed certificate: the traffic is encrypted, but the peer is not authenticated.
        ///
        /// For tests, and for peers that authenticate in another way.
        public static let anySelfSigned = Trust(rule: .selfSigned)

        func apply(to configuration: inout ReplicatorConfiguration) {
            switch rule {
            case .system: break
            case .pinned(let certificate):
                configuration.pinnedServerCertificate = TLSCertificate(certificate.wrapped)
            case .authorities(let authorities):
                configuration.trustedRootCertificates = Data(
                    authorities.map(\.pem).joined().utf8
                )
            case .selfSigned:
                configuration.acceptOnlySelfSignedServerCertificate = true
            }
        }
    }
}
