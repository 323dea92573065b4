internal import DivanCrypto
public import DivanDelta
import DivanPlatform
public import DivanRevisions
@_spi(Database) public import DivanStore

/// The directory of a database of a custom engine: `engine` with the engine's name, `data` for its files,
/// `Attachments` and `lock`.
enum EngineBundle {
    /// The version of this layout, in the first line of the file `engine`.
    static let version = 1

    /// The engine of a database; `nil` if its file does not name one.
    ///
    /// - Throws: `tooNew`, `notADatabase` or I/O errors.
    static func engineName(of files: BundleFiles) throws(StoreError) -> String? {
        guard try StoreFiles.kind(of: files.engine) == .regular else { return nil }
        // More than any version needs.
        let bytes = try StoreFiles.read(files.engine, limit: 1_024) ?? []
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard let version = Int(lines[0]), version > 0 else {
            throw StoreError(.notADatabase("invalid file engine"), at: files.directory)
        }
        guard version <= Self.version else {
            throw StoreError(
                .tooNew(version: version, supported: Self.version),
                at: files.directory
            )
        }
        guard lines.count == 3, lines[2].isEmpty else {
            throw StoreError(.notADatabase("invalid file engine"), at: files.directory)
        }
        return String(lines[1])
    }

    /// Creates a database without content for an engine, and returns its lock.
    static func create(
        _ files: BundleFiles,
        for engine: any StorageEngineProvider
    ) throws -> BundleLock {
        try Bundle.assemble(files) { unfinished in
            try StoreFiles.makeDirectory(unfinished.engineData)
            try StoreFiles.write("\(version)\n\(engine.name)\n", to: unfinished.engine)
        }
    }

    /// Rejects directories that are no database of this engine.
    ///
    /// - Throws: `noSuchDatabase`, `notADatabase`, `tooNew`, or I/O errors.
    static func verify(
        _ files: BundleFiles,
        for engine: any StorageEngineProvider
    ) throws(StoreError) {
        try Bundle.verifyDirectory(files)
        guard let name = try engineName(of: files) else {
            let isSQLite = StoreFiles.isFile(files.database)
            throw StoreError(
                .notADatabase(
                    isSQLite ? "it was created by the SQLite engine" : "it contains no file engine"
                ),
                at: files.directory
            )
        }
        guard name.utf8.elementsEqual(engine.name.utf8) else {
            throw StoreError(.notADatabase("it belongs to the engine \(name)"), at: files.directory)
        }
        guard StoreFiles.isDirectory(files.engineData) else {
            throw StoreError(.notADatabase("it contains no directory data"), at: files.directory)
        }
    }
}

extension Store {
    /// Opens the database of a custom engine, or creates it.
    static func opened(
        _ files: BundleFiles,
        _ provider: any StorageEngineProvider,
        _ options: StoreOptions,
        _ calls: BlobCalls
    ) throws -> Store {
        try provider.check(options, at: files.directory)
        var lock: BundleLock?
        let isNew = options.create && !options.readOnly && Bundle.isFree(files)
        if isNew { lock = try EngineBundle.create(files, for: provider) }
        try EngineBundle.verify(files, for: provider)
        if lock == nil, !options.readOnly {
            lock = try BundleLock(at: files.lock, of: files.directory)
        }
        var opened: (any StorageEngine)?
        do {
            let engine = try provider.opened(
                in: StorageEngineLocation(
                    directory: files.engineData,
                    isReadOnly: options.readOnly,
                    syncsFully: options.fullSync
                ),
                at: files.directory
            )
            opened = engine
            let identity = try StoreIdentity(of: engine, random: SystemRandomSource())
            let blobs = try BlobStore(
                directory: files.blobs,
                isReadOnly: options.readOnly,
                sealing: nil,
                calls: calls
            )
            return Store(
                engine: engine,
                blobs: blobs,
                identity: identity,
                archive: options.archive,
                place: BundleOwnership(
                    files: files,
                    engine: engine,
                    named: provider.name,
                    lock: lock
                ),
                observers: StoreRegistry.shared.entry(for: files.directory).observers
            )
        } catch {
            opened?.close()
            // Still locked: no other process has seen it.
            if isNew { try? StoreFiles.removeDirectory(files.directory) }
            throw error
        }
    }

    /// Creates an empty store in memory with a custom engine.
    ///
    /// - Parameters:
    ///   - provider: Opens the engine, without a directory.
    ///   - archive: How bodies that are not current are stored.
    ///   - scheme: The revision scheme; `nil` means trees.
    /// - Returns: The store.
    /// - Throws: `engineFailed` and other `StoreError`s.
    public static func inMemory(
        engine provider: any StorageEngineProvider,
        archive: BodyArchive = .deltas,
        scheme: RevisionScheme? = nil
    ) throws -> Store {
        try provider.check(StoreOptions(), at: "")
        let engine = try provider.opened(in: StorageEngineLocation(directory: nil), at: "")
        do {
            let store = try Store(engine: engine, archive: archive)
            if scheme == .vectors { try store.upgradeToVersionVectors() }
            return store
        } catch {
            engine.close()
            throw error
        }
    }
}

extension StorageEngineProvider {
    /// - Throws: `engineFailed` for an invalid name, `engineUnsupported` for an encryption key.
    fileprivate func check(_ options: StoreOptions, at path: String) throws(StoreError) {
        guard hasValidName else {
            throw StoreError(.engineFailed(name: name, "its name is invalid"), at: path)
        }
        guard options.sealing == nil else {
            throw StoreError(.engineUnsupported(name: name, "encryption keys"), at: path)
        }
    }
}
