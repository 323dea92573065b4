import DivanCrypto
import DivanTLS
public import Foundation

/// A certificate and its private key; replaces Apple's `SecIdentity`.
public final class TLSKeyPair: Sendable {
    let credential: TLSCredential

    /// Reads a PEM text with the certificate, its chain if any, and the private key.
    ///
    /// - Throws: `crypto` (22) if a part is missing or does not match.
    public init(pem: String, password: String? = nil) throws {
        credential = try translatingErrors { try TLSCredential(pem: pem, password: password) }
    }

    /// Combines a certificate and its private key in DER (PKCS #8, or the key type's own form).
    ///
    /// - Throws: `crypto` (22) if the key is unreadable or belongs to another certificate.
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
