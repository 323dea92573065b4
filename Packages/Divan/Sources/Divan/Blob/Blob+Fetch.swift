import DivanStore

/// How far a blob is that is being fetched.
public struct BlobProgress: Sendable, Hashable {
    /// Bytes that are here.
    public let receivedByteCount: UInt64
    /// Those of them that an earlier attempt had brought.
    public let resumedByteCount: UInt64
    /// Bytes in all, as the document says; 0 where it does not.
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

    /// Fetches the content from the peer at which it was left; returns at once when it is here.
    ///
    /// Calls that run at the same time share a connection. An attempt that is cut off is repeated as a
    /// replicator would, and goes on where it ended, also after this process was killed: what has
    /// arrived is kept, but for an encrypted database, where each attempt begins anew. Another Divan sends
    /// the rest only; Couchbase Lite and Sync Gateway send all, and what is here already is passed over.
    /// Cancelling the task ends the wait, and the transfer when nobody else waits for it. An addition to the
    /// official API.
    ///
    /// ```swift
    /// let picture = document.blob(forKey: "picture")
    /// try await picture?.fetch { print($0.receivedByteCount, "of", $0.totalByteCount) }
    /// show(picture?.content)
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: Reaches the peer; `nil`: as the replicator that was made last, still lives,
    ///     and has the document's collection.
    ///   - progress: Told about every 64 KiB and at the end, on a thread of the library's; answer at once.
    /// - Throws: `CBLError.notFound` for a blob that no pull has left at a peer, or when there is no
    ///   replicator to take the way from; `notOpen`; the error that ended the connection;
    ///   `CancellationError`.
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
