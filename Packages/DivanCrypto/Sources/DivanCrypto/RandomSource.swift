internal import CDivanCrypto

/// The source of random bytes for keys, identifiers and masks; tests can use a deterministic source.
///
/// Can be called from any thread. Outside tests the bytes must be unpredictable.
public protocol RandomSource: Sendable {
    /// Returns `count` new bytes; `count` is zero or more.
    func bytes(_ count: Int) -> [UInt8]
}

/// The library's generator, seeded by the kernel.
public struct SystemRandomSource: RandomSource {
    /// Creates a source; all sources share the library's state.
    public init() {}

    /// Returns `count` unpredictable bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            let isFilled = divan_random(buffer.baseAddress, count) == 1
            initializedCount = isFilled ? count : 0
        }
        guard bytes.count != count else { return bytes }
        // The library could not seed itself; the kernel's own generator is as good, only slower.
        var kernel = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &kernel) }
    }
}
