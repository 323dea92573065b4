import DivanCrypto
import DivanTLS
public import Foundation

/// A certificate and its private key; stands where Apple's `SecIdentity` stands.
public final class TLSKeyPair: Sendable {
    let credential: TLSCredential

    /// Reads a PEM text that holds the certificate, its chain if any, and the private key.
    ///
    /// - Throws: `crypto` (22) when a part is missing or does not fit.
    public init(pem: String, password: String? = nil) throws {
        credential = try translatingErrors { try TLSCredential(pem: pem, password: password) }
    }

    /// Joins a certificate and its private key in DER (PKCS #8, or the key type's own form).
    ///
    /// - Throws: `crypto` (22) when the key is unreadable or belongs to another certificate.
    public init(certificate: TLSCertificate, privateKey: Data) throws {
        credential = try translatingErrors {
            try TLSCredential(
                certificates: [certificate.certificate],
                key: try PrivateKey(der: Array(privateKey).span)
            )
        }
    }

    /// The certificate.
    public var certificate: TLSCertificate { TLSCertificate(credential.leaf) }
}
