internal import CDivanStore
import DivanPlatform

extension SQLiteConnection {
    /// The first bytes of a database's file, none if it has fewer; other processes, and connections of this
    /// one, may use it.
    ///
    /// Never read it in another way: see `divan_read_head`.
    static func head(of path: String, count: Int) throws(StoreError) -> [UInt8] {
        _ = configuresMemory
        // A pipe under this name would keep the system waiting.
        guard try BundleFiles.kind(of: path) == .regular else { return [] }
        var head = [UInt8](repeating: 0, count: count)
        Errno.current = .none
        let code = divan_read_head(path, &head, Int32(count))
        let number = Errno.current
        switch code {
        case SQLITE_OK: return head
        case SQLITE_DONE: return []
        case SQLITE_CANTOPEN where number != .none: throw .system(number, at: path)
        default: throw .system(.ioError, at: path)
        }
    }
}

extension Store {
    /// The first bytes of a database file, which show whether it is encrypted; empty if it does not exist, or
    /// cannot be read.
    ///
    /// Closing a separate descriptor of the file would release all locks that this process has on it.
    public static func head(directory: String, count: Int) -> [UInt8] {
        let files = BundleFiles(directory: directory)
        return (try? SQLiteConnection.head(of: files.database, count: count)) ?? []
    }
}
