internal import Glibc

/// How a database's file was opened, which its place decides.
///
/// On a read-only medium, and without permission to write, the index of the log cannot be created; without a
/// log there is nothing to index, and the file is read as one that nobody changes. SQLite then never looks
/// whether somebody does: `isOutdated` does.
struct SQLiteOpening {
    let mode: SQLiteConnection.Mode
    /// What the files looked like if nobody is expected to change them.
    private let looks: Looks?

    private struct Looks: Equatable {
        let file: Look
        let log: Look

        init(at path: String) {
            file = Look(at: path)
            log = Look(at: path + "-wal")
        }
    }

    /// What changes when somebody writes to a file or replaces it.
    private struct Look: Equatable {
        private let numbers: [Int]

        init(at path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else {
                numbers = []
                return
            }
            numbers = [
                Int(truncatingIfNeeded: status.st_ino), Int(status.st_size),
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            ]
        }
    }

    /// Opens a file, and verifies that it is a database.
    static func open(
        _ place: SQLitePlace,
        isReadOnly: Bool
    ) throws(StoreError) -> (SQLiteConnection, SQLiteOpening) {
        let mode: SQLiteConnection.Mode = isReadOnly ? .readOnly : .readWrite
        do {
            let connection = try SQLiteConnection(place, mode: mode)
            try SQLiteSchema.verify(connection)
            return (connection, SQLiteOpening(mode: mode, looks: nil))
        } catch {
            // Before the log is measured: what is written afterwards shows.
            let looks = Looks(at: place.path)
            guard isReadOnly, error.isAboutPlace, BundleFiles.byteCount(place.path + "-wal") == 0
            else { throw error }
            let connection = try SQLiteConnection(place, mode: .immutable)
            try SQLiteSchema.verify(connection)
            return (connection, SQLiteOpening(mode: .immutable, looks: looks))
        }
    }

    /// Whether somebody has changed a file that nobody was expected to change.
    func isOutdated(at path: String) -> Bool { looks.map { $0 != Looks(at: path) } ?? false }
}
