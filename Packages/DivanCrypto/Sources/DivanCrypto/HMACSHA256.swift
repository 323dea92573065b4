/// HMAC with SHA-256 over bytes that arrive in pieces: a code that only holders of the key can compute.
///
/// A copy of a value without bytes computes a further code with the same key. Compare codes with
/// ``isEqualInConstantTime(_:_:)`` if another party chooses them.
///
/// Source: FIPS 198-1; RFC 2104.
public struct HMACSHA256: Sendable {
    /// Bytes in a code.
    public static let byteCount = SHA256.byteCount

    /// Bytes in a block of SHA-256 (FIPS 180-4).
    private static let blockByteCount = 64

    private var inner = SHA256()
    private var outer = SHA256()

    /// Creates a code of no bytes; the key may have any length, and 32 random bytes are enough.
    public init(key: Span<UInt8>) {
        var block = [UInt8](repeating: 0, count: Self.blockByteCount)
        if key.count > Self.blockByteCount {
            block.replaceSubrange(..<SHA256.byteCount, with: SHA256.digest(of: key))
        } else {
            for index in key.indices { block[index] = key[index] }
        }
        let (innerBlock, outerBlock) = (block.map { $0 ^ 0x36 }, block.map { $0 ^ 0x5C })
        inner.update(innerBlock.span)
        outer.update(outerBlock.span)
    }

    /// Adds bytes to the code.
    public mutating func update(_ bytes: Span<UInt8>) {
        inner.update(bytes)
    }

    /// Returns the 32 bytes of the code and consumes the value.
    public consuming func finalize() -> [UInt8] {
        let digest = inner.finalize()
        var outer = outer
        outer.update(digest.span)
        return outer.finalize()
    }
}
