internal import CDivanSQLite

/// Encrypts the files of a database in a VFS.
///
/// Called from any thread.
public protocol SQLiteEncryption: Sendable {
    /// The name of the VFS with which SQLite reads and writes files encrypted with this key.
    ///
    /// It reports SQLITE_NOTADB for a file with another key or without encryption, and SQLITE_CORRUPT for damage.
    /// It creates no temporary files and no rollback journals. It exists as long as this object. It reads and
    /// writes through the VFS `base`, or SQLite's default VFS if `base` is `nil`.
    func vfsName(over base: String?) throws -> String
    /// Bytes that the VFS reserves at the end of each page.
    var reservedByteCount: Int32 { get }
}

/// How a file is opened.
public enum SQLiteMode: Sendable {
    /// Creates the file if it does not exist; only its owner can then read and write it.
    case create
    /// Reads and writes an existing file.
    case readWrite
    /// Only reads, but may create the index of the log.
    case readOnly
    /// There is no file; the path is `:memory:`.
    case memory
    /// A file that does not change, on a read-only medium where the files of WAL cannot be created.
    ///
    /// A log is ignored.
    case immutable
}

/// Where a database file is, and with which key it is opened.
public struct SQLiteLocation: Sendable {
    /// The path of the file.
    public let path: String
    /// `nil` for a file that is not encrypted.
    public let encryption: (any SQLiteEncryption)?
    /// Whether a symbolic link in the path is followed; otherwise it is an error.
    public let followsLinks: Bool

    /// Creates a place; nothing is opened.
    public init(
        _ path: String,
        encryption: (any SQLiteEncryption)? = nil,
        followsLinks: Bool = false
    ) {
        self.path = path
        self.encryption = encryption
        self.followsLinks = followsLinks
    }

    /// The place as a URI, which includes the VFS to open it with; for `ATTACH` and `VACUUM INTO`.
    ///
    /// - Throws: What the encryption throws, as `cause`.
    public func uri() throws(SQLiteError) -> String {
        Self.uri(path, "vfs=\(try vfsName() ?? "unix")")
    }

    /// The VFS that SQLite opens it with; `nil` means its own.
    func vfsName() throws(SQLiteError) -> String? {
        let batched = divan_batched_vfs().map { String(cString: $0) }
        do {
            return try encryption?.vfsName(over: batched) ?? batched
        } catch {
            throw SQLiteError(code: 0, message: "\(error)", path: path, cause: error)
        }
    }

    static func uri(_ path: String, _ query: String) -> String {
        var uri: [UInt8] = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "?"): uri += Array("%3f".utf8)
            case UInt8(ascii: "#"): uri += Array("%23".utf8)
            case UInt8(ascii: "%"): uri += Array("%25".utf8)
            default: uri.append(byte)
            }
        }
        return String(decoding: uri, as: UTF8.self) + "?" + query
    }
}
