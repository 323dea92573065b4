import DivanPlatform
internal import DivanSQLite
internal import DivanStorage

/// How a database's file was opened, which its place decides.
///
/// On a read-only medium, and without permission to write, the index of the log cannot be created; without a
/// log there is nothing to index, and the file is read as one that nobody changes. SQLite then never looks
/// whether somebody does: `isOutdated` does.
struct SQLiteOpening {
    let mode: SQLiteMode
    /// The state of the file and its log when they were opened as unchanging.
    private let looks: [[Int]]?

    /// What changes when another process writes to the database at a path or replaces it.
    private static func looks(at path: String) -> [[Int]] {
        [path, path + "-wal"].map { path in
            guard let status = try? FileStatus(of: path, followingLinks: false) else { return [] }
            return [
                Int(truncatingIfNeeded: status.inode), status.byteCount,
                status.modifiedSeconds, status.modifiedNanoseconds,
            ]
        }
    }

    /// Opens a file, and verifies that it is a database.
    static func open(
        _ place: DatabaseFileLocation,
        isReadOnly: Bool
    ) throws(StoreError) -> (StoreConnection, SQLiteOpening) {
        let mode: SQLiteMode = isReadOnly ? .readOnly : .readWrite
        do {
            let connection = try StoreConnection(place, mode: mode)
            try SQLiteSchema.verify(connection)
            return (connection, SQLiteOpening(mode: mode, looks: nil))
        } catch {
            // Before the log is measured: what is written afterwards shows.
            let looks = looks(at: place.path)
            guard isReadOnly, error.isAboutPlace, StoreFiles.byteCount(place.path + "-wal") == 0
            else { throw error }
            let connection = try StoreConnection(place, mode: .immutable)
            try SQLiteSchema.verify(connection)
            return (connection, SQLiteOpening(mode: .immutable, looks: looks))
        }
    }

    /// Whether a file that was opened as unchanging has changed.
    func isOutdated(at path: String) -> Bool { looks.map { $0 != Self.looks(at: path) } ?? false }
}
