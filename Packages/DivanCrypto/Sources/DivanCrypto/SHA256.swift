internal import CDivanCrypto

/// SHA-256 over bytes that arrive in pieces; a plain value that allocates nothing until the digest.
///
/// Copies are independent.
///
/// Source: FIPS 180-4.
public struct SHA256: Sendable {
    /// Bytes in a digest.
    public static let byteCount = 32

    private var state = SHA256_CTX()

    /// Creates a digest of no bytes.
    public init() {
        divan_sha256_init(&state)
    }

    /// Adds bytes to the digest.
    public mutating func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { divan_sha256_update(&state, $0.baseAddress, $0.count) }
    }

    /// Returns the 32 bytes of the digest and consumes the value.
    public consuming func finalize() -> [UInt8] {
        var state = self.state
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
            divan_sha256_final(&state, digest.baseAddress)
            count = Self.byteCount
        }
    }

    /// Returns the 32 bytes of the digest of `bytes`.
    public static func digest(of bytes: Span<UInt8>) -> [UInt8] {
        var digest = SHA256()
        digest.update(bytes)
        return digest.finalize()
    }
}
