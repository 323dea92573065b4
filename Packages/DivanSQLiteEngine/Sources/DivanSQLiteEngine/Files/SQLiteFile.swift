public import DivanStorage

/// The engine that keeps rows in one SQLite file, for tests and simulations of disk failures.
///
/// Every commit is synced, and no other thread accesses the file.
public enum SQLiteFile {
    /// Creates a file and opens it.
    ///
    /// - Throws: `io`, `alreadyExists`, or what SQLite reports.
    public static func create(at path: String) throws(StoreError) -> any StorageEngine {
        try SQLiteEngine.create(path: path)
        return try open(at: path)
    }

    /// Opens a file created by `create`, even after a crash.
    ///
    /// - Throws: `notADatabase`, `tooNew`, `corrupt`, `io`, or what SQLite reports.
    public static func open(at path: String) throws(StoreError) -> any StorageEngine {
        try SQLiteEngine(path: path, isReadOnly: false, syncsFully: true)
    }
}
