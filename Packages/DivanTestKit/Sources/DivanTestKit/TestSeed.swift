import DivanPlatform

/// The seed of a test's random choices.
///
/// `make test` uses the same seed in each run, so that a failure is a consequence of the tested change. With `LONG=1`,
/// as in the scheduled job, each run has a new one. `DIVAN_SEED=7` repeats a run. Print the seed: a failure names it.
///
/// ```swift
/// let seed = TestSeed.choose()
/// print("seed: \(seed)")
/// ```
public enum TestSeed {
    /// A seed for the calling test.
    ///
    /// - Parameters:
    ///   - limit: The seed is less than this; must be positive.
    ///   - test: The test's function, which gets the same seed in each usual run.
    ///   - file: The test's file.
    /// - Returns: The number in `DIVAN_SEED`, a random number in a long run, or the test's own number; the remainder
    ///   of its division by the limit.
    public static func choose(
        below limit: UInt64 = .max,
        test: String = #function,
        file: String = #fileID
    ) -> UInt64 {
        let given = CurrentProcess.variable("DIVAN_SEED").flatMap { UInt64($0) }
        let usual = TestLength.isLong ? .random(in: 0 ... .max) : own(test: test, file: file)
        return (given ?? usual) % limit
    }

    /// A number that depends only on names (FNV-1a, 64 bits).
    static func own(test: String, file: String) -> UInt64 {
        "\(file) \(test)".utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }
}
