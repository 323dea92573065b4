import DivanBLIP
import DivanRevisions
import DivanStore

/// Fetches the blobs that received revisions need: each digest once, a few at a time, streamed
/// into the store as its pieces arrive.
///
/// Nothing is resumed: a fetch that breaks leaves no file behind.
///
/// Source: `blobs.md` §3, §4.
struct BlobFetcher {
    /// Identifies a fetch in the answer to its request.
    struct Ticket {
        let digest: BlobDigest
        /// The document that the request named.
        let documentID: DocumentID
    }

    /// A revision that cannot be stored before the blob is.
    struct Waiter {
        var parkedID: Int
        var collection: Int
        var documentID: DocumentID
        var blob: BlobReference
    }

    /// What became of a blob, for one waiter.
    struct Completion {
        var parkedID: Int
        var error: SyncError?
    }

    private let connection: Connection
    private var fetches: [BlobDigest: Fetch] = [:]
    private var queue = Line<BlobDigest>()
    private var activeCount = 0

    private struct Fetch {
        /// The first is named in the request; the ones behind it wait for the same content.
        var waiters: Line<Waiter>
        var writer: BlobWriter?
        var byteCount = 0
        var failure: SyncError?
    }

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Whether no blob is on its way.
    var isIdle: Bool { fetches.isEmpty }

    /// Adds a waiter; the request leaves at the next `pump`.
    mutating func want(_ waiter: Waiter) {
        let digest = waiter.blob.digest
        if fetches[digest] != nil {
            fetches[digest]?.waiters.append(waiter)
        } else {
            fetches[digest] = Fetch(waiters: Line(waiter))
            queue.append(digest)
        }
    }

    /// Sends as many requests as may be open.
    mutating func pump() {
        while activeCount < connection.limits.blobFetchesCount, let digest = queue.popFirst() {
            guard let waiter = fetches[digest]?.waiters.first else { continue }
            activeCount += 1
            var properties = BLIPProperties.profile(
                "getAttachment",
                collection: connection.wireIndex(waiter.collection)
            )
            properties.append("digest", digest.description)
            properties.append("docID", waiter.documentID.text)
            if waiter.blob.isCompressible { properties.append("compress", "true") }
            var request = BLIPRequest(properties: properties)
            request.streamsReply = true
            connection.progress.expect(waiter.blob.byteCount)
            let ticket = Ticket(digest: digest, documentID: waiter.documentID)
            connection.ask(request, for: .blob(ticket))
        }
    }

    /// Takes a piece of content; returns what came to an end.
    mutating func received(
        piece: [UInt8],
        isFinal: Bool,
        _ ticket: Ticket
    ) -> [Completion] {
        guard var fetch = fetches[ticket.digest] else { return [] }
        fetches[ticket.digest] = nil  // so that the writer is not copied while it is used
        append(piece, to: &fetch)
        guard isFinal else {
            fetches[ticket.digest] = fetch
            return []
        }
        if fetch.failure == nil {
            do {
                let writer = try fetch.writer ?? connection.store.blobs.writer()
                fetch.writer = nil
                _ = try writer.finish(expected: ticket.digest)
                connection.blobRights.noteShown(ticket.digest, connection.limits)
            } catch {
                fetch.failure = failure(error)
            }
        }
        connection.progress.complete(fetch.waiters.first?.blob.byteCount ?? 0)
        return finish(fetch, ticket.digest)
    }

    /// Content that is not what its digest says is the sender's fault, and a pusher is told so.
    private func failure(_ error: any Error) -> SyncError {
        guard connection.remote == nil, case .blobMismatch? = (error as? StoreError)?.code else {
            return SyncError(storage: error)
        }
        return .http(.badRequest, "the content does not match its digest")
    }

    private func append(_ piece: [UInt8], to fetch: inout Fetch) {
        guard fetch.failure == nil, !piece.isEmpty else { return }
        fetch.byteCount += piece.count
        guard fetch.byteCount <= connection.limits.blobByteCount else {
            fetch.failure = Self.tooLarge(connection.limits)
            fetch.writer?.cancel()
            return
        }
        do {
            let writer = try fetch.writer ?? connection.store.blobs.writer()
            fetch.writer = writer
            try writer.append(piece.span)
        } catch {
            fetch.failure = SyncError(storage: error)
            fetch.writer?.cancel()
        }
    }

    static func tooLarge(_ limits: Limits) -> SyncError {
        .http(.contentTooLarge, "blob of more than \(limits.blobByteCount) bytes")
    }

    /// Takes an error reply.
    mutating func failed(_ error: SyncError, _ ticket: Ticket) -> [Completion] {
        guard var fetch = fetches[ticket.digest] else { return [] }
        fetch.writer?.cancel()
        fetch.writer = nil
        fetch.failure = error
        return finish(fetch, ticket.digest)
    }

    /// A failure concerns the revision that was named; another one's request may still succeed.
    private mutating func finish(_ ended: Fetch, _ digest: BlobDigest) -> [Completion] {
        activeCount -= 1
        fetches[digest] = nil
        guard let failure = ended.failure else {
            return ended.waiters.map { Completion(parkedID: $0.parkedID, error: nil) }
        }
        var others = ended.waiters
        guard let named = others.popFirst() else { return [] }
        if !others.isEmpty {
            fetches[digest] = Fetch(waiters: others)
            queue.append(digest)
        }
        return [Completion(parkedID: named.parkedID, error: failure)]
    }

    /// Drops everything: the connection is gone.
    mutating func abandon() {
        for fetch in fetches.values { fetch.writer?.cancel() }
        fetches = [:]
        queue = Line()
        activeCount = 0
    }
}
