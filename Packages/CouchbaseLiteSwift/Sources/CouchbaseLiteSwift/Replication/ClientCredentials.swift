import DivanAuth
import DivanLog
import DivanSession
import DivanTLS
import DivanWebSocket
import Foundation

/// How a replicator authenticates, and whom it trusts.
struct ClientCredentials: Sendable {
    private let authenticator: (any ClientAuthenticator)?
    private let certificate: TLSCredential?
    private let further: [String: String]
    /// The source of credentials that must be fetched.
    let source: CredentialSource?

    /// - Throws: `invalidParameter` for headers, names and passwords that cannot be sent, `unsupported` for an
    ///   authenticator of an unknown type.
    init(_ configuration: ReplicatorConfiguration) throws {
        further = try Self.sendable(configuration.headers ?? [:])
        var credential: TLSCredential?
        var source: CredentialSource?
        switch configuration.authenticator {
        case nil:
            authenticator = nil
        case let basic as BasicAuthenticator:
            authenticator = try BasicClientAuthenticator(
                username: basic.username,
                password: basic.password
            )
        case let session as SessionAuthenticator:
            authenticator = try SessionClientAuthenticator(
                sessionID: session.sessionID,
                cookieName: session.cookieName
            )
        case let own as any CustomAuthenticator:
            authenticator = ClientAuthenticatorAdapter(source: own)
        case let adapted as AdaptedAuthenticator:
            authenticator = adapted.authenticator
        case let stored as StoredIdentityAuthenticator:
            authenticator = nil
            credential = try stored.credential()
        case let token as TokenAuthenticator:
            let use = TokenUse(token.cache)
            authenticator = use
            source = use.source
        case let own as ClientCertificateAuthenticator:
            authenticator = nil
            credential = own.identity.credential
        case let other?:
            throw ReplicationFailure.unknownAuthenticator("\(type(of: other))")
        }
        certificate = credential
        self.source = source
    }

    /// The application's headers without those that the handshake sets itself.
    private static func sendable(_ headers: [String: String]) throws -> [String: String] {
        let fields = HTTPHeaders(headers.map { ($0.key, $0.value) })
        if let name = fields.unsendableField { throw ReplicationFailure.unsendableHeader(name) }
        return headers.filter { name, _ in
            guard ClientHandshake.Request.setsField(name) else { return true }
            Journal.sync.warning(
                "ReplicatorConfiguration: header \(name) is ignored, because the handshake sets it"
            )
            return false
        }
    }

    /// The header fields of one request: credentials, cookies, and the application's headers.
    ///
    /// Credentials of the authenticator take precedence. The application's own cookies are for `first` only, and are not
    /// sent to another host after a redirect.
    func headers(
        for endpoint: WebSocketEndpoint,
        redirectedFrom first: WebSocketEndpoint,
        cookies: CookieStore
    ) -> HTTPHeaders {
        var headers = HTTPHeaders()
        var ownCookies: [String] = []
        let added = further.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        for (name, value) in (authenticator?.headers() ?? []) + added {
            if name.lowercased() == "cookie" {
                ownCookies.append(value)
            } else if headers[name] == nil {
                headers.append(name, value)
            }
        }
        if !endpoint.maySee(secretsFor: first) { ownCookies = [] }
        let configured = ownCookies.isEmpty ? nil : ownCookies.joined(separator: "; ")
        if let value = cookies.header(for: endpoint, beside: configured) {
            headers.append("Cookie", value)
        }
        return headers
    }

    /// Whether TLS is configured beyond the system's roots.
    func setsTLS(_ configuration: ReplicatorConfiguration) -> Bool {
        certificate != nil || configuration.pinnedServerCertificate != nil
            || configuration.acceptOnlySelfSignedServerCertificate
            || configuration.trustedRootCertificates != nil
    }

    /// The TLS settings of all connections.
    ///
    /// - Throws: `invalidParameter` for settings that contradict each other, `crypto` for
    ///   certificates that cannot be used.
    func tlsContext(_ configuration: ReplicatorConfiguration) throws -> TLSContext {
        try TLSContext.client(
            ClientTLSConfiguration(
                serverTrust: trust(configuration),
                credential: certificate,
                resumesSessions: configuration.resumesTLSSessions
            )
        )
    }

    private func trust(_ configuration: ReplicatorConfiguration) throws -> ServerTrust {
        let onlySelfSigned = configuration.acceptOnlySelfSignedServerCertificate
        guard !onlySelfSigned || configuration.trustedRootCertificates == nil else {
            throw ReplicationFailure.contradictoryTrust
        }
        if let pinned = configuration.pinnedServerCertificate { return .pinned(pinned.certificate) }
        if onlySelfSigned { return .selfSignedOnly }
        if let roots = configuration.trustedRootCertificates {
            return .roots(try TLSCertificate.certificates(in: roots))
        }
        return .systemRoots
    }
}

/// Adapts an application's authenticator to the package below.
private struct ClientAuthenticatorAdapter: ClientAuthenticator {
    let source: any CustomAuthenticator

    func headers() -> [(name: String, value: String)] {
        ServiceCallback.run { source.headers() }.sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value) }
    }
}
