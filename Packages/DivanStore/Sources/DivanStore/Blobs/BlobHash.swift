internal import DivanCrypto
internal import Synchronization

/// The digest of a content that arrives in pieces, taken beside whoever brings it once the content turns
/// out to be long.
///
/// **How**: short contents are digested where they are, piece by piece. Behind the first
/// `StoreLimits.hashedAtOnceByteCount` bytes pieces are gathered into batches, and each batch has a
/// thread of its own, which goes on where the one before it ended. Before the next batch begins the last
/// is waited for, so two batches are held at most, and who brings bytes faster than they can be
/// digested waits. A few contents at a time have such threads; the others do without.
///
/// Confined to one thread at a time.
final class BlobHash {
    /// What a thread and its starter share.
    private final class Batch: Sendable {
        private let pieces: [[UInt8]]
        private let state: Mutex<SHA1>

        init(_ pieces: [[UInt8]], after state: SHA1) {
            self.pieces = pieces
            self.state = Mutex(state)
        }

        /// The state behind all pieces, once the thread was waited for.
        var result: SHA1 { state.withLock { $0 } }

        func run() {
            state.withLock { state in
                for piece in pieces { state.update(piece.span) }
            }
        }
    }

    /// How many contents have threads now, in the whole process.
    private static let threadedCount = Atomic(0)

    private var state = SHA1()
    private var byteCount = 0
    private var isThreaded = false
    private var pieces: [[UInt8]] = []
    private var gatheredByteCount = 0
    private var running: (batch: Batch, thread: JoinedThread)?

    deinit {
        giveBack()
    }

    /// Adds bytes; they are copied where a thread is to have them.
    func update(_ bytes: Span<UInt8>) {
        guard startsThreads(with: bytes.count) else { return state.update(bytes) }
        gather(bytes.withUnsafeBufferPointer { Array($0) })
    }

    /// Adds bytes without a copy.
    func update(_ bytes: [UInt8]) {
        guard startsThreads(with: bytes.count) else { return state.update(bytes.span) }
        gather(bytes)
    }

    /// The digest; the hash is of no more use.
    func finalize() -> [UInt8] {
        settle()
        for piece in pieces { state.update(piece.span) }
        pieces = []
        giveBack()
        return state.finalize()
    }

    /// Whether what comes now is gathered for a thread.
    private func startsThreads(with newByteCount: Int) -> Bool {
        byteCount += newByteCount
        guard !isThreaded, byteCount > StoreLimits.hashedAtOnceByteCount else { return isThreaded }
        let count = Self.threadedCount.add(1, ordering: .relaxed).newValue
        isThreaded = count <= StoreLimits.hashingThreadsCount
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

    private func gather(_ piece: [UInt8]) {
        pieces.append(piece)
        gatheredByteCount += piece.count
        guard gatheredByteCount >= StoreLimits.hashBatchByteCount else { return }
        settle()
        let batch = Batch(pieces, after: state)
        pieces = []
        gatheredByteCount = 0
        if let thread = JoinedThread({ batch.run() }) {
            running = (batch, thread)
        } else {
            // A system without another thread.
            batch.run()
            state = batch.result
        }
    }

    /// Waits for the batch that is being digested.
    private func settle() {
        guard let running else { return }
        running.thread.join()
        state = running.batch.result
        self.running = nil
    }
}
