internal import CDivanCrypto

/// Derives a key from a password, so slowly and with so much memory that guessing is expensive.
///
/// Source: RFC 7914.
public struct Scrypt: Equatable, Sendable {
    /// The maximum memory of one derivation.
    ///
    /// With this limit, a small machine can process sixteen logins at the same time.
    public static let memoryByteCount = 64 << 20
    // What a stored text may ask for; memory is limited above, time by these.
    static let costExponents = 1...20
    static let blockSizes = 1...32
    static let parallelisms = 1...16

    /// The binary logarithm of N: each step doubles time and memory.
    public let costExponent: Int
    /// r: memory is 128 · N · r bytes.
    public let blockSize: Int
    /// p: multiplies the time, but not the memory.
    public let parallelism: Int

    /// 16 MiB and about 0.2 s: OWASP's password storage advice considers it equal to N = 2^17, p = 1,
    /// with an eighth of the memory.
    public static let standard = Scrypt(checkedCostExponent: 14, blockSize: 8, parallelism: 5)

    /// Creates parameters.
    ///
    /// Returns `nil` for numbers out of range, or if more than `memoryByteCount` is needed.
    public init?(costExponent: Int, blockSize: Int, parallelism: Int) {
        guard Self.costExponents.contains(costExponent), Self.blockSizes.contains(blockSize),
            Self.parallelisms.contains(parallelism),
            // RFC 7914 §2: N is less than 2^(128 · r / 8).
            costExponent < 16 * blockSize,
            (128 * blockSize) << costExponent <= Self.memoryByteCount
        else { return nil }
        self.init(
            checkedCostExponent: costExponent,
            blockSize: blockSize,
            parallelism: parallelism
        )
    }

    private init(checkedCostExponent costExponent: Int, blockSize: Int, parallelism: Int) {
        self.costExponent = costExponent
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Derives `byteCount` bytes, 1 or more.
    ///
    /// - Throws: `CryptoError.library` if there is not enough memory.
    public func key(
        password: Span<UInt8>,
        salt: Span<UInt8>,
        byteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        // The tables besides the large one are small; a quarter more is enough for them.
        let memory = UInt64(Self.memoryByteCount / 4 * 5)
        var key = [UInt8](repeating: 0, count: byteCount)
        let status = key.withUnsafeMutableBufferPointer { key in
            password.withUnsafeBufferPointer { password in
                salt.withUnsafeBufferPointer { salt in
                    divan_scrypt(
                        password.baseAddress,
                        password.count,
                        salt.baseAddress,
                        salt.count,
                        1 << UInt64(costExponent),
                        UInt64(blockSize),
                        UInt64(parallelism),
                        memory,
                        key.baseAddress,
                        key.count
                    )
                }
            }
        }
        guard status == 1 else {
            throw .library(operation: "hashing a password", detail: takeLibraryError())
        }
        return key
    }
}
