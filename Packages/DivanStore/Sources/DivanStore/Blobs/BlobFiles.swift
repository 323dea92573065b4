// Blobs as files of a directory.
extension BlobStore {
    /// Opens the blobs in a directory, which is created if it is missing, and cleans up what a crash left.
    ///
    /// Only one blob store at a time may write to a directory.
    ///
    /// - Parameters:
    ///   - directory: The path; its parent exists.
    ///   - isReadOnly: Whether writes are rejected; nothing is created or cleaned up then.
    ///   - sealing: Encrypts the files; `nil` for no encryption.
    /// - Throws: I/O errors.
    public convenience init(
        directory: String,
        isReadOnly: Bool,
        sealing: (any BlobSealing)? = nil
    ) throws(StoreError) {
        try self.init(
            directory: directory,
            isReadOnly: isReadOnly,
            sealing: sealing,
            calls: .system
        )
    }

    /// Opens a directory with replaceable system calls, for tests.
    @_spi(Database) public convenience init(
        directory: String,
        isReadOnly: Bool,
        sealing: (any BlobSealing)?,
        calls: BlobCalls
    ) throws(StoreError) {
        self.init(
            try BlobDirectory(directory, isReadOnly: isReadOnly, sealing: sealing, calls: calls)
        )
    }

    /// Copies every blob of a directory that is not in another one yet, with the key of the other one.
    ///
    /// A blob that disappears in the meantime is skipped. Whole blobs that a power cut left without their final names
    /// are included: documents may refer to them, and read-only use cannot rename them.
    ///
    /// - Parameters:
    ///   - source: The directory to copy, and the key of its files; nothing is copied if it does not exist.
    ///   - target: The directory that gets them, which is created if it is missing, and its key.
    /// - Throws: `corrupt` for a damaged blob; I/O errors.
    public static func copyFiles(
        from source: (path: String, sealing: (any BlobSealing)?),
        to target: (path: String, sealing: (any BlobSealing)?)
    ) throws(StoreError) {
        guard StoreFiles.isDirectory(source.path) else { return }
        let storage = try BlobDirectory(source.path, isReadOnly: true, sealing: source.sealing)
        let to = try BlobStore(
            directory: target.path,
            isReadOnly: false,
            sealing: target.sealing
        )
        for digest in try storage.contents().digests where !to.contains(digest) {
            do throws(StoreError) {
                let reader = BlobReader(try storage.source(digest))
                try copy(digest, from: reader, at: source.path, to: to)
            } catch {
                if case .noSuchBlob = error.code { continue }
                if try storage.isUnfinished(digest) { continue }
                throw error
            }
        }
        try to.settle()
    }

    private static func copy(
        _ digest: BlobDigest,
        from reader: BlobReader,
        at path: String,
        to target: BlobStore
    ) throws(StoreError) {
        let writer = try target.writer()
        while case let piece = try reader.read(upTo: StoreLimits.blobPieceByteCount), !piece.isEmpty
        {
            try LongWork.check(at: "")
            try writer.append(piece)
        }
        do {
            _ = try writer.finish(expected: digest)
        } catch {
            guard case .blobMismatch = error.code else { throw error }
            // Nobody sent it: the content stored here has changed.
            throw StoreError(.corrupt("blob \(digest) is damaged"), at: path)
        }
    }

    // MARK: Changing the key

    /// Runs `body` while no blob is being written; starting to write one fails with `busy`.
    ///
    /// - Throws: `busy` if one is being written already, and what `body` throws.
    @_spi(Database) public func whileResting(_ body: () throws -> Void) throws {
        guard let files = storage as? BlobDirectory else { return try body() }
        try files.whileResting(body)
    }

    /// Runs `exchange`, which replaces the files by files with another key; nobody reads one in the meantime.
    @_spi(Database) public func exchange(
        for key: (any BlobSealing)?,
        _ exchange: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let files = storage as? BlobDirectory else { return try exchange() }
        try files.exchange(for: key, exchange)
    }
}
