@_spi(Modern) @_spi(Stores) internal import CouchbaseLiteSwift
internal import DivanDatabase

extension Blob {
    /// Whether the content is on this machine: in memory, or in the database.
    ///
    /// False for a blob that a sync left at the peer (``Sync/Options-swift.struct/blobs-swift.property``).
    public var isHere: Bool {
        guard content == nil else { return true }
        guard let database, let digest = BlobDigest(digest) else { return false }
        return (try? database.openStore())?.blobs.contains(digest) ?? false
    }

    /// Downloads the content from the peer of a sync; returns immediately if it is on this machine.
    ///
    /// The sync need not run. Concurrent calls share a connection. An interrupted download is retried, and resumes where
    /// it stopped, even in another process, except in an encrypted database. Cancelling the task ends the download,
    /// unless another call waits for it.
    ///
    /// ```swift
    /// let sync = Sync(db, with: url, options: .init(blobs: .none))
    /// try await sync.run()
    /// let photo = try album.get("rome")?.photo?.blob
    /// try await photo?.fetch(from: sync) { print($0, "bytes") }
    /// ```
    ///
    /// - Parameters:
    ///   - sync: The sync whose settings are used to connect.
    ///   - progress: Called about every 64 KiB and at the end, with the bytes received so far, on another thread; it must
    ///     return quickly.
    /// - Throws: ``DivanError/Code/notFound`` if the peer does not have the content; `invalidArgument` for a sync of
    ///   another database; `notOpen`; `cancelled`; the error that ended the connection.
    public func fetch(
        from sync: Sync,
        progress: (@Sendable (_ receivedByteCount: Int) -> Void)? = nil
    ) async throws {
        if isHere { return }
        guard let database, let digest = BlobDigest(digest) else {
            throw DivanError(
                .notFound,
                place: "blob \(self.digest)",
                problem: "its document was not read from a database",
                remedy: "read the document from its collection"
            )
        }
        guard sync.engine.settings.database.official === database else {
            throw DivanError(
                .invalidArgument,
                place: "blob \(self.digest)",
                problem: "the sync is of another database",
                remedy: "use a sync of the database of the document"
            )
        }
        // May wait for a transaction.
        let configuration = try await Background.reading { try sync.engine.replicator().config }
        do {
            try await database.fetch(digest, from: configuration) { received, _ in
                progress?(received)
            }
        } catch {
            throw DivanError(error, place: "blob \(self.digest)")
        }
    }
}
