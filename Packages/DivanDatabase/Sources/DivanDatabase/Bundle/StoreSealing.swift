public import DivanSQLite
internal import DivanSQLiteEngine
public import DivanStore

/// Encrypts the files of a database: SQLite's in a VFS (`SQLiteEncryption`), and blobs.
///
/// Pass it when opening a database (`StoreOptions.sealing`). Called from any thread. A store converts thrown errors
/// to `StoreError`.
public protocol StoreSealing: SQLiteEncryption, BlobSealing {
    /// Whether another sealing has the same key.
    func hasSameKey(as other: any StoreSealing) -> Bool
}

extension DatabaseFileLocation {
    /// What encrypts the file; the store opens files only with a `StoreSealing`.
    var storeSealing: (any StoreSealing)? { sealing as? any StoreSealing }
}
