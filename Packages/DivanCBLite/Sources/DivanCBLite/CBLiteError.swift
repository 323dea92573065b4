/// What is wrong with one record, in a few words; says nothing about others.
public struct RecordDamage: Error, Equatable, Sendable, CustomStringConvertible {
    /// Such as `"body: a string is longer than the body"`.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// The same, preceded by the column.
    func inside(_ column: String) -> RecordDamage { RecordDamage("\(column): \(description)") }
}

/// Why a bundle cannot be read at all.
public enum CBLiteError: Error, Equatable, Sendable {
    /// There is nothing at this path, or no database in it.
    case notABundle
    /// It already is a Divan database.
    case divan
    /// It was written by Couchbase Lite 1.x, or by a pre-release of 2.
    case tooOld(version: Int)
    /// It was written by a later version than this package knows.
    case tooNew(version: Int)
    /// It is encrypted, and cannot be read without Couchbase Lite and its key.
    case encrypted
    /// Another program has it open for writing.
    case inUse
    /// SQLite or the content shows damage.
    case damaged(String)
    /// The copy that is read instead of a database with a log could not be made.
    case scratch(directory: String, errno: Int32)
    /// The system refused; its `errno`.
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
