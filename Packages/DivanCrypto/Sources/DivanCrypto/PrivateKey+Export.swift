internal import CDivanCrypto

extension PrivateKey {
    /// The key as PKCS #8 DER without encryption; the caller's copy is not wiped.
    ///
    /// - Throws: `CryptoError.library` if there is not enough memory.
    public func pkcs8DER() throws(CryptoError) -> [UInt8] {
        try exported("writing a key") { divan_key_to_pkcs8(storage.key, $0) }
    }

    /// Passes the key's PKCS #8 DER bytes to `body` and wipes them afterwards.
    ///
    /// - Throws: The error of `body`, or `CryptoError.library` if there is not enough memory.
    public func withPKCS8DER<Result>(_ body: (Span<UInt8>) throws -> Result) throws -> Result {
        var bytes = try pkcs8DER()
        defer { divan_wipe(&bytes, bytes.count) }
        return try body(bytes.span)
    }

    /// The key as PKCS #8 PEM text, encrypted with AES-256 if a password is given.
    ///
    /// - Throws: `CryptoError.passwordLength` beyond `passwordByteCount`; `.library` if there is not enough memory.
    public func pem(password: String? = nil) throws(CryptoError) -> String {
        let secret = try Self.secret(password)
        let text = try exported("writing a key") { count in
            secret.withBytes { divan_key_to_pem(storage.key, $0, $1, count) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The public key as SubjectPublicKeyInfo DER, as in a certificate.
    ///
    /// - Throws: `CryptoError.library` if there is not enough memory.
    public func publicKeyDER() throws(CryptoError) -> [UInt8] {
        try exported("writing a public key") { divan_key_to_public_der(storage.key, $0) }
    }

    private func exported(
        _ operation: String,
        _ export: (UnsafeMutablePointer<Int>) -> UnsafeMutablePointer<UInt8>?
    ) throws(CryptoError) -> [UInt8] {
        var count = 0
        guard let bytes = export(&count) else {
            throw .library(operation: operation, detail: takeLibraryError())
        }
        defer { divan_buffer_free(bytes, count) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}

extension PrivateKey: Equatable {
    /// Two keys are equal if their public keys are equal.
    public static func == (left: PrivateKey, right: PrivateKey) -> Bool {
        divan_key_equal(left.storage.key, right.storage.key) == 1
    }
}

extension PrivateKey: CustomStringConvertible {
    /// Only the kind, because keys must not be logged.
    public var description: String {
        switch kind {
        case .rsa(let bitCount): "RSA private key of \(bitCount) bits"
        case .p256: "P-256 private key"
        case .p384: "P-384 private key"
        }
    }
}
