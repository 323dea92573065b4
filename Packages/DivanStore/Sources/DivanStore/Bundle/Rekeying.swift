/// Puts a database and its blobs under another key, all of them or none.
///
/// **The steps.** `db.sqlite3-rekey` is made, empty; `Attachments-rekey` is filled with every content
/// under the new key; the database is written into `db.sqlite3-rekey`; all is synced. Then that file is
/// renamed over `db.sqlite3`: this is the change. Last, `Attachments` makes room for
/// `Attachments-rekey`, and goes.
///
/// **What a crash leaves.** While `db.sqlite3-rekey` is there nothing has changed: both new parts are
/// removed, the directory first. When it is not, a directory `Attachments-rekey` is whole and belongs to
/// the database; it takes its place. So at each moment one key opens documents and blobs.
///
/// **Who does it.** Whoever holds the lock of the bundle: the change, and the recovery when the database
/// is opened for writing. A reader of another process takes the blobs from where they are (`blobs`).
struct Rekeying {
    typealias Sync = (String) throws(StoreError) -> Void

    private let files: BundleFiles
    /// Brings a directory's entries to the disk.
    private let sync: Sync

    init(_ files: BundleFiles, sync: @escaping Sync = BundleFiles.syncDirectory) {
        self.files = files
        self.sync = sync
    }

    /// Where the contents are that belong to the database.
    var blobs: String { awaitsBlobs ? files.rekeyedBlobs : files.blobs }

    private var hasChanged: Bool { !BundleFiles.exists(files.rekeyed) }

    /// Finishes or undoes what a crash left; does nothing where there is nothing.
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
        rewrite: (SQLitePlace) throws -> Void
    ) throws {
        guard let marker = try BundleFiles.makeFile(files.rekeyed) else {
            throw StoreError(.busy(.otherProcess), at: files.directory)
        }
        BundleFiles.close(marker)
        // The marker stands on the disk before there is a directory that it marks.
        try sync(files.directory)
        try BundleFiles.makeDirectory(files.rekeyedBlobs)
        try Bundle.copyBlobs(from: (files.blobs, sealing), to: (files.rekeyedBlobs, newSealing))
        try rewrite(SQLitePlace(files.rekeyed, sealing: newSealing))
        try BundleFiles.syncFile(files.rekeyed)
        try sync(files.rekeyedBlobs)
        try sync(files.directory)
    }

    /// Changes the key: afterwards the new one opens the database, and the old one does not.
    ///
    /// A sync that fails changes nothing about that: the file has its name, and only a power cut could
    /// take it back.
    func commit() throws(StoreError) {
        try BundleFiles.move(files.rekeyed, to: files.database)
        try? sync(files.directory)
    }

    /// Whether the new contents have not taken their place yet.
    var awaitsBlobs: Bool { hasChanged && BundleFiles.isDirectory(files.rekeyedBlobs) }

    /// Puts the new contents in the place of the old ones, which go when the disk has both names.
    func exchangeBlobs() throws(StoreError) {
        let hasNew = BundleFiles.isDirectory(files.rekeyedBlobs)
        if hasNew {
            if BundleFiles.exists(files.blobs) {
                if BundleFiles.exists(files.formerBlobs) {
                    try BundleFiles.removeDirectory(files.formerBlobs)
                }
                try BundleFiles.move(files.blobs, to: files.formerBlobs)
            }
            try BundleFiles.move(files.rekeyedBlobs, to: files.blobs)
        }
        let hasFormer = BundleFiles.isDirectory(files.formerBlobs)
        // Also where an attempt before this one, or a process that was killed, had not come to it.
        if hasNew || hasFormer { try sync(files.directory) }
        if hasFormer { try BundleFiles.removeDirectory(files.formerBlobs) }
    }

    /// Removes what was prepared; what marks it goes last.
    func undo() throws(StoreError) {
        if BundleFiles.isDirectory(files.rekeyedBlobs) {
            try BundleFiles.removeDirectory(files.rekeyedBlobs)
            try sync(files.directory)
        }
        for end in ["-journal", "-wal", "-shm", ""] {
            try BundleFiles.removeFile(files.rekeyed + end)
        }
    }
}

extension Store {
    /// Whether its files are sealed.
    public var isSealed: Bool { place?.sqlite.place.sealing != nil }

    /// Seals the database with another key, or unseals it with `nil`.
    ///
    /// Everything is written anew, which needs as much room as the database takes; writers wait, readers
    /// go on but for the moment of the change. Whatever ends the process, one key opens documents and
    /// blobs: the old one or the new one.
    ///
    /// - Throws: `busy` inside `write`, while there are further owners, readers of other processes,
    ///   contents that are being written or queries that do not end; `readOnly`, `diskFull` and what
    ///   the medium reports. The database then has its old key; only when the new contents cannot take
    ///   the place of the old ones it has the new one, and has to be opened again.
    public func changeSealing(to newSealing: (any StoreSealing)?) throws {
        try changeSealing(to: newSealing, sync: BundleFiles.syncDirectory)
    }

    /// Changes the key, and brings directories to the disk as a test wants it.
    func changeSealing(to newSealing: (any StoreSealing)?, sync: @escaping Rekeying.Sync) throws {
        guard let place, !isReadOnly else { throw StoreError(.readOnly, at: directory ?? "") }
        let entry = StoreRegistry.shared.entry(for: place.files.directory)
        // In this order, as in `close()`.
        try writing.withLock {
            try entry.lock.withLock {
                guard !isWriting, entry.ownerCount == 1 else {
                    throw StoreError(
                        .busy(.thisProcess(ownerCount: entry.ownerCount)),
                        at: place.files.directory
                    )
                }
                try rekey(Rekeying(place.files, sync: sync), place, to: newSealing)
            }
        }
    }

    private func rekey(
        _ rekeying: Rekeying,
        _ place: StorePlace,
        to newSealing: (any StoreSealing)?
    ) throws {
        guard let shelf = blobs.shelf as? BlobDirectory else { return }
        var unfinished: StoreError?
        // What an attempt before could not clear away.
        try rekeying.recover()
        do {
            try shelf.whileResting {
                try rekeying.prepare(from: place.sqlite.place.sealing, to: newSealing) {
                    try place.sqlite.rewrite(to: $0)
                }
                try place.sqlite.exchangeFile {
                    try shelf.exchange(for: newSealing) { () throws(StoreError) in
                        try rekeying.commit()
                        // The key is changed, whatever becomes of this.
                        do throws(StoreError) { try rekeying.exchangeBlobs() } catch {
                            unfinished = error
                        }
                    }
                    return SQLitePlace(
                        place.files.database,
                        sealing: newSealing,
                        packing: place.sqlite.place.packing
                    )
                }
            }
        } catch {
            try? rekeying.recover()
            throw error
        }
        // What is only left to be cleared away is, when the database is opened next.
        if let unfinished, rekeying.awaitsBlobs { throw unfinished }
    }
}
