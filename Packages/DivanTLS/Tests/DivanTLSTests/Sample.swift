import DivanCrypto
import DivanTLS
import Foundation

/// Certificates for the tests; with P-256 keys, because they are quick to make.
enum Sample {
    /// OpenSSL judges validity by the system's clock, so samples are made around it.
    static let now = Date()
    static let day: TimeInterval = 86_400

    static func authority(_ name: String = "Test Root") throws -> TLSCredential {
        var template = CertificateTemplate(attributes: ["CN": name], usages: [], now: now)
        template.isAuthority = true
        return try TLSCredential.generate(template, key: .p256)
    }

    /// A server's identity for `localhost`, 127.0.0.1 and ::1.
    static func server(
        issuer: TLSCredential? = nil,
        made: Date = now,
        notAfter: Date? = nil
    ) throws -> TLSCredential {
        var template = CertificateTemplate(
            attributes: ["CN": "server", "dNSName": "localhost"],
            usages: .serverAuth,
            now: made,
            notAfter: notAfter
        )
        template.alternativeNames = [.ipAddress("127.0.0.1"), .ipAddress("::1")]
        return try TLSCredential.generate(template, key: .p256, issuer: issuer)
    }

    static func expiredServer(issuer: TLSCredential? = nil) throws -> TLSCredential {
        try server(issuer: issuer, made: now - 3 * day, notAfter: now - day)
    }

    static func futureServer(issuer: TLSCredential? = nil) throws -> TLSCredential {
        try server(issuer: issuer, made: now + day)
    }

    static func client(issuer: TLSCredential? = nil) throws -> TLSCredential {
        let template = CertificateTemplate(
            attributes: ["CN": "client"],
            usages: .clientAuth,
            now: now
        )
        return try TLSCredential.generate(template, key: .p256, issuer: issuer)
    }
}
