/// The engine that keeps rows in one SQLite file, for code between it and a store: a test or
/// simulation in which a disk fails.
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

    /// Opens a file created by `create`, even one left by a process that ended in the middle of its
    /// work.
    ///
    /// - Throws: `notADatabase`, `tooNew`, `corrupt`, `io`, or what SQLite reports.
    public static func open(at path: String) throws(StoreError) -> any StorageEngine {
        try SQLiteEngine(path: path, isReadOnly: false, syncsFully: true)
    }
}
