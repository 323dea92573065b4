internal import DivanPlatform

/// The directory where SQLite puts what it cannot hold in memory.
///
/// Source: the order of SQLite's `tempfiles.html`, §5.
enum SQLiteTemporaryDirectory {
    /// Whether this many bytes fit there: on a small machine `/tmp` may be in memory, or not be writable.
    static func holds(_ byteCount: Int64) -> Bool {
        let names = ["SQLITE_TMPDIR", "TMPDIR"]
        let named = names.compactMap(CurrentProcess.variable)
        let directory = (named + ["/var/tmp", "/usr/tmp", "/tmp", "."]).first { directory in
            isDirectory(directory)
                && FileSystem.isAccessible(directory, [.write, .execute])
        }
        guard let directory, let space = try? FileSystem.space(at: directory) else { return false }
        return space.free > byteCount
    }

    /// Whether there is a directory, as opposed to a link to one.
    private static func isDirectory(_ path: String) -> Bool {
        (try? FileStatus(of: path, followingLinks: false))?.kind == .directory
    }
}
