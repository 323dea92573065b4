/// The random numbers for bodies and reads, the same in every run.
///
/// Cheaper than what is measured. Source: Marsaglia, “Xorshift RNGs” (2003), 13-7-17.
struct Xorshift {
    private var state: UInt64

    /// Starts with Marsaglia's own seed unless another is given; zero would stay zero.
    init(seed: UInt64 = 88_172_645_463_325_252) { state = seed }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
