internal import CDivanSQLite
public import DivanPlatform

/// What SQLite, or the system below it, reports.
///
/// A connection converts it to the error of its owner (`SQLiteClient.failure`).
public struct SQLiteError: Error, Sendable {
    /// A primary result code.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// SQLite's number.
        public let rawValue: Int32

        /// Wraps a number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// The text is wrong, or a function reported an error.
        public static let error = Kind(rawValue: SQLITE_ERROR)
        /// Another connection has a lock that is needed.
        public static let busy = Kind(rawValue: SQLITE_BUSY)
        /// Another statement of the same connection uses what is needed.
        public static let locked = Kind(rawValue: SQLITE_LOCKED)
        /// The file, the directory or the connection is read-only.
        public static let readOnly = Kind(rawValue: SQLITE_READONLY)
        /// A progress handler stopped the statement.
        public static let interrupted = Kind(rawValue: SQLITE_INTERRUPT)
        /// A system call failed.
        public static let io = Kind(rawValue: SQLITE_IOERR)
        /// The file is damaged.
        public static let corrupt = Kind(rawValue: SQLITE_CORRUPT)
        /// No space is left on the disk.
        public static let full = Kind(rawValue: SQLITE_FULL)
        /// The file cannot be opened.
        public static let cannotOpen = Kind(rawValue: SQLITE_CANTOPEN)
        /// A row violates a constraint.
        public static let constraint = Kind(rawValue: SQLITE_CONSTRAINT)
        /// The file is not a database, or is encrypted with another key.
        public static let notADatabase = Kind(rawValue: SQLITE_NOTADB)
    }

    /// The extended result code; 0 if the VFS of an encryption cannot be registered.
    public let code: Int32
    /// SQLite's text, or what failed in a few words.
    public let message: String
    /// The `errno` of the last system call that failed for the connection; 0 if none did.
    ///
    /// It may be that of an earlier call: rely on it only if it fits the kind.
    public let systemError: Errno
    /// The database file; `:memory:` if there is none.
    public let path: String
    /// What the encryption threw, if it did.
    public let cause: (any Error)?

    /// Creates an error about a file.
    public init(
        code: Int32,
        message: String,
        systemError: Errno = .none,
        path: String,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.systemError = systemError
        self.path = path
        self.cause = cause
    }

    /// An error that SQLite did not report itself.
    public init(_ kind: Kind, _ message: String, systemError: Errno = .none, path: String) {
        self.init(
            code: kind.rawValue,
            message: message,
            systemError: systemError,
            path: path
        )
    }

    /// The primary result code.
    public var kind: Kind { Kind(rawValue: code & 0xFF) }
}

extension SQLiteError: CustomStringConvertible {
    /// The path, the text, and the codes.
    public var description: String {
        let number = systemError == .none ? "" : ", \(systemError)"
        return "\(path): \(message) (SQLite error \(code)\(number)); check the file and its disk"
    }
}
