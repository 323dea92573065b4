public import DivanTLS
public import Foundation

/// An X.509 certificate; replaces Apple's `SecCertificate` of the official API.
///
/// Two certificates are equal if their DER bytes are equal. May be used from any thread.
public final class TLSCertificate: Sendable {
    /// The certificate of the package below.
    @_spi(Modern) public let certificate: DivanTLS.TLSCertificate

    /// Reads one certificate in DER.
    ///
    /// - Throws: `crypto` (22) if the data is not a certificate.
    public convenience init(der: Data) throws {
        let certificate = try translatingErrors {
            try DivanTLS.TLSCertificate(der: Array(der).span)
        }
        self.init(certificate)
    }

    /// Reads the first certificate of a PEM text.
    ///
    /// - Throws: `crypto` (22) if it contains no certificate.
    public convenience init(pem: String) throws {
        let certificate = try translatingErrors { try DivanTLS.TLSCertificate(pem: pem) }
        self.init(certificate)
    }

    /// Wraps a certificate of the package below.
    @_spi(Modern) public init(_ certificate: DivanTLS.TLSCertificate) {
        self.certificate = certificate
    }

    /// The certificate as DER.
    public var der: Data { Data(certificate.derBytes) }
    /// The certificate as PEM.
    public var pem: String { certificate.pem }
    /// The subject, such as `CN=jukebox, O=Divan`.
    public var subject: String { certificate.subject }
    /// The issuer.
    public var issuer: String { certificate.issuer }
    /// The subject's common name.
    public var commonName: String? { certificate.commonName }
    /// The start of its validity.
    public var notBefore: Date { certificate.notBefore }
    /// When it expires.
    public var notAfter: Date { certificate.notAfter }
    /// Whether it was signed with its own key.
    public var isSelfSigned: Bool { certificate.isSelfSigned }
    /// The SHA-256 fingerprint of the DER bytes, in lower-case hexadecimal.
    public var sha256Fingerprint: String { certificate.sha256Fingerprint }
}

extension TLSCertificate: Hashable {
    /// Compares the DER bytes.
    public static func == (left: TLSCertificate, right: TLSCertificate) -> Bool {
        left.certificate == right.certificate
    }

    /// Hashes the DER bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(certificate)
    }
}

extension TLSCertificate: CustomStringConvertible {
    /// The subject and the start of the fingerprint.
    public var description: String { certificate.description }
}

extension TLSCertificate {
    /// Reads certificates in DER (one) or PEM (any number).
    static func certificates(in data: Data) throws -> [DivanTLS.TLSCertificate] {
        try translatingErrors {
            if let text = String(data: data, encoding: .utf8), text.contains("-----BEGIN") {
                return try DivanTLS.TLSCertificate.certificates(pem: text)
            }
            return [try DivanTLS.TLSCertificate(der: Array(data).span)]
        }
    }
}
