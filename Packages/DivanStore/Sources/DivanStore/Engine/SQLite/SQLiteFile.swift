/// The engine that keeps rows in one SQLite file, for whoever stands between it and a store: a test or
/// a simulation in which a disk fails.
///
/// Every commit is synced, and no other thread touches the file.
public enum SQLiteFile {
    /// Makes a file and opens it.
    ///
    /// - Throws: `io`, `alreadyExists`, or what SQLite says.
    public static func create(at path: String) throws(StoreError) -> any StorageEngine {
        try SQLiteEngine.create(path: path)
        return try open(at: path)
    }

    /// Opens a file that `create` has made, also one that was left by a process that ended in the
    /// middle of its work.
    ///
    /// - Throws: `notADatabase`, `tooNew`, `corrupt`, `io`, or what SQLite says.
    public static func open(at path: String) throws(StoreError) -> any StorageEngine {
        try SQLiteEngine(path: path, isReadOnly: false, syncsFully: true)
    }
}
