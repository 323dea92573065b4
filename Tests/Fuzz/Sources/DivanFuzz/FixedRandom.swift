import DivanCrypto

/// The same bytes each time, so that an input decides everything.
struct FixedRandom: RandomSource {
    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    }
}
