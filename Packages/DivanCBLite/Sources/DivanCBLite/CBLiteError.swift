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
            "no database of Couchbase Lite; give the path of the folder that ends in .cblite2"
        case .divan:
            "a database of Divan already; open it as it is, or copy it with divan cp"
        case .tooOld(let version):
            "written by Couchbase Lite 1 (version \(version)); open it once with Couchbase Lite 2 or 3, "
                + "which converts it"
        case .tooNew(let version):
            "written by a later Couchbase Lite (version \(version)); use a newer Divan"
        case .encrypted:
            "encrypted; decrypt it with Couchbase Lite's changeEncryptionKey(nil), or sync from it"
        case .inUse:
            "another program has it open for writing; close that program first"
        case .damaged(let what):
            "damaged (\(what)); repair it with Couchbase Lite, or sync from its server"
        case .scratch(let directory, let number):
            "it has a log, and no copy of it could be made in \(directory) (errno \(number)); make room there, "
                + "or set TMPDIR to another directory"
        case .system(let number):
            "the system refuses (errno \(number)); look at the permissions and at the room on the disk"
        }
    }
}
