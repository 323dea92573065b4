import CouchbaseLiteSwift
import DivanCrypto
import DivanTLS
import Foundation
import Testing

/// What a listener presents, what a client trusts, how the listener authenticates, what the client presents.
enum ListenerMatrix {
    /// The identity that the listener presents.
    enum Identity: String, CaseIterable {
        case anonymous
        case selfSigned = "self-signed"
        case authoritySigned = "CA-signed"
        case none = "none (no TLS)"
    }

    /// Which listeners the client trusts.
    enum Trust: String, CaseIterable {
        case systemRoots = "system roots"
        case pinnedLeaf = "pinned leaf"
        case pinnedAuthority = "pinned CA"
        case selfSignedOnly = "self-signed only"
    }

    /// How the listener authenticates clients.
    enum Authentication: String, CaseIterable {
        case none
        case password
        case roots = "certificate by roots"
        case callback = "certificate by callback"

        /// Whether it needs TLS.
        var requestsCertificate: Bool { self == .roots || self == .callback }
    }

    /// The credentials that the client presents.
    enum Key: String, CaseIterable {
        case right
        case missing
        case wrong
    }

    /// One listener and one client's trust; its doors and keys are tried in turn.
    struct Cell: Sendable, CustomTestStringConvertible {
        let identity: Identity
        let trust: Trust
        let authentication: Authentication

        static let all = Identity.allCases.flatMap { identity in
            Trust.allCases.flatMap { trust in
                Authentication.allCases.map {
                    Cell(identity: identity, trust: trust, authentication: $0)
                }
            }
        }

        var testDescription: String {
            "\(identity.rawValue), \(trust.rawValue), \(authentication.rawValue)"
        }

        /// The expected code; 0 is success.
        func code(_ key: Key) -> Int {
            if identity == .none, authentication.requestsCertificate {
                return CBLError.invalidParameter
            }
            // The client decides first: a listener that it does not trust never sees its credentials.
            if let refusal { return refusal }
            switch (authentication, key) {
            case (.none, _), (_, .right): return 0
            case (.password, _): return CBLError.httpAuthRequired
            case (_, .missing): return CBLError.tlsClientCertRequired
            case (_, .wrong): return CBLError.tlsClientCertRejected
            }
        }

        /// Why the client does not trust the listener; `nil` if it does.
        private var refusal: Int? {
            switch (identity, trust) {
            case (.none, _), (_, .pinnedLeaf): nil
            case (.authoritySigned, .pinnedAuthority): nil
            case (.anonymous, .selfSignedOnly), (.selfSigned, .selfSignedOnly): nil
            case (.authoritySigned, .selfSignedOnly): CBLError.tlsCertUntrusted
            case (_, .systemRoots), (_, .pinnedAuthority): CBLError.tlsCertUnknownRoot
            }
        }
    }
}

/// The listeners and credentials of the matrix, created once.
final class MatrixStage: Sendable {
    static let shared = Swift.Result { try MatrixStage() }

    let peers: Peers
    private let authority: TLSCredential
    private let right: TLSIdentity
    private let wrong: TLSIdentity
    private let selfSigned: TLSIdentity
    private let authoritySigned: TLSIdentity

    init() throws {
        peers = try Peers()
        try peers.there.defaultCollection().put("a", 7)
        var template = CertificateTemplate(attributes: ["CN": "root"], usages: [], now: Date())
        template.isAuthority = true
        authority = try TLSCredential.generate(template, key: .p256)
        let make = { (name: String, usage: CertificateTemplate.Usages, issuer: TLSCredential?) in
            let template = CertificateTemplate(
                attributes: ["CN": name, "iPAddress": "127.0.0.1"],
                usages: usage,
                now: Date()
            )
            let credential = try TLSCredential.generate(
                template,
                key: .p256,
                issuer: issuer
            )
            return try TLSIdentity(pem: try credential.pem())
        }
        selfSigned = try make("there", .serverAuth, nil)
        authoritySigned = try make("there", .serverAuth, authority)
        right = try make("robot", .clientAuth, authority)
        wrong = try make("stranger", .clientAuth, nil)
    }

    private var root: CouchbaseLiteSwift.TLSCertificate {
        get throws { try CouchbaseLiteSwift.TLSCertificate(der: Data(authority.leaf.derBytes)) }
    }

    /// Starts the listener of a cell.
    func listen(_ cell: ListenerMatrix.Cell) throws -> URLEndpointListener {
        try peers.listen {
            switch cell.identity {
            case .anonymous: break
            case .selfSigned: $0.tlsIdentity = selfSigned
            case .authoritySigned: $0.tlsIdentity = authoritySigned
            case .none: $0.disableTLS = true
            }
            $0.authenticator = try authenticator(cell.authentication)
        }
    }

    private func authenticator(
        _ authentication: ListenerMatrix.Authentication
    ) throws -> (any ListenerAuthenticator)? {
        switch authentication {
        case .none: nil
        case .password: ListenerPasswordAuthenticator { $0 == "ada" && $1 == "lovelace" }
        case .roots: ListenerCertificateAuthenticator(rootCerts: [try root])
        case .callback: ListenerCertificateAuthenticator { $0.first?.commonName == "robot" }
        }
    }

    /// The client of a cell.
    func client(
        of listener: URLEndpointListener,
        _ cell: ListenerMatrix.Cell,
        _ key: ListenerMatrix.Key
    ) throws -> ReplicatorConfiguration {
        var configuration = try peers.configuration(.pull, target: listener.endpoint())
        configuration.maxAttempts = 1
        switch cell.trust {
        case .systemRoots: break
        case .pinnedLeaf: configuration.pinnedServerCertificate = listener.tlsIdentity?.certs.first
        case .pinnedAuthority: configuration.pinnedServerCertificate = try root
        case .selfSignedOnly: configuration.acceptOnlySelfSignedServerCertificate = true
        }
        switch (cell.authentication.requestsCertificate, key) {
        case (_, .missing): break
        case (true, _):
            configuration.authenticator = ClientCertificateAuthenticator(
                identity: key == .right ? right : wrong
            )
        case (false, _):
            configuration.authenticator = BasicAuthenticator(
                username: "ada",
                password: key == .right ? "lovelace" : "byron"
            )
        }
        return configuration
    }
}
