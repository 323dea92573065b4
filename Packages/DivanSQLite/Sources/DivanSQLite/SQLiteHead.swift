internal import CDivanSQLite
internal import DivanPlatform

/// The beginning of a database file.
public enum SQLiteHead {
    /// The first bytes of a database file, none if it has fewer or does not exist; other processes, and connections
    /// of this one, may use it.
    ///
    /// Never read it in another way: closing a separate descriptor of the file would release all locks that this
    /// process has on it.
    ///
    /// - Throws: `cannotOpen` with the system's error, or `io`.
    public static func read(_ path: String, count: Int) throws(SQLiteError) -> [UInt8] {
        _ = SQLiteFiles.configuresMemory
        // A pipe under this name would keep the system waiting.
        guard try kind(of: path) == .regular else { return [] }
        var head = [UInt8](repeating: 0, count: count)
        Errno.current = .none
        let code = divan_read_head(path, &head, Int32(clamping: count))
        let number = Errno.current
        switch code {
        case SQLITE_OK: return head
        case SQLITE_DONE: return []
        case SQLITE_CANTOPEN where number != .none:
            throw SQLiteError(.cannotOpen, "cannot open", systemError: number, path: path)
        default: throw SQLiteError(.io, "cannot read", path: path)
        }
    }

    /// What kind of file is at `path`, without following a link; `nil` if there is nothing.
    private static func kind(of path: String) throws(SQLiteError) -> FileStatus.Kind? {
        do {
            return try FileStatus(of: path, followingLinks: false).kind
        } catch {
            guard error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory else {
                throw SQLiteError(.cannotOpen, "cannot open", systemError: error.errno, path: path)
            }
            return nil
        }
    }
}
