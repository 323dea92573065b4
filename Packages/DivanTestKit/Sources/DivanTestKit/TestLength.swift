import DivanPlatform

/// How much the tests with many seeds, sizes or repetitions do.
///
/// `make test` does a small, fixed part of it, to be fast. `make test LONG=1` sets `DIVAN_LONG_TESTS` and does all;
/// a scheduled job runs it.
///
/// ```swift
/// @Test(arguments: 0..<TestLength.of(6, long: UInt64(60)))
/// ```
public enum TestLength {
    /// Whether this run does all.
    public static let isLong = isLong(in: CurrentProcess.variable("DIVAN_LONG_TESTS"))

    /// Whether a value of `DIVAN_LONG_TESTS` asks for all: any but none, an empty one and `0`.
    static func isLong(in variable: String?) -> Bool { !["", "0"].contains(variable ?? "") }

    /// One of two counts, sizes or lists: `usual` in most runs, `long` in the long run.
    public static func of<Value>(_ usual: Value, long: Value) -> Value { isLong ? long : usual }
}
