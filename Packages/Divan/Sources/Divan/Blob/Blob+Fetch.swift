import DivanStore

/// The progress of a blob that is being fetched.
public struct BlobProgress: Sendable, Hashable {
    /// Bytes that have arrived here.
    public let receivedByteCount: UInt64
    /// Bytes among them that an earlier attempt brought.
    public let resumedByteCount: UInt64
    /// Total bytes according to the document; 0 if it does not say.
    public let totalByteCount: UInt64
}

extension Blob {
    /// Whether the content is on this machine: in memory, or in the database.
    ///
    /// False for a blob that a replicator left at the peer (``ReplicatorConfiguration/blobs``). An
    /// addition to the official API.
    public var isHere: Bool {
        guard let (digest, database) = place else { return content != nil }
        return (try? database.openStore())?.blobs.contains(digest) ?? false
    }

    /// Fetches the content from the peer at which it was left; returns at once if it is already here.
    ///
    /// Concurrent calls share a connection. An interrupted attempt is retried as a replicator would, and continues
    /// where it ended, even after this process was killed: what has arrived is kept, except in an encrypted database,
    /// where each attempt starts again. Another Divan sends only the rest; Couchbase Lite and Sync Gateway send
    /// everything, and what is already here is skipped. Cancelling the task ends the wait, and also the transfer if
    /// nobody else is waiting for it. An addition to the official API.
    ///
    /// ```swift
    /// let picture = document.blob(forKey: "picture")
    /// try await picture?.fetch { print($0.receivedByteCount, "of", $0.totalByteCount) }
    /// show(picture?.content)
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: How to reach the peer; `nil` means as the newest living replicator that has the document's
    ///     collection.
    ///   - progress: Called about every 64 KiB and at the end, on one of the library's threads; it must return at once.
    /// - Throws: `CBLError.notFound` for a blob that no pull has left at a peer, or if no replicator says how to reach
    ///   it; `notOpen`; the error that ended the connection; `CancellationError`.
    public func fetch(
        from configuration: ReplicatorConfiguration? = nil,
        progress: (@Sendable (BlobProgress) -> Void)? = nil
    ) async throws {
        guard !isHere else { return }
        guard let (digest, database) = place else {
            throw ReplicationFailure.unknownBlob(digest ?? "without a digest").error
        }
        let total = length
        let courier = try database.service { BlobCourier() }
        try await courier.fetch(
            digest,
            for: database,
            from: configuration
        ) { received, resumed in
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
