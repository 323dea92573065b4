import CDivanTLS
import DivanCrypto

/// Owns one parsed X.509 certificate of OpenSSL.
///
/// `@unchecked Sendable` holds because the X509 is never changed after it was adopted, and OpenSSL protects the caches
/// that it fills on first use with the certificate's own lock.
final class CertificateHandle: @unchecked Sendable {
    /// Valid as long as this object lives; nobody else frees it.
    let pointer: OpaquePointer

    /// Takes over one reference to the certificate.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }

    /// The certificate as DER; empty if OpenSSL cannot encode it.
    func encoded() -> [UInt8] {
        let byteCount = Int(i2d_X509(pointer, nil))
        guard byteCount > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            var cursor = buffer.baseAddress
            initializedCount = max(0, Int(i2d_X509(pointer, &cursor)))
        }
    }
}

/// Owns one private key in OpenSSL's form, for the duration of a call.
final class KeyHandle {
    /// Valid as long as this object lives.
    let pointer: OpaquePointer

    /// Takes over one reference to the key.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Copies a key from DivanCrypto; the intermediate bytes are wiped.
    convenience init(_ key: PrivateKey) throws(CredentialError) {
        OpenSSLFailure.clear()
        let pointer = try? key.withPKCS8DER { bytes in
            bytes.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                return d2i_AutoPrivateKey(nil, &cursor, bytes.count)
            }
        }
        guard let pointer else {
            throw CredentialError(.library(step: .readingKey, code: OpenSSLFailure.take()))
        }
        self.init(adopting: pointer)
    }

    /// The key in DivanCrypto's form; the intermediate bytes are wiped.
    func privateKey() throws(CredentialError) -> PrivateKey {
        OpenSSLFailure.clear()
        let byteCount = Int(i2d_PrivateKey(pointer, nil))
        guard byteCount > 0 else {
            throw CredentialError(.library(step: .readingKey, code: OpenSSLFailure.take()))
        }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            _ = i2d_PrivateKey(pointer, &cursor)
        }
        do {
            return try PrivateKey(der: bytes.span)
        } catch {
            throw CredentialError(.unusableKey(error))
        }
    }
}
