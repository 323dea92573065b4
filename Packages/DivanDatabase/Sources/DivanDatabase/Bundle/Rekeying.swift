import DivanPlatform
internal import DivanSQLiteEngine
@_spi(Database) internal import DivanStore

/// Changes the key of a database and its blobs, of all of them or none.
///
/// **The steps.** `db.sqlite3-rekey` is created, empty; `Attachments-rekey` is filled with every blob under
/// the new key; the database is written into `db.sqlite3-rekey`; everything is synced. Then that file is
/// renamed over `db.sqlite3`, which makes the change take effect. Finally `Attachments` is replaced by
/// `Attachments-rekey` and deleted.
///
/// **What a crash leaves.** As long as `db.sqlite3-rekey` exists, nothing has changed: both new parts are
/// removed, the directory first. If it does not exist, a directory `Attachments-rekey` is complete and belongs
/// to the database; it takes its place. So at every moment a single key opens both documents and blobs.
///
/// **Who does it.** The process that holds the lock of the bundle makes the change, and the recovery when the
/// database is opened for writing. A reader in another process takes the blobs from where they are (`blobs`).
struct Rekeying {
    typealias Sync = (String) throws(StoreError) -> Void

    private let files: BundleFiles
    /// Syncs a directory's entries to the disk.
    private let sync: Sync

    init(_ files: BundleFiles, sync: @escaping Sync = StoreFiles.syncDirectory) {
        self.files = files
        self.sync = sync
    }

    /// Where the blobs are that belong to the database.
    var blobs: String { awaitsBlobs ? files.rekeyedBlobs : files.blobs }

    private var hasChanged: Bool { !StoreFiles.exists(files.rekeyed) }

    /// Finishes or undoes what a crash left; does nothing if nothing was left.
    func recover() throws(StoreError) {
        if hasChanged {
            try exchangeBlobs()
        } else {
            try undo()
        }
    }

    /// Fills the new directory and, with `rewrite`, the new file.
    func prepare(
        from sealing: (any StoreSealing)?,
        to newSealing: (any StoreSealing)?,
        rewrite: (DatabaseFileLocation) throws -> Void
    ) throws {
        guard let marker = try StoreFiles.makeFile(files.rekeyed) else {
            throw StoreError(.busy(.otherProcess), at: files.directory)
        }
        marker.close()
        // The marker must be on the disk before the directory that it marks exists.
        try sync(files.directory)
        try StoreFiles.makeDirectory(files.rekeyedBlobs)
        try BlobStore.copyFiles(
            from: (files.blobs, sealing),
            to: (files.rekeyedBlobs, newSealing)
        )
        try rewrite(DatabaseFileLocation(files.rekeyed, sealing: newSealing))
        try StoreFiles.syncFile(files.rekeyed)
        try sync(files.rekeyedBlobs)
        try sync(files.directory)
    }

    /// Changes the key: afterwards the new one opens the database, and the old one does not.
    ///
    /// A failed sync does not alter that: the file has its name, and only a power cut could undo the
    /// renaming.
    func commit() throws(StoreError) {
        try StoreFiles.move(files.rekeyed, to: files.database)
        try? sync(files.directory)
    }

    /// Whether the new blobs have yet to take their place.
    var awaitsBlobs: Bool { hasChanged && StoreFiles.isDirectory(files.rekeyedBlobs) }

    /// Replaces the old blobs by the new ones; the old are deleted when the disk has both names.
    func exchangeBlobs() throws(StoreError) {
        let hasNew = StoreFiles.isDirectory(files.rekeyedBlobs)
        if hasNew {
            if StoreFiles.exists(files.blobs) {
                if StoreFiles.exists(files.formerBlobs) {
                    try StoreFiles.removeDirectory(files.formerBlobs)
                }
                try StoreFiles.move(files.blobs, to: files.formerBlobs)
            }
            try StoreFiles.move(files.rekeyedBlobs, to: files.blobs)
        }
        let hasFormer = StoreFiles.isDirectory(files.formerBlobs)
        // Also if an earlier attempt, or a killed process, did not get that far.
        if hasNew || hasFormer { try sync(files.directory) }
        if hasFormer { try StoreFiles.removeDirectory(files.formerBlobs) }
    }

    /// Removes what was prepared; the marker is removed last.
    func undo() throws(StoreError) {
        if StoreFiles.isDirectory(files.rekeyedBlobs) {
            try StoreFiles.removeDirectory(files.rekeyedBlobs)
            try sync(files.directory)
        }
        for end in ["-journal", "-wal", "-shm", ""] {
            try StoreFiles.removeFile(files.rekeyed + end)
        }
    }
}

extension Store {
    /// Whether the store's files are encrypted.
    public var isSealed: Bool { bundle?.sqlite?.place.sealing != nil }

    /// Encrypts the database with another key, or decrypts it with `nil`.
    ///
    /// Rewrites everything, which needs as much free space as the database takes. Writers wait; readers continue
    /// except at the moment of the change. If the process is killed, a single key decrypts all documents and blobs:
    /// the old key or the new key.
    ///
    /// - Throws: `busy` inside `write`, and while there are other owners, readers in other processes, blobs being
    ///   written or queries that do not end; `readOnly`, `diskFull` and I/O errors. The database then keeps its old
    ///   key. Only if the new blobs cannot replace the old ones, it has the new key and must be reopened.
    public func changeSealing(to newSealing: (any StoreSealing)?) throws {
        try changeSealing(to: newSealing, sync: StoreFiles.syncDirectory)
    }

    /// Changes the key, with a sync function for directories that a test can replace.
    func changeSealing(to newSealing: (any StoreSealing)?, sync: @escaping Rekeying.Sync) throws {
        guard let bundle, !isReadOnly else { throw StoreError(.readOnly, at: directory ?? "") }
        let entry = StoreRegistry.shared.entry(for: bundle.directory)
        // Locked in this order, as in `close()`.
        try withoutOtherWriters {
            try entry.lock.withLock {
                guard !isWriting, entry.ownerCount == 1 else {
                    throw StoreError(
                        .busy(.thisProcess(ownerCount: entry.ownerCount)),
                        at: bundle.directory
                    )
                }
                try rekey(Rekeying(bundle.files, sync: sync), bundle, to: newSealing)
            }
        }
    }

    private func rekey(
        _ rekeying: Rekeying,
        _ bundle: BundleOwnership,
        to newSealing: (any StoreSealing)?
    ) throws {
        let sqlite = try bundle.requireSQLite(for: "encryption keys")
        var unfinished: StoreError?
        // Removes what an earlier attempt could not.
        try rekeying.recover()
        do {
            try blobs.whileResting {
                try rekeying.prepare(from: sqlite.place.storeSealing, to: newSealing) {
                    try sqlite.rewrite(to: $0)
                }
                try sqlite.exchangeFile {
                    try blobs.exchange(for: newSealing) { () throws(StoreError) in
                        try rekeying.commit()
                        // The key has changed, even if this fails.
                        do throws(StoreError) { try rekeying.exchangeBlobs() } catch {
                            unfinished = error
                        }
                    }
                    return DatabaseFileLocation(
                        bundle.files.database,
                        sealing: newSealing,
                        packing: sqlite.place.packing
                    )
                }
            }
        } catch {
            try? rekeying.recover()
            throw error
        }
        // If only cleaning up is left, that is done the next time the database is opened.
        if let unfinished, rekeying.awaitsBlobs { throw unfinished }
    }
}
