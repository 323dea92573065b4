/// The damage of one record.
public struct RecordDamage: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem, such as `"body: a string is longer than the body"`.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The same, preceded by the column.
    func inside(_ column: String) -> RecordDamage { RecordDamage("\(column): \(description)") }
}

/// The reason why a bundle cannot be read.
public enum CBLiteError: Error, Equatable, Sendable {
    /// The path does not exist or contains no database.
    case notABundle
    /// The bundle is already a Divan database.
    case divan
    /// The bundle was written by Couchbase Lite 1.x, or by a pre-release of 2.
    case tooOld(version: Int)
    /// The bundle was written by a newer version than this package supports.
    case tooNew(version: Int)
    /// The bundle is encrypted, and can be read only by Couchbase Lite with the key.
    case encrypted
    /// Another program has the database open for writing.
    case inUse
    /// SQLite reports damage, or the content is damaged.
    case damaged(String)
    /// The temporary copy of a database with a write-ahead log could not be created.
    case scratch(directory: String, errno: Int32)
    /// A system call failed; its `errno`.
    case system(Int32)
}

extension CBLiteError: CustomStringConvertible {
    /// Problem and remedy.
    public var description: String {
        switch self {
        case .notABundle:
            "not a Couchbase Lite database; pass the path of the directory that ends in .cblite2"
        case .divan:
            "already a Divan database; open it directly, or copy it with 'divan cp'"
        case .tooOld(let version):
            "written by Couchbase Lite 1 (version \(version)); open it once with Couchbase Lite 2 "
                + "or 3 to convert it"
        case .tooNew(let version):
            "written by a newer Couchbase Lite (version \(version)); upgrade Divan"
        case .encrypted:
            "the database is encrypted; decrypt it with Couchbase Lite's changeEncryptionKey(nil), "
                + "or sync from it"
        case .inUse:
            "another program has the database open for writing; close that program first"
        case .damaged(let what):
            "the database is damaged (\(what)); repair it with Couchbase Lite, or sync from its "
                + "server"
        case .scratch(let directory, let number):
            "cannot copy the database and its log to \(directory) (errno \(number)); free some "
                + "space there, or set TMPDIR to another directory"
        case .system(let number):
            "cannot read the database (errno \(number)); check its permissions and the free disk "
                + "space"
        }
    }
}
