internal import CDivanSQLite
internal import DivanPlatform

/// Opens files with SQLite's functions.
enum SQLiteFiles {
    // SQLite counts its memory under a lock shared by all connections of the process: threads that
    // use different databases wait for each other there, and the count is not used. What a thread
    // may hold is counted by its `SQLiteMemoryBudget`. If the process used SQLite before, nothing changes.
    static let configuresMemory: Void = { _ = divan_configure_memory() }()

    static func open(
        _ place: SQLiteLocation,
        _ mode: SQLiteMode,
        namesOthers: Bool
    ) throws(SQLiteError) -> OpaquePointer {
        _ = configuresMemory
        let vfs = try place.vfsName()
        if case .create = mode { try makeFile(place.path) }
        let (path, flags): (String, Int32) =
            switch mode {
            case .create, .memory: (place.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            case .readWrite: (place.path, SQLITE_OPEN_READWRITE)
            case .readOnly: (place.path, SQLITE_OPEN_READONLY)
            case .immutable:
                (
                    SQLiteLocation.uri(place.path, "immutable=1"),
                    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                )
            }
        let usual = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
        let links = place.followsLinks ? 0 : SQLITE_OPEN_NOFOLLOW
        let others = namesOthers ? SQLITE_OPEN_URI : 0
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, usual | flags | links | others, vfs)
        guard code == SQLITE_OK, let opened else {
            let number = opened.map(sqlite3_system_errno) ?? 0
            sqlite3_close_v2(opened)
            throw SQLiteError(
                code: code,
                message: place.encryption == nil ? "cannot open" : "wrong encryption key",
                systemError: Errno(number),
                path: place.path
            )
        }
        return opened
    }

    /// Creates an empty file that only its owner can read and write, unless there is a file.
    ///
    /// SQLite would leave the permissions to the process's umask; it copies those of the log and its index from
    /// this file.
    static func makeFile(_ path: String) throws(SQLiteError) {
        do {
            try FileSystem.makePrivateFile(path)?.close()
        } catch {
            throw SQLiteError(.cannotOpen, "cannot create", systemError: error.errno, path: path)
        }
    }
}
