import DivanCrypto
import DivanTLS
import Foundation

/// The identities of the combinations, each made once: RSA keys take a while.
final class CombinationCredentials: Sendable {
    static let shared = Result { try CombinationCredentials() }

    let root: TLSCredential
    let otherRoot: TLSCredential
    private let servers: [Combination.Key: TLSCredential]
    private let keys: [Combination.Key: PrivateKey]

    private init() throws {
        root = try Sample.authority()
        otherRoot = try Sample.authority("Other Root")
        var keys: [Combination.Key: PrivateKey] = [:]
        var servers: [Combination.Key: TLSCredential] = [:]
        for key in [Combination.Key.rsa2048, .rsa3072, .p256, .p384] {
            let made = try PrivateKey.generate(key.kind)
            keys[key] = made
            servers[key] = try TLSCredential.make(Self.template(), key: made, issuer: root)
        }
        self.keys = keys
        self.servers = servers
    }

    private static func template(
        _ usages: CertificateTemplate.Usages = .serverAuth,
        made: Date = Sample.now,
        notAfter: Date? = nil
    ) -> CertificateTemplate {
        var template = CertificateTemplate(
            attributes: ["CN": "peer"],
            usages: usages,
            now: made,
            notAfter: notAfter
        )
        template.alternativeNames = [.ipAddress("127.0.0.1")]
        return template
    }

    /// The server's certificate.
    func server(_ combination: Combination) throws -> TLSCredential {
        guard let key = keys[combination.key], let sound = servers[combination.key] else {
            throw CredentialError(.noPrivateKey)
        }
        let (yesterday, longAgo) = (Sample.now - Sample.day, Sample.now - 3 * Sample.day)
        switch combination.certificate {
        case .sound: return sound
        case .selfSigned: return try .make(Self.template(), key: key)
        case .forClients: return try .make(Self.template(.clientAuth), key: key, issuer: root)
        case .notYetValid:
            let template = Self.template(made: Sample.now + Sample.day)
            return try .make(template, key: key, issuer: root)
        case .expired:
            let template = Self.template(made: longAgo, notAfter: yesterday)
            return try .make(template, key: key, issuer: root)
        }
    }

    /// The client's certificate; its key is of the same kind as the server's.
    func client(_ combination: Combination) throws -> TLSCredential? {
        guard let key = keys[combination.key] else { return nil }
        let (yesterday, longAgo) = (Sample.now - Sample.day, Sample.now - 3 * Sample.day)
        switch combination.client {
        case .notAsked, .absent: return nil
        case .sound: return try .make(Self.template(.clientAuth), key: key, issuer: root)
        case .forServers: return try .make(Self.template(), key: key, issuer: root)
        case .ofOtherRoot: return try .make(Self.template(.clientAuth), key: key, issuer: otherRoot)
        case .expired:
            let template = Self.template(.clientAuth, made: longAgo, notAfter: yesterday)
            return try .make(template, key: key, issuer: root)
        }
    }
}

extension Combination.Key {
    var kind: PrivateKey.Kind {
        switch self {
        case .rsa2048: .rsa(bitCount: 2_048)
        case .rsa3072: .rsa(bitCount: 3_072)
        case .p256: .p256
        case .p384: .p384
        }
    }
}
