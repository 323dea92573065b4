internal import CDivanCrypto

/// SHA-1 over bytes that arrive in pieces; a plain value that allocates nothing until the digest.
///
/// It identifies blobs and revisions, as the protocol requires (`revisions.md` §2, `blobs.md`); do not use it where
/// a collision would benefit an attacker. Copies are independent.
///
/// Source: FIPS 180-4.
public struct SHA1: Sendable {
    /// Bytes in a digest.
    public static let byteCount = 20

    private var state = SHA_CTX()

    /// Creates a digest of no bytes.
    public init() {
        divan_sha1_init(&state)
    }

    /// Adds bytes to the digest.
    public mutating func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { divan_sha1_update(&state, $0.baseAddress, $0.count) }
    }

    /// Returns the 20 bytes of the digest and consumes the value.
    public consuming func finalize() -> [UInt8] {
        var state = self.state
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
            divan_sha1_final(&state, digest.baseAddress)
            count = Self.byteCount
        }
    }

    /// Returns the 20 bytes of the digest of `bytes`.
    public static func digest(of bytes: Span<UInt8>) -> [UInt8] {
        var digest = SHA1()
        digest.update(bytes)
        return digest.finalize()
    }
}
