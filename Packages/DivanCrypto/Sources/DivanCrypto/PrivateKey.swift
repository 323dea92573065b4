internal import CDivanCrypto

/// A private key for certificates and TLS; copies share one key, which is wiped with the last copy.
///
/// Can be used from any thread. Its description contains the kind and never the key.
public struct PrivateKey: Sendable {
    /// The algorithms that peers and Sync Gateway accept (`tls-and-auth.md`).
    public enum Kind: Hashable, Sendable {
        /// RSA with a modulus of this many bits, within `PrivateKey.rsaBitCounts`.
        case rsa(bitCount: Int)
        /// ECDSA on NIST P-256.
        case p256
        /// ECDSA on NIST P-384.
        case p384
    }

    /// Bits in an RSA modulus: with fewer bits, libraries refuse the handshake; with more, it takes seconds.
    public static let rsaBitCounts = 2048...8192

    /// Bytes in a password: the size of the library's buffer, which truncates longer passwords.
    public static let passwordByteCount = 1_024

    /// The key's algorithm.
    public let kind: Kind

    let storage: KeyStorage

    /// Generates a new key from the library's random bytes; RSA takes about a tenth of a second.
    ///
    /// - Throws: `CryptoError.keySize`, or `.library` if there is not enough memory or randomness.
    public static func generate(_ kind: Kind) throws(CryptoError) -> PrivateKey {
        let made: OpaquePointer?
        switch kind {
        case .rsa(let bitCount):
            guard rsaBitCounts.contains(bitCount) else { throw .keySize(bitCount: bitCount) }
            made = divan_key_make_rsa(UInt32(bitCount))
        case .p256: made = divan_key_make_curve(divan_key_p256)
        case .p384: made = divan_key_make_curve(divan_key_p384)
        }
        guard let made else {
            throw .library(operation: "generating a key", detail: takeLibraryError())
        }
        return try PrivateKey(taking: made)
    }

    /// Reads the first private key in PEM text: PKCS #8, PKCS #1 or SEC 1.
    ///
    /// - Parameters:
    ///   - text: PEM; anything before and after the key is ignored.
    ///   - password: For an encrypted key; at most `passwordByteCount` bytes of UTF-8.
    /// - Throws: `CryptoError.unreadableKey`, also if a password is missing or wrong;
    ///   `.passwordLength`.
    public init(pem text: String, password: String? = nil) throws(CryptoError) {
        let characters = Array(text.utf8)
        let secret = try Self.secret(password)
        let key = characters.withUnsafeBufferPointer { text in
            secret.withBytes { password, count in
                divan_key_from_pem(text.baseAddress, text.count, password, count)
            }
        }
        guard let key else { throw .unreadableKey(detail: takeLibraryError()) }
        try self.init(taking: key)
    }

    /// Reads DER bytes: PKCS #8 without encryption, PKCS #1 or SEC 1.
    ///
    /// - Throws: `CryptoError.unreadableKey`, also if bytes follow the key.
    public init(der bytes: Span<UInt8>) throws(CryptoError) {
        let key = bytes.withUnsafeBufferPointer { divan_key_from_der($0.baseAddress, $0.count) }
        guard let key else { throw .unreadableKey(detail: takeLibraryError()) }
        try self.init(taking: key)
    }

    static func secret(_ password: String?) throws(CryptoError) -> [UInt8]? {
        guard let bytes = password.map({ Array($0.utf8) }) else { return nil }
        guard bytes.count <= passwordByteCount else {
            throw .passwordLength(byteCount: bytes.count)
        }
        return bytes
    }

    private init(taking key: OpaquePointer) throws(CryptoError) {
        storage = KeyStorage(taking: key)
        let bitCount = Int(divan_key_bit_count(key))
        switch divan_key_get_kind(key) {
        case divan_key_rsa:
            guard Self.rsaBitCounts.contains(bitCount) else { throw .keySize(bitCount: bitCount) }
            kind = .rsa(bitCount: bitCount)
        case divan_key_p256: kind = .p256
        case divan_key_p384: kind = .p384
        default: throw .unsupportedKey
        }
    }
}
