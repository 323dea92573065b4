import DivanPlatform
internal import DivanRevisions
internal import DivanSQLiteEngine
@_spi(Database) public import DivanStore

// A database whose pages or schema are damaged is not repaired in place: what can be read is carried
// into a new one, which replaces the old one when it is complete.
extension Store {
    /// Rebuilds a database from its readable data, and from the data that `complete` adds.
    ///
    /// If an unencrypted file cannot be opened because its first page with the schema is damaged, it is read page
    /// by page, from a copy that takes as much space as the file.
    ///
    /// The new database has new UUIDs, so replications compare everything once; documents keep their revisions and
    /// expirations. It replaces the old database in a single atomic step. Opening the database in the meantime
    /// waits, or fails with `busy`. Indexes are not rebuilt, but are passed to `complete`.
    ///
    /// - Parameters:
    ///   - directory: The database, readable or not.
    ///   - unfinished: Where the new database is created, next to the old one.
    ///   - place: The possible locations of the old database afterwards, numbered from 1; the first free location
    ///     is used.
    ///   - options: The options of the new database.
    ///   - complete: Opens, completes and closes the new database.
    /// - Returns: The recovered data.
    /// - Throws: `busy` while the database is open, `tooNew`, the errors of `complete`, and I/O errors; the old
    ///   database is then unchanged.
    public static func rebuild(
        directory: String,
        by unfinished: String,
        keepingOldAt place: (Int) -> String,
        options: StoreOptions,
        completing complete: (Salvage) throws -> Void
    ) throws -> Salvage {
        let files = try located(directory, create: false)
        let entry = StoreRegistry.shared.entry(for: files.directory)
        return try entry.lock.withLock {
            guard entry.ownerCount == 0 else {
                throw StoreError(.busy(.thisProcess(ownerCount: entry.ownerCount)), at: directory)
            }
            let lock = try BundleLock(at: files.lock, of: files.directory)
            return try withExtendedLifetime(lock) {
                try clear(unfinished, place)
                do {
                    var salvage = try salvage(files.directory, into: unfinished, options)
                    try complete(salvage)
                    try noteLosses(of: &salvage, in: unfinished, options)
                    try StoreFiles.removeFile(unfinished + marker)
                    do throws(StoreError) {
                        try exchange(files.directory, unfinished)
                    } catch {
                        // Not every file system supports it. Without the mark this would be taken for the old one.
                        try? StoreFiles.removeDirectory(unfinished)
                        throw error
                    }
                    salvage.oldDirectory = try moveAside(unfinished, place)
                    StoreFiles.syncName(of: files.directory)
                    return salvage
                } catch {
                    if StoreFiles.exists(unfinished + marker) {
                        try? StoreFiles.removeDirectory(unfinished)
                    }
                    throw error
                }
            }
        }
    }

    /// Checks which of the documents left behind have arrived from a peer.
    private static func noteLosses(
        of salvage: inout Salvage,
        in directory: String,
        _ options: StoreOptions
    ) throws {
        guard
            !salvage.left.isEmpty || !salvage.nameless.isEmpty || !salvage.lostBlobs.isEmpty
                || !salvage.indexes.isEmpty
        else { return }
        let store = try Store.open(directory: directory, options: options)
        defer { try? store.close() }
        for digest in salvage.lostBlobs where !store.blobs.contains(digest) {
            salvage.losses.append("the content of blob \(digest)")
        }
        try store.read { try salvage.noteLosses(in: $0) }
    }

    /// Present in a database while it is being created.
    private static var marker: String { "/unfinished" }

    /// Where a file that cannot be opened is copied, to be read page by page.
    private static func pages(of unfinished: String) -> String { unfinished + ".pages" }

    /// Removes what a crash left incomplete; what has no mark is complete, or is the old database.
    private static func clear(
        _ unfinished: String,
        _ place: (Int) -> String
    ) throws(StoreError) {
        if StoreFiles.exists(pages(of: unfinished)) {
            try StoreFiles.removeDirectory(pages(of: unfinished))
        }
        guard StoreFiles.exists(unfinished) else { return }
        if StoreFiles.exists(unfinished + marker) {
            try StoreFiles.removeDirectory(unfinished)
        } else {
            _ = try moveAside(unfinished, place)
        }
    }

    private static func moveAside(
        _ path: String,
        _ place: (Int) -> String
    ) throws(StoreError) -> String {
        var number = 1
        while StoreFiles.exists(place(number)) { number += 1 }
        try StoreFiles.move(path, to: place(number))
        return place(number)
    }

    private static func exchange(_ one: String, _ other: String) throws(StoreError) {
        try StoreError.wrapping(FileSystem.exchange(one, other), at: one)
    }

    private static func salvage(
        _ directory: String,
        into target: String,
        _ options: StoreOptions
    ) throws -> Salvage {
        let (damaged, blobs, losses) = try openDamaged(directory, pages(of: target), options)
        defer {
            try? damaged?.close()
            try? StoreFiles.removeDirectory(pages(of: target))
        }
        let identity = ForeignIdentity(
            publicUUID: [],
            privateUUID: [],
            previousPrivateUUID: nil,
            scheme: damaged?.scheme ?? options.scheme ?? .trees
        )
        let fresh = try create(directory: target, replacing: identity, options: options)
        defer { try? fresh.close() }
        if let made = try StoreFiles.makeFile(target + marker) { made.close() }
        guard let damaged else {
            var salvage = Salvage()
            salvage.losses = ["everything that no peer has: the file is unreadable"]
            salvage.knowsCollections = false
            return salvage
        }
        return try damaged.read { reader in
            var cargo = SalvageCopier(from: reader, blobs, to: fresh, losses)
            do {
                try cargo.carry()
            } catch let error as StoreError where error.isDamage && error.isAbout(reader.path) {
                cargo.noteLoss("reading the file ended early: \(error.problem)")
            }
            return cargo.salvage
        }
    }

    /// Opens what can be read of a database (as it is, or a copy with a rebuilt page) and its blobs.
    private static func openDamaged(
        _ directory: String,
        _ copied: String,
        _ options: StoreOptions
    ) throws -> (store: Store?, blobs: BlobStore, losses: [String]) {
        let files = BundleFiles(directory: directory)
        var reading = options
        (reading.create, reading.readOnly) = (false, true)
        do throws(StoreError) {
            let found = try open(directory: directory, options: reading)
            let (whole, _) = try openRemade(at: copied, options) { path throws(StoreError) in
                try SQLiteTreeTop.remake(files.database, at: path) ? [] : nil
            }
            return (whole ?? found, found.blobs, [])
        } catch {
            // Another key reads nothing either, and must not cost an intact database.
            guard error.isDamage, options.sealing == nil || !error.isNoDatabase else { throw error }
        }
        let (store, losses) = try openRemade(at: copied, options) { path throws(StoreError) in
            try SQLiteFirstPage.remake(
                files.database,
                at: path,
                identity: StoreIdentity.newValues(naming: .vectors)
            )
        }
        let blobs = try BlobStore(directory: Rekeying(files).blobs, isReadOnly: true)
        return (store, blobs, losses)
    }

    /// Opens a copy of a damaged file in which `remake` has rebuilt an unreadable page, as far as the
    /// others show what was on it; returns no store if that is unnecessary or impossible.
    private static func openRemade(
        at directory: String,
        _ options: StoreOptions,
        _ remake: (_ path: String) throws(StoreError) -> [String]?
    ) throws(StoreError) -> (store: Store?, losses: [String]) {
        guard options.sealing == nil else { return (nil, []) }
        do throws(StoreError) {
            try StoreFiles.makeDirectory(directory)
            guard let losses = try remake(BundleFiles(directory: directory).database) else {
                return (nil, [])
            }
            let options = StoreOptions(
                create: false,
                archive: options.archive,
                packing: options.packing
            )
            return (try open(directory: directory, options: options), losses)
        } catch {
            guard error.isDamage else { throw error }
            return (nil, [])
        }
    }
}
