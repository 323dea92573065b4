import DivanPlatform

/// The files of a database: a directory with `db.sqlite3`, `Attachments/` and `lock`; `EngineBundle` describes that of a
/// custom engine.
///
/// Source: `blobs.md` §2.
struct BundleFiles: Equatable, Sendable {
    /// The directory, `<name>.cblite2`.
    let directory: String

    var database: String { directory + "/db.sqlite3" }
    /// What SQLite has not copied into the file yet.
    var log: String { database + "-wal" }
    var blobs: String { directory + "/Attachments" }
    var lock: String { directory + "/lock" }
    /// The name of a custom engine, and the directory for its files.
    var engine: String { directory + "/engine" }
    var engineData: String { directory + "/data" }
    /// Where the database is rewritten with another key, and where its blobs are.
    var rekeyed: String { directory + "/db.sqlite3-rekey" }
    var rekeyedBlobs: String { directory + "/Attachments-rekey" }
    /// The blobs with the old key, about to be deleted.
    var formerBlobs: String { directory + "/Attachments-old" }
    /// Where a new database is assembled before it is renamed in one step.
    var unfinished: String { directory + ".creating" }

    /// Where a database is moved to be deleted, so that it disappears in one step.
    var abandoned: String { directory + ".deleting" }
}
