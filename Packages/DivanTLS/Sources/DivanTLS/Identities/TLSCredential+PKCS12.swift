import CDivanTLS
import DivanCrypto

extension TLSCredential {
    /// Reads a PKCS #12 file: a key, its certificate, and the rest of the chain.
    ///
    /// `password` is the export password; `nil` means none. Files encrypted with RC2 or triple DES, as exported by
    /// some keychain programs, are read with OpenSSL's legacy provider, which does not affect other code in this
    /// process.
    ///
    /// - Throws: `CredentialError` for a wrong password, a retired cipher if there is no legacy provider, or a missing
    ///   part.
    ///
    /// Source: RFC 7292.
    public init(pkcs12: Span<UInt8>, password: String?) throws(CredentialError) {
        guard pkcs12.count <= TLSLimits.fileByteCount else {
            throw CredentialError(
                .tooLarge(byteCount: pkcs12.count, limit: TLSLimits.fileByteCount)
            )
        }
        do {
            self = try Self.opened(pkcs12, password, in: nil)
        } catch {
            guard error.reason == .retiredCipher, let context = divan_tls_legacy_context() else {
                throw error
            }
            // Everything opened there has been copied by then.
            defer { OSSL_LIB_CTX_free(context) }
            self = try Self.opened(pkcs12, password, in: context)
        }
    }

    /// Opens the file with the algorithms of a library context; `nil` means the process's own.
    private static func opened(
        _ bytes: Span<UInt8>,
        _ password: String?,
        in context: OpaquePointer?
    ) throws(CredentialError) -> TLSCredential {
        OpenSSLFailure.clear()
        let file = bytes.withUnsafeBufferPointer { bytes in
            divan_tls_read_pkcs12(context, bytes.baseAddress, bytes.count)
        }
        guard let file else { throw CredentialError(.notPKCS12(code: OpenSSLFailure.take())) }
        defer { PKCS12_free(file) }

        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var others: OpaquePointer?
        guard divan_tls_parse_pkcs12(context, file, password, &key, &leaf, &others) == 1 else {
            throw CredentialError(refusal(OpenSSLFailure.take()))
        }
        // Adopted before any check, so that each is freed whichever check fails.
        let keyHandle = key.map { KeyHandle(adopting: $0) }
        let leafHandle = leaf.map { CertificateHandle(adopting: $0) }
        defer { divan_tls_stack_free(others) }
        guard let keyHandle else { throw CredentialError(.noPrivateKey) }
        guard let leafHandle else { throw CredentialError(.noCertificate) }

        var certificates = [TLSCertificate(leafHandle)]
        for index in 0..<divan_tls_stack_count(others) {
            guard certificates.count < TLSLimits.certificateCount,
                let other = divan_tls_stack_item(others, index), X509_up_ref(other) == 1
            else { break }
            certificates.append(TLSCertificate(CertificateHandle(adopting: other)))
        }
        let privateKey = try keyHandle.privateKey()
        guard context != nil else {
            return try TLSCredential(certificates: certificates, key: privateKey)
        }
        // Parsed again, so that nothing refers to a context that is about to be freed.
        var copies: [TLSCertificate] = []
        for certificate in certificates {
            copies.append(try TLSCertificate(der: certificate.derBytes.span))
        }
        return try TLSCredential(certificates: copies, key: privateKey)
    }

    /// The credential as a PKCS #12 file, encrypted with AES-256 and the password.
    ///
    /// `name` is the friendly name that key stores show.
    ///
    /// - Throws: `CredentialError` if OpenSSL cannot write it.
    public func pkcs12(password: String, name: String) throws(CredentialError) -> [UInt8] {
        let handle = try KeyHandle(key)
        OpenSSLFailure.clear()
        guard let others = divan_tls_stack_new() else { throw Self.exportError() }
        defer { divan_tls_stack_free(others) }
        for certificate in certificates.dropFirst() {
            guard divan_tls_stack_push_copy(others, certificate.handle.pointer) == 1 else {
                throw Self.exportError()
            }
        }
        let file = PKCS12_create(
            password,
            name,
            handle.pointer,
            leaf.handle.pointer,
            others,
            0,
            0,
            0,
            0,
            0
        )
        guard let file else { throw Self.exportError() }
        defer { PKCS12_free(file) }
        let byteCount = Int(i2d_PKCS12(file, nil))
        guard byteCount > 0 else { throw Self.exportError() }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            var cursor = buffer.baseAddress
            initializedCount = max(0, Int(i2d_PKCS12(file, &cursor)))
        }
    }

    private static func refusal(_ code: UInt) -> CredentialError.Reason {
        let isPassword = OpenSSLFailure.matches(
            code,
            library: ERR_LIB_PKCS12,
            reason: PKCS12_R_MAC_VERIFY_FAILURE
        )
        if isPassword { return .wrongPassword }
        // libcrypto cannot fetch RC2 and the like without its legacy provider.
        if ERR_GET_REASON(code) == ERR_R_UNSUPPORTED { return .retiredCipher }
        return .notPKCS12(code: code)
    }

    private static func exportError() -> CredentialError {
        CredentialError(.library(step: .exporting, code: OpenSSLFailure.take()))
    }
}
