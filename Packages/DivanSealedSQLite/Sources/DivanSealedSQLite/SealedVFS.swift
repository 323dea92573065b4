internal import CDivanSealedSQLite
public import DivanSeal
internal import Synchronization

/// An SQLite VFS that encrypts databases and their logs.
///
/// Open a database through `name(over:)` with `reservedByteCount` reserved bytes per page; keep the VFS until all
/// connections that use it are closed. Can be used from any thread.
public final class SealedVFS: Sendable {
    /// Bytes at the end of each page that SQLite leaves unused: `SQLITE_FCNTL_RESERVE_BYTES`, to be set
    /// before a database gets its first page.
    public static let reservedByteCount = Int32(divan_reserve_size)

    private let seal: Seal
    private let registered = Mutex<RegisteredVFS?>(nil)

    /// Creates a VFS for one key; it is registered when its name is requested.
    public init(_ seal: Seal) {
        self.seal = seal
    }

    /// Registers the VFS with SQLite; this happens once, and the first call determines the underlying VFS.
    ///
    /// - Parameter base: The name of the underlying VFS; SQLite's default VFS if `nil`.
    /// - Returns: The name of the VFS.
    /// - Throws: `library`.
    public func name(over base: String? = nil) throws(SealError) -> String {
        try registered.withLock { registered throws(SealError) in
            if registered == nil { registered = try RegisteredVFS(seal, over: base) }
            return registered?.name ?? ""
        }
    }

    /// The number of files that are open through the VFS.
    public var openFileCount: Int { registered.withLock { $0?.openFileCount ?? 0 } }
}

/// A VFS that SQLite knows, until it is released; it has a copy of the key.
private struct RegisteredVFS: ~Copyable {
    private let vfs: OpaquePointer

    init(_ seal: Seal, over base: String?) throws(SealError) {
        let made = seal.key.withBytes { key in
            key.withUnsafeBufferPointer { divan_vfs_make($0.baseAddress, seal.cipher.number, base) }
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
