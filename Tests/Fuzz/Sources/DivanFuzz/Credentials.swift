import DivanCrypto
import DivanTLS
import Foundation

/// Any bytes are a certificate or a credential that can be described and written, or an error.
enum Credentials: FuzzTarget {
    static let name = "credentials"

    static func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let kind = reader.byte()
        let rest = reader.remainder()
        switch kind % 4 {
        case 0: return flaw(of: try? TLSCertificate(der: rest.span))
        case 1: return flaw(of: try? TLSCertificate(pem: String(decoding: rest, as: UTF8.self)))
        case 2:
            let text = String(decoding: rest, as: UTF8.self)
            return (try? TLSCredential(pem: text, password: "x")).flatMap { flaw(of: $0) }
        default:
            return (try? TLSCredential(pkcs12: rest.span, password: "x")).flatMap { flaw(of: $0) }
        }
    }

    private static func flaw(of certificate: TLSCertificate?) -> String? {
        guard let certificate else { return nil }
        _ = (certificate.subject, certificate.issuer, certificate.commonName)
        _ = (certificate.notBefore, certificate.notAfter, certificate.isSelfSigned)
        let again = try? TLSCertificate(der: certificate.derBytes.span)
        return again == certificate ? nil : "comes back changed: \(certificate.sha256Fingerprint)"
    }

    private static func flaw(of credential: TLSCredential) -> String? {
        credential.certificates.lazy.compactMap { flaw(of: $0) }.first
    }

    static func seeds() throws -> [[UInt8]] {
        let template = CertificateTemplate(
            attributes: ["CN": "server", "O": "Divan", "dNSName": "localhost"],
            usages: .serverAuth,
            now: Date()
        )
        let credential = try TLSCredential.generate(template, key: .p256)
        let certificate = credential.certificates[0]
        return [
            [0] + certificate.derBytes, [1] + Array(certificate.pem.utf8),
            [2] + Array(try credential.pem().utf8),
            [3] + (try credential.pkcs12(password: "x", name: "n")),
        ]
    }
}
