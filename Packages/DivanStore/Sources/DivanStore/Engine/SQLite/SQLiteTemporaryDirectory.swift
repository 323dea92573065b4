internal import Glibc

/// The directory where SQLite puts what it cannot hold in memory.
///
/// Source: the order of SQLite's `tempfiles.html`, §5.
enum SQLiteTemporaryDirectory {
    /// Whether this many bytes fit there: on a small machine `/tmp` may be in memory, or not be writable.
    static func holds(_ byteCount: Int64) -> Bool {
        let names = ["SQLITE_TMPDIR", "TMPDIR"]
        let named = names.compactMap { name in
            getenv(name).map { String(cString: $0) }
        }
        let directory = (named + ["/var/tmp", "/usr/tmp", "/tmp", "."]).first { directory in
            BundleFiles.isDirectory(directory) && access(directory, W_OK | X_OK) == 0
        }
        var system = statvfs()
        guard let directory, statvfs(directory, &system) == 0 else { return false }
        let block = UInt64(max(system.f_frsize, 1))
        return UInt64(system.f_bavail) > UInt64(max(byteCount, 0)) / block
    }
}
