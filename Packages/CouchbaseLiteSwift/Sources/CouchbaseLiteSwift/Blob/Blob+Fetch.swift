public import DivanDatabase

/// The progress of a blob that is being fetched.
public struct BlobProgress: Sendable, Hashable {
    /// Bytes received so far.
    public let receivedByteCount: UInt64
    /// Bytes of these that an earlier attempt received.
    public let resumedByteCount: UInt64
    /// Total bytes according to the document; 0 if unknown.
    public let totalByteCount: UInt64
}

extension Blob {
    /// Whether the content is available locally: in memory, or in the database.
    ///
    /// False for a blob that a replicator did not download (``ReplicatorConfiguration/blobs``). An addition to the
    /// official API.
    public var isHere: Bool {
        guard let (digest, database) = place else { return content != nil }
        return (try? database.openStore())?.blobs.contains(digest) ?? false
    }

    /// Downloads the content from the peer; returns immediately if it is already available locally.
    ///
    /// Concurrent calls share a connection. An interrupted attempt is retried, as by a replicator. It resumes where it
    /// stopped, even in another process, except in an encrypted database, where each attempt starts over. A Divan peer
    /// sends only the missing part; Couchbase Lite and Sync Gateway send the whole blob, and bytes received before are
    /// skipped. Cancelling the task ends the wait, and the transfer too if no other call is waiting for it. An addition
    /// to the official API.
    ///
    /// ```swift
    /// let picture = document.blob(forKey: "picture")
    /// try await picture?.fetch { print($0.receivedByteCount, "of", $0.totalByteCount) }
    /// show(picture?.content)
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: How to connect to the peer; `nil` uses the configuration of the newest existing replicator
    ///     with the document's collection.
    ///   - progress: Called about every 64 KiB and at the end, on one of the library's threads; it must return quickly.
    /// - Throws: `CBLError.notFound` for a blob that is not available from a peer, or if no replicator exists for its
    ///   collection; `notOpen`; the error that ended the connection; `CancellationError`.
    public func fetch(
        from configuration: ReplicatorConfiguration? = nil,
        progress: (@Sendable (BlobProgress) -> Void)? = nil
    ) async throws {
        guard !isHere else { return }
        guard let (digest, database) = place else {
            throw ReplicationFailure.unknownBlob(digest ?? "without a digest").error
        }
        let total = length
        try await database.fetch(digest, from: configuration) { received, resumed in
            progress?(
                BlobProgress(
                    receivedByteCount: UInt64(received),
                    resumedByteCount: UInt64(resumed),
                    totalByteCount: total
                )
            )
        }
    }
}

extension Database {
    /// Downloads the content of a blob; see `Blob.fetch(from:progress:)`.
    @_spi(Modern) public func fetch(
        _ digest: BlobDigest,
        from configuration: ReplicatorConfiguration?,
        progress: @escaping @Sendable (_ received: Int, _ resumed: Int) -> Void
    ) async throws {
        let fetcher = try service { RemoteBlobFetcher() }
        try await fetcher.fetch(digest, for: self, from: configuration, progress: progress)
    }
}
