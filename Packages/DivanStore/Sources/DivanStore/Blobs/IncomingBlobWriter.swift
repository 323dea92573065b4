internal import DivanCrypto
import DivanPlatform
internal import Synchronization

/// Writes and digests a blob that arrives in pieces, on other threads once it turns out to be long.
///
/// **How**: short blobs are handled by the caller, piece by piece. After the first
/// `StoreLimits.takenAtOnceByteCount` bytes, pieces are gathered into batches, and each batch has its own
/// thread, which continues where the previous one ended. Before the next batch begins, the last one is
/// waited for, so at most two batches are held, and a caller that supplies bytes faster than they can be
/// handled waits. Only a few blobs at a time have such threads; the others do without. An error on such a
/// thread is thrown to the caller with the next batch, or at the end. If a blob continues a part,
/// digesting that part is the first batch: 100 MB take some tenths of a second.
///
/// Confined to one thread at a time.
final class IncomingBlobWriter {
    /// What an earlier attempt has left, and the sink that continues it.
    struct Part {
        let sink: any BlobSink
        let source: any BlobSource
    }

    /// How many blobs have threads now, in the whole process.
    private static let threadedCount = Atomic(0)

    private let medium: Medium
    private var byteCount = 0
    private var isThreaded = false
    private var pieces: [[UInt8]] = []
    private var gatheredByteCount = 0
    private var running: JoinedThread?

    /// Begins a blob.
    init(_ sink: sending any BlobSink) {
        medium = Medium(sink)
    }

    /// Continues an existing part.
    ///
    /// - Throws: Why a short part cannot be read, which is then discarded; for a long part this is
    ///   thrown later, like a thread's write error.
    init(resuming part: sending Part) throws(StoreError) {
        let partByteCount = part.source.byteCount
        let medium = Medium(resuming: part)
        self.medium = medium
        if startsThreads(with: partByteCount) { running = JoinedThread { medium.digestPart() } }
        guard running == nil else { return }
        medium.digestPart()
        try medium.check()
    }

    deinit {
        giveBack()
    }

    /// Adds a piece, whose memory is kept until a thread has taken it.
    ///
    /// - Throws: The system's error for this piece or an earlier one.
    func append(_ piece: [UInt8]) throws(StoreError) {
        guard startsThreads(with: piece.count) else { return try medium.take(piece) }
        pieces.append(piece)
        gatheredByteCount += piece.count
        guard gatheredByteCount >= StoreLimits.intakeBatchByteCount else { return }
        try settle()
        let (batch, medium) = (pieces, medium)
        pieces = []
        gatheredByteCount = 0
        running = JoinedThread { medium.take(batch: batch) }
        if running == nil { medium.take(batch: batch) }  // a system without another thread
    }

    /// Writes what is waiting, and returns the digest of all; nothing can be added any more.
    func finalize() throws(StoreError) -> [UInt8] {
        try finish()
        return medium.finalize()
    }

    /// Stores the blob under its digest.
    func store(as digest: BlobDigest) throws(StoreError) {
        try medium.store(as: digest)
    }

    /// Discards what was added.
    func discard() {
        running?.join()
        pieces = []
        medium.discard()
    }

    /// Keeps what was added, to be continued later.
    func suspend() {
        // What could not be written is missing, and will be sent again.
        try? finish()
        medium.suspend()
    }

    private func finish() throws(StoreError) {
        defer { giveBack() }
        try settle()
        let rest = pieces
        pieces = []
        medium.take(batch: rest)
        try medium.check()
    }

    /// Waits for the batch that is being written.
    private func settle() throws(StoreError) {
        running?.join()
        running = nil
        try medium.check()
    }

    /// Whether what arrives now is gathered for a thread.
    private func startsThreads(with newByteCount: Int) -> Bool {
        byteCount += newByteCount
        guard !isThreaded, byteCount > StoreLimits.takenAtOnceByteCount else { return isThreaded }
        let count = Self.threadedCount.add(1, ordering: .relaxed).newValue
        isThreaded = count <= StoreLimits.intakeThreadsCount
        if !isThreaded {
            Self.threadedCount.subtract(1, ordering: .relaxed)
            byteCount = 0  // there may be room when as many have come again
        }
        return isThreaded
    }

    private func giveBack() {
        guard isThreaded else { return }
        isThreaded = false
        Self.threadedCount.subtract(1, ordering: .relaxed)
    }
}

/// What a thread and its starter share: the file and the digest of its content.
private final class Medium: Sendable {
    private struct State {
        let sink: any BlobSink
        /// What exists already but is not digested.
        var part: (any BlobSource)?
        var digest = SHA1()
        var failure: StoreError?
        /// Pieces that are written with one call; kept so that its memory is reused.
        var gathered: [UInt8] = []

        /// Writes a piece and digests it; after a failure does nothing but throw it again.
        mutating func take(_ piece: [UInt8]) throws(StoreError) {
            if let failure { throw failure }
            do throws(StoreError) {
                try sink.append(piece.span)
            } catch {
                failure = error
                throw error
            }
            digest.update(piece.span)
        }

        /// Digests what exists already; if it cannot be read, it is discarded.
        mutating func digestPart() {
            guard let part else { return }
            self.part = nil
            var byteCount = 0
            do throws(StoreError) {
                while case let piece = try part.read(upTo: StoreLimits.blobPieceByteCount),
                    !piece.isEmpty
                {
                    digest.update(piece.span)
                    byteCount += piece.count
                }
                guard byteCount == part.byteCount else {
                    throw StoreError(.corrupt("a part of a blob is truncated"))
                }
            } catch {
                sink.discard()
                failure = error
            }
        }

        mutating func takeGathered() throws(StoreError) {
            let whole = gathered
            gathered = []
            try take(whole)
            gathered = consume whole
            gathered.removeAll(keepingCapacity: true)
        }
    }

    private let state: Mutex<State>

    init(_ sink: sending any BlobSink) {
        state = Mutex(State(sink: sink))
    }

    init(resuming part: sending IncomingBlobWriter.Part) {
        state = Mutex(State(sink: part.sink, part: part.source))
    }

    func digestPart() { state.withLock { $0.digestPart() } }

    func take(_ piece: [UInt8]) throws(StoreError) {
        try state.withLock { state throws(StoreError) in try state.take(piece) }
    }

    /// Writes a batch, with calls as long as a reader's pieces: the system handles long ones faster.
    ///
    /// A failure is thrown by the next call.
    func take(batch: [[UInt8]]) {
        try? state.withLock { state throws(StoreError) in
            for piece in batch {
                state.gathered += piece
                guard state.gathered.count >= StoreLimits.blobPieceByteCount else { continue }
                try state.takeGathered()
            }
            try state.takeGathered()
        }
    }

    func check() throws(StoreError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func finalize() -> [UInt8] { state.withLock { $0.digest.finalize() } }

    func store(as digest: BlobDigest) throws(StoreError) {
        try state.withLock { state throws(StoreError) in try state.sink.store(as: digest) }
    }

    func discard() { state.withLock { $0.sink.discard() } }

    func suspend() { state.withLock { $0.sink.suspend() } }
}
