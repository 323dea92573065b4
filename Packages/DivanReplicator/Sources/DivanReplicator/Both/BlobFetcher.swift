import DivanBLIP
import DivanRevisions
import DivanStore

/// Fetches the blobs that received revisions need: each digest once, a few at a time, streamed into the store as its
/// pieces arrive.
///
/// A blob that another connection receives is awaited (`BlobGate`).
///
/// An interrupted fetch leaves no file, except that of a blob which the application requested: it continues with the
/// next connection. A Divan peer then sends only the rest; others send everything, and the part already here is
/// skipped.
///
/// Source: `blobs.md` §3, §4.
struct BlobFetcher {
    /// Who needs a blob.
    struct Waiter {
        enum Reason {
            /// A revision that cannot be stored without it, by the number under which it is parked.
            case revision(Int)
            /// The application requested it: its events are reported, and a part is kept.
            case wish
        }

        let reason: Reason
        let collection: Int
        let documentID: DocumentID
        let blob: BlobReference

        var isWish: Bool { if case .wish = reason { true } else { false } }
    }

    /// The result of fetching a blob, for one waiter.
    struct Completion {
        let reason: Waiter.Reason
        let digest: BlobDigest
        let error: SyncError?
    }

    private let connection: Connection
    private var fetches: [BlobDigest: Fetch] = [:]
    private var queue = FIFOQueue<BlobDigest>()
    private var activeCount = 0
    private var gate: BlobGate

    /// A blob being fetched, and who waits for it.
    private struct Fetch {
        /// The first is named in the request; the others wait for the same blob.
        var waiters: FIFOQueue<Waiter>
        var writer: BlobWriter?
        var failure: SyncError?
        /// Bytes that were here before, for a blob that the application requested.
        private(set) var resumedByteCount: Int?
        private var byteCount = 0
        /// Bytes that are sent again, because the peer cannot omit them.
        private var repeatedByteCount = 0
        private var toldByteCount = 0
        private var renewedByteCount = 0

        init(_ waiters: FIFOQueue<Waiter>) { self.waiters = waiters }

        /// Looks for the part left by an earlier connection; returns its size in bytes.
        mutating func resume(_ digest: BlobDigest, in blobs: BlobStore) -> Int {
            do {
                let writer = try blobs.writer(resuming: digest)
                (resumedByteCount, byteCount) = (writer.byteCount, writer.byteCount)
                self.writer = writer
                return writer.byteCount
            } catch {
                failure = SyncError(storage: error)
                return 0
            }
        }

        /// The answer begins at the peer's offset, which may differ from the requested one.
        mutating func begin(at offset: Int?) {
            guard let resumedByteCount, resumedByteCount > 0, offset != resumedByteCount else {
                return
            }
            repeatedByteCount = resumedByteCount
        }

        mutating func append(_ piece: [UInt8], to blobs: BlobStore, _ limits: ReplicatorLimits) {
            guard failure == nil, !piece.isEmpty else { return }
            let known = min(repeatedByteCount, piece.count)
            repeatedByteCount -= known
            guard known < piece.count else { return }
            byteCount += piece.count - known
            guard byteCount <= limits.blobByteCount else {
                failure = BlobFetcher.tooLarge(limits)
                writer?.cancel()
                return
            }
            do {
                let writer = try self.writer ?? blobs.writer()
                self.writer = writer
                try writer.append(known == 0 ? piece : Array(piece[known...]))
            } catch {
                failure = SyncError(storage: error)
                writer?.cancel()
            }
        }

        /// Whether 64 KiB have arrived since it last returned true.
        mutating func makesProgress() -> Bool {
            guard byteCount - renewedByteCount >= 64 << 10 else { return false }
            renewedByteCount = byteCount
            return true
        }

        /// Progress of a blob that the application requested, about every 64 KiB and at its end.
        mutating func takeNews(isFinal: Bool) -> BlobEvent.State? {
            guard let resumedByteCount, isFinal || byteCount - toldByteCount >= 64 << 10 else {
                return nil
            }
            toldByteCount = byteCount
            return .arriving(byteCount: byteCount, resumedByteCount: resumedByteCount)
        }
    }

    init(_ connection: Connection) {
        self.connection = connection
        gate = BlobGate(connection)
    }

    /// Whether no blob is being fetched.
    var isIdle: Bool { fetches.isEmpty }

    /// When to call `pump` at the latest, although nothing has arrived; `nil` if no blob is awaited.
    var deadline: Duration? { gate.deadline }

    /// Adds a waiter; the request is sent at the next `pump`.
    mutating func want(_ waiter: Waiter) {
        let digest = waiter.blob.digest
        if fetches[digest] != nil {
            fetches[digest]?.waiters.append(waiter)
        } else {
            fetches[digest] = Fetch(FIFOQueue(waiter))
            queue.append(digest)
        }
    }

    /// Sends as many requests as may be open; returns what has arrived over other connections.
    mutating func pump() -> [Completion] {
        let completions = takeArrived()
        while activeCount < connection.limits.blobFetchesCount, gate.hasRoom,
            let digest = queue.popFirst()
        {
            guard let waiter = fetches[digest]?.waiters.first else { continue }
            // One that the application requested continues the part that is here.
            guard waiter.isWish || gate.admits(digest) else { continue }
            activeCount += 1
            var properties = connection.profile("getAttachment", about: waiter.collection)
            properties.append("digest", digest.description)
            properties.append("docID", waiter.documentID.text)
            if waiter.blob.isCompressible { properties.append("compress", "true") }
            if case .wish = waiter.reason,
                let offset = fetches[digest]?.resume(digest, in: connection.store.blobs), offset > 0
            {
                properties.append(DivanProperty.offset, "\(offset)")
            }
            var request = BLIPRequest(properties: properties)
            request.streamsReply = true
            connection.progress.expect(waiter.blob.byteCount)
            let ticket = BlobTicket(digest: digest, documentID: waiter.documentID)
            connection.ask(request, for: .blob(ticket))
        }
        return completions
    }

    /// Ends the waits for other connections; a blob that has not arrived is requested here.
    private mutating func takeArrived() -> [Completion] {
        gate.takeReleased().flatMap { digest -> [Completion] in
            guard let fetch = fetches[digest] else { return [] }
            guard connection.store.blobs.contains(digest) else {
                queue.append(digest)
                return []
            }
            fetches[digest] = nil
            gate.ended(digest)
            if fetch.waiters.contains(where: \.isWish) {
                connection.emit(.blob(BlobEvent(digest: digest, state: .arrived)))
            }
            return fetch.waiters.map { Completion(reason: $0.reason, digest: digest, error: nil) }
        }
    }

    /// The answer begins: now it is known what it repeats.
    mutating func began(_ ticket: BlobTicket, _ properties: BLIPProperties) {
        fetches[ticket.digest]?.begin(at: properties.integer(DivanProperty.offset))
    }

    /// Handles a piece of content; returns what is complete.
    mutating func received(
        piece: [UInt8],
        isFinal: Bool,
        _ ticket: BlobTicket
    ) -> [Completion] {
        guard var fetch = fetches[ticket.digest] else { return [] }
        fetches[ticket.digest] = nil  // so that the writer is not copied while it is used
        fetch.append(piece, to: connection.store.blobs, connection.limits)
        if let news = fetch.takeNews(isFinal: isFinal) {
            connection.emit(.blob(BlobEvent(digest: ticket.digest, state: news)))
        }
        if fetch.failure == nil, fetch.makesProgress() { gate.progressed(ticket.digest) }
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

    /// Content that does not match its digest is the sender's fault, which a pushing peer is told.
    private func failure(_ error: any Error) -> SyncError {
        guard connection.remote == nil, case .blobMismatch? = (error as? StoreError)?.code else {
            return SyncError(storage: error)
        }
        return .http(.badRequest, "the blob's content does not match its digest")
    }

    static func tooLarge(_ limits: ReplicatorLimits) -> SyncError {
        .http(.contentTooLarge, "blob exceeds the limit of \(limits.blobByteCount) bytes")
    }

    /// Handles an error reply.
    mutating func failed(_ error: SyncError, _ ticket: BlobTicket) -> [Completion] {
        guard var fetch = fetches[ticket.digest] else { return [] }
        if fetch.resumedByteCount == nil { fetch.writer?.cancel() }
        fetch.writer = nil
        fetch.failure = error
        return finish(fetch, ticket.digest)
    }

    /// A failure concerns the revision named in the request; the request for another one may still succeed.
    ///
    /// A blob requested by the application has failed when it has failed under each of the named documents.
    private mutating func finish(_ ended: Fetch, _ digest: BlobDigest) -> [Completion] {
        activeCount -= 1
        fetches[digest] = nil
        gate.ended(digest)
        guard let failure = ended.failure else {
            if ended.resumedByteCount != nil {
                connection.emit(.blob(BlobEvent(digest: digest, state: .arrived)))
            }
            return ended.waiters.map { Completion(reason: $0.reason, digest: digest, error: nil) }
        }
        var others = ended.waiters
        guard let named = others.popFirst() else { return [] }
        if ended.resumedByteCount != nil, !others.contains(where: \.isWish) {
            connection.emit(.blob(BlobEvent(digest: digest, state: .failed(failure))))
        }
        if !others.isEmpty {
            fetches[digest] = Fetch(others)
            queue.append(digest)
        }
        return [Completion(reason: named.reason, digest: digest, error: failure)]
    }

    /// Drops everything: the connection is closed.
    mutating func abandon() {
        for fetch in fetches.values where fetch.resumedByteCount == nil { fetch.writer?.cancel() }
        gate.abandon(fetches.keys)
        fetches = [:]
        queue = FIFOQueue()
        activeCount = 0
    }
}
