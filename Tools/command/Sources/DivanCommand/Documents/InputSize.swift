import DivanExchange
import DivanPlatform

/// How much there is to read, as far as the system knows.
enum InputSize {
    /// Bytes of all the files; 0, for unknown, if one is a pipe, a directory, compressed or missing.
    static func bytes(of paths: some Sequence<String>) -> UInt64 {
        var sum: UInt64 = 0
        for path in paths {
            guard let status = try? FileStatus(of: path), status.kind == .regular,
                FileCompression(suffixOf: path) == nil
            else { return 0 }
            sum += UInt64(clamping: status.byteCount)
        }
        return sum
    }
}
