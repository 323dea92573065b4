import CDivanTLS
import DivanCrypto
public import FoundationEssentials

/// An X.509 certificate: its DER bytes and parsed fields.
///
/// Two certificates are equal if their DER bytes are equal. Can be used from any thread.
///
/// Source: RFC 5280 §4.1; `tls-and-auth.md` §2 (pins).
public struct TLSCertificate: Sendable {
    /// The certificate in DER format.
    public let derBytes: [UInt8]

    let handle: CertificateHandle

    /// Parses one DER certificate that fills `der` exactly.
    ///
    /// - Throws: `CredentialError` if the bytes are anything else, or too many (`TLSLimits.certificateByteCount`).
    public init(der: Span<UInt8>) throws(CredentialError) {
        guard der.count <= TLSLimits.certificateByteCount else {
            throw CredentialError(
                .tooLarge(byteCount: der.count, limit: TLSLimits.certificateByteCount)
            )
        }
        OpenSSLFailure.clear()
        let (certificate, consumedCount) = der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            let certificate = d2i_X509(nil, &cursor, bytes.count)
            return (certificate, cursor.map { $0 - (bytes.baseAddress ?? $0) } ?? 0)
        }
        guard let certificate else {
            throw CredentialError(.notACertificate(code: OpenSSLFailure.take()))
        }
        let handle = CertificateHandle(adopting: certificate)
        guard consumedCount == der.count else { throw CredentialError(.notACertificate(code: 0)) }
        self.handle = handle
        derBytes = der.withUnsafeBufferPointer { Array($0) }
    }

    /// Takes over a certificate that OpenSSL made.
    init(_ handle: CertificateHandle) {
        self.handle = handle
        derBytes = handle.encoded()
    }

    /// The moment from which the certificate is valid.
    public var notBefore: Date { Self.date(X509_get0_notBefore(handle.pointer)) }

    /// The moment after which the certificate is no longer valid.
    public var notAfter: Date { Self.date(X509_get0_notAfter(handle.pointer)) }

    /// Whether `date` lies within the validity, both ends included.
    public func isValid(at date: Date) -> Bool {
        notBefore <= date && date <= notAfter
    }

    /// Whether the certificate is its own issuer and is signed with its own key.
    public var isSelfSigned: Bool {
        OpenSSLFailure.clear()
        defer { OpenSSLFailure.clear() }
        return X509_self_signed(handle.pointer, 1) == 1
    }

    /// Whether the certificate is `pin`, or a renewal of it: both are self-signed, with the same key and subject.
    ///
    /// Only the owner of the pinned key can sign a renewal, and complete a handshake with it.
    public func matches(pin: TLSCertificate) -> Bool {
        if self == pin { return true }
        OpenSSLFailure.clear()
        defer { OpenSSLFailure.clear() }
        guard
            X509_NAME_cmp(
                X509_get_subject_name(handle.pointer),
                X509_get_subject_name(pin.handle.pointer)
            ) == 0,
            let key = X509_get0_pubkey(handle.pointer),
            let pinnedKey = X509_get0_pubkey(pin.handle.pointer),
            EVP_PKEY_eq(key, pinnedKey) == 1
        else { return false }
        return isSelfSigned && pin.isSelfSigned
    }

    /// Whether the certificate can sign other certificates.
    public var isAuthority: Bool { X509_check_ca(handle.pointer) == 1 }

    /// The roles that peers accept it for: server, client, or both if unspecified.
    public var usages: CertificateTemplate.Usages {
        let flags = X509_get_extended_key_usage(handle.pointer)
        // OpenSSL sets all bits for a certificate without that extension.
        var usages: CertificateTemplate.Usages = []
        if flags & UInt32(XKU_SSL_SERVER) != 0 { usages.insert(.serverAuth) }
        if flags & UInt32(XKU_SSL_CLIENT) != 0 { usages.insert(.clientAuth) }
        return usages
    }

    /// The SHA-256 digest of `derBytes` in lower-case hexadecimal.
    public var sha256Fingerprint: String {
        Hex.encode(SHA256.digest(of: derBytes.span).span)
    }

    /// The serial number in hexadecimal, as `openssl x509 -serial` prints it; empty if malformed.
    public var serialNumber: String {
        guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(handle.pointer), nil) else {
            return ""
        }
        defer { BN_free(number) }
        guard let text = BN_bn2hex(number) else { return "" }
        defer { CRYPTO_free(text, #file, #line) }
        return String(cString: text)
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date {
        var seconds: Int64 = 0
        // An unreadable date makes the certificate expired, never eternal.
        guard divan_tls_seconds(time, &seconds) == 1 else { return .distantPast }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}

extension TLSCertificate: Hashable {
    /// Compares the DER bytes.
    public static func == (a: TLSCertificate, b: TLSCertificate) -> Bool {
        a.derBytes == b.derBytes
    }

    /// Hashes the DER bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(derBytes)
    }
}

extension TLSCertificate: CustomStringConvertible {
    /// The subject and the first bytes of the fingerprint, enough to distinguish certificates.
    public var description: String { "\(subject) (SHA-256 \(sha256Fingerprint.prefix(16))…)" }
}
