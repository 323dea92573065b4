/// Verifies dumps without restoring them.
public enum DumpCheck {
    /// Reads one dump to its end, and compares it with its checksum.
    ///
    /// - Parameters:
    ///   - source: The dump.
    ///   - former: The end of the dump that it continues; `nil` for a full dump.
    /// - Throws: `ExchangeError` with `invalid` and the line for a truncated or changed dump, or with `noDump`; errors
    ///   of the source.
    public static func verify(_ source: ByteSource, after former: DumpEnd? = nil) throws {
        var reader = DumpReader(after: former)
        try reader.read(source) { _, _ in }
        try reader.finish()
    }
}
