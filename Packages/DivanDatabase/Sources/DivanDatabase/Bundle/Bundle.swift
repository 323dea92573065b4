internal import DivanCrypto
import DivanPlatform
internal import DivanSQLite
internal import DivanSQLiteEngine
@_spi(Database) internal import DivanStore

/// Creates, checks and copies the directory of a database.
///
/// A bundle is assembled under another name and renamed when it is complete, so that a crash leaves
/// either no database or a good one. It is locked throughout: the lock moves with it.
enum Bundle {
    /// Creates an empty database and returns its lock.
    ///
    /// - Throws: `StoreError.Code.busy` if another process is creating it at the same time.
    static func create(
        _ files: BundleFiles,
        random: any RandomSource,
        sealing: (any StoreSealing)?
    ) throws -> BundleLock {
        try create(files, as: StoreIdentity(random: random), sealing: sealing)
    }

    /// Creates an empty database with an identity, and returns its lock.
    static func create(
        _ files: BundleFiles,
        as identity: StoreIdentity,
        sealing: (any StoreSealing)?
    ) throws -> BundleLock {
        try assemble(files) { unfinished in
            let place = DatabaseFileLocation(unfinished.database, sealing: sealing)
            try SQLiteEngine.create(at: place)
            try give(identity, to: place)
        }
    }

    /// Copies a database, and returns the copy's lock.
    ///
    /// Another process may write and compact in the meantime: a blob that its documents no longer refer
    /// to may disappear once the file is copied, and one that they refer to may arrive before. So blobs
    /// are copied both before the file and after it.
    static func copy(
        _ engine: SQLiteEngine,
        withBlobs blobs: String,
        to target: BundleFiles,
        as identity: StoreIdentity
    ) throws -> BundleLock {
        try assemble(target) { unfinished in
            let sealing = engine.place.storeSealing
            try BlobStore.copyFiles(from: (blobs, sealing), to: (unfinished.blobs, sealing))
            try engine.copy(to: unfinished.database)
            try give(identity, to: DatabaseFileLocation(unfinished.database, sealing: sealing))
            try BlobStore.copyFiles(from: (blobs, sealing), to: (unfinished.blobs, sealing))
        }
    }

    /// Whether a database may be created: nothing exists there, or an empty directory.
    static func isFree(_ files: BundleFiles) -> Bool {
        guard StoreFiles.exists(files.directory) else { return true }
        return (try? StoreFiles.names(in: files.directory)) == []
    }

    /// Rejects places without a database file of plausible form.
    ///
    /// - Throws: `noSuchDatabase`, `notADatabase`, `io` if access is denied.
    static func verify(_ files: BundleFiles) throws(StoreError) {
        try verifyDirectory(files)
        guard try StoreFiles.kind(of: files.database) == .regular else {
            if let name = try EngineBundle.engineName(of: files) {
                throw StoreError(
                    .notADatabase("it belongs to the engine \(name)"),
                    at: files.directory
                )
            }
            throw StoreError(.notADatabase("it contains no db.sqlite3"), at: files.directory)
        }
        guard StoreFiles.byteCount(files.database) > 0 else {
            throw StoreError(.notADatabase("the file is empty"), at: files.database)
        }
        guard try isOurs(files.database) else {
            throw StoreError(
                .notADatabase("an SQLite database of another application"),
                at: files.database
            )
        }
        if StoreFiles.exists(files.blobs), !StoreFiles.isDirectory(files.blobs) {
            throw StoreError(.notADatabase("Attachments is not a directory"), at: files.blobs)
        }
    }

    /// Rejects places without a directory.
    ///
    /// - Throws: `noSuchDatabase`, `notADatabase`, `io` if access is denied.
    static func verifyDirectory(_ files: BundleFiles) throws(StoreError) {
        guard let kind = try StoreFiles.kind(of: files.directory) else {
            throw StoreError(.noSuchDatabase, at: files.directory)
        }
        guard kind == .directory else {
            let problem =
                kind == .symbolicLink ? "a symbolic link; use its target" : "not a directory"
            throw StoreError(.notADatabase(problem), at: files.directory)
        }
    }

    /// Whether a file is marked as ours, or does not look like an SQLite file at all.
    ///
    /// Checked before SQLite opens it and we lock it, since that would write the log of another
    /// application's database into its file.
    private static func isOurs(_ path: String) throws(StoreError) -> Bool {
        let head = try StoreConnection.head(of: path, count: 72)
        guard head.count == 72, head.starts(with: Array("SQLite format 3\0".utf8)) else {
            return true
        }
        let id = head[68...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return id == SQLiteSchema.applicationID
    }

    /// Fills a new directory under another name, renames it, and returns its lock.
    static func assemble(
        _ files: BundleFiles,
        _ fill: (BundleFiles) throws -> Void
    ) throws -> BundleLock {
        let unfinished = BundleFiles(directory: files.unfinished)
        if !StoreFiles.exists(unfinished.directory) {
            do throws(StoreError) {
                try StoreFiles.makeDirectory(unfinished.directory)
            } catch {
                // Otherwise another process has created it just now.
                guard error.code == .io(.fileExists) else {
                    throw StoreError(error.code, at: files.directory)
                }
            }
        }
        let lock = try BundleLock(at: unfinished.lock, of: files.directory)
        // Left by an interrupted deletion of a database of this name; what cannot be removed does no harm.
        if StoreFiles.isDirectory(files.abandoned) {
            StoreFiles.syncName(of: files.directory)
            try? StoreFiles.removeDirectory(files.abandoned)
        }
        do {
            try clear(unfinished)
            try fill(unfinished)
            if !StoreFiles.exists(unfinished.blobs) {
                try StoreFiles.makeDirectory(unfinished.blobs)
            }
            try StoreFiles.syncDirectory(unfinished.directory)
            try StoreFiles.move(unfinished.directory, to: files.directory, at: files.directory)
            // Otherwise a power cut would restore the old name, which is taken for an attempt that
            // ended early, and everything stored since would be lost.
            StoreFiles.syncName(of: files.directory)
        } catch {
            try? StoreFiles.removeDirectory(unfinished.directory)
            throw error
        }
        return lock
    }

    /// Removes what a crash left, except the lock that is held.
    private static func clear(_ unfinished: BundleFiles) throws(StoreError) {
        for name in try StoreFiles.names(in: unfinished.directory) {
            let path = unfinished.directory + "/" + name
            if StoreFiles.isDirectory(path) {
                try StoreFiles.removeDirectory(path)
            } else if path != unfinished.lock {
                try StoreFiles.removeFile(path)
            }
        }
    }

    private static func give(_ identity: StoreIdentity, to place: DatabaseFileLocation) throws {
        let engine = try SQLiteEngine(place, isReadOnly: false, syncsFully: true)
        defer { engine.close() }
        try engine.write { try identity.write(to: $0) }
    }
}
