import CDivanTLS
import DivanCrypto

extension TLSCertificate {
    /// Parses the first certificate in PEM text; other text is skipped.
    ///
    /// - Throws: `CredentialError` if there is none or it is malformed.
    public init(pem: String) throws(CredentialError) {
        guard let first = try Self.certificates(pem: pem).first else {
            throw CredentialError(.noCertificate)
        }
        self = first
    }

    /// Parses all certificates in PEM text, in order, at most `TLSLimits.certificateCount`.
    ///
    /// - Throws: `CredentialError` if a block between the markers is not a certificate.
    public static func certificates(pem: String) throws(CredentialError) -> [TLSCertificate] {
        guard pem.utf8.count <= TLSLimits.fileByteCount else {
            throw CredentialError(
                .tooLarge(byteCount: pem.utf8.count, limit: TLSLimits.fileByteCount)
            )
        }
        var certificates: [TLSCertificate] = []
        let text = Array(pem.utf8)
        try text.withUnsafeBufferPointer { bytes throws(CredentialError) in
            OpenSSLFailure.clear()
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return
            }
            defer { BIO_free(source) }
            while certificates.count < TLSLimits.certificateCount {
                // Without this answer OpenSSL would ask for a password on the terminal.
                guard let certificate = PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil)
                else { break }
                certificates.append(TLSCertificate(CertificateHandle(adopting: certificate)))
            }
            let code = OpenSSLFailure.take()
            let isEnd = OpenSSLFailure.matches(
                code,
                library: ERR_LIB_PEM,
                reason: PEM_R_NO_START_LINE
            )
            guard code == 0 || isEnd else { throw CredentialError(.notACertificate(code: code)) }
        }
        return certificates
    }

    /// The certificate as PEM: one block with lines of 64 characters and a final line feed.
    ///
    /// Source: RFC 7468 §5.
    public var pem: String {
        var text = "-----BEGIN CERTIFICATE-----\n"
        var rest = Base64.encode(derBytes.span)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END CERTIFICATE-----\n"
    }
}
