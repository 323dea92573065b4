internal import CDivanSeal
internal import Synchronization

/// Encrypts databases and blobs with one key.
///
/// Open a database through `vfsName` with `reservedByteCount` reserved bytes per page; keep the seal until all
/// connections that use it are closed. Can be used from any thread.
public final class Seal: Sendable {
    /// The key.
    public let key: SealKey
    /// The cipher for new files; existing files contain the number of their cipher.
    public let cipher: PageCipher
    /// Bytes at the end of each page that SQLite leaves unused: `SQLITE_FCNTL_RESERVE_BYTES`, to be set
    /// before a database gets its first page.
    public static let reservedByteCount = Int32(divan_reserve_size)

    private let vfs = Mutex<RegisteredVFS?>(nil)

    /// Creates a seal; the VFS is registered when its name is requested.
    public init(key: SealKey, cipher: PageCipher = .aes256GCM) {
        self.key = key
        self.cipher = cipher
    }

    /// Registers the VFS with SQLite; this happens once, and the first call determines the underlying VFS.
    ///
    /// - Parameter base: The name of the underlying VFS; SQLite's default VFS if `nil`.
    /// - Returns: The name of the VFS.
    /// - Throws: `library`.
    public func vfsName(over base: String? = nil) throws(SealError) -> String {
        try vfs.withLock { vfs throws(SealError) in
            if vfs == nil { vfs = try RegisteredVFS(key: key, cipher: cipher, over: base) }
            return vfs?.name ?? ""
        }
    }

    /// The number of files that are open through the VFS.
    public var openFileCount: Int { vfs.withLock { $0?.openFileCount ?? 0 } }
}

/// A VFS that SQLite knows, until it is released; it has a copy of the key.
private struct RegisteredVFS: ~Copyable {
    private let vfs: OpaquePointer

    init(key: SealKey, cipher: PageCipher, over base: String?) throws(SealError) {
        let made = key.withBytes { key in
            key.withUnsafeBufferPointer { divan_vfs_make($0.baseAddress, cipher.functions, base) }
        }
        guard let made else { throw .library }
        vfs = made
    }

    deinit {
        divan_vfs_drop(vfs)
    }

    var name: String { String(cString: divan_vfs_name(vfs)) }
    var openFileCount: Int { Int(divan_vfs_open_count(vfs)) }
}

// MARK: - What a file says

extension Seal {
    /// The kind of a file, determined from its start without a key.
    public enum FileKind: Equatable, Sendable {
        /// A database or blob that is encrypted with a supported cipher.
        case sealed(cipher: String)
        /// A file that a newer version of Divan encrypted.
        case sealedOtherwise(number: UInt8)
        /// An SQLite database that is not encrypted.
        case plain
        /// Another file.
        case unknown
    }

    /// Determines the kind of a file from its first 16 bytes.
    public static func kind(ofHead head: Span<UInt8>) -> FileKind {
        guard head.count >= divan_head_size else { return .unknown }
        let start = (0..<16).map { head[$0] }
        if start.starts(with: Array("SQLite format 3".utf8)) { return .plain }
        guard start.starts(with: Array("DvS".utf8)) || start.starts(with: Array("DvB".utf8))
        else { return .unknown }
        guard let cipher = PageCipher.numbered(start[3]) else {
            return .sealedOtherwise(number: start[3])
        }
        return .sealed(cipher: cipher.name)
    }
}
