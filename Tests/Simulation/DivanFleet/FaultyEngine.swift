import DivanDatabase

/// The engine of one life of a node: what is committed outlives it, it may fail, and after a crash
/// the rows can no longer be reached through it.
///
/// `@unchecked Sendable` holds because a simulation has one thread.
final class FaultyEngine: StorageEngine, @unchecked Sendable {
    private let rows: any StorageEngine
    private let health: DiskHealth
    private let mistakes: EngineMistakes
    /// Called when one of our own checkpoints was committed.
    var onCheckpoint: () -> Void = {}
    /// Called when the process dies in the middle of its work.
    var onDeath: () -> Void = {}
    /// Set when the process that used this engine has ended.
    var isDead = false

    init(rows: any StorageEngine, health: DiskHealth, mistakes: EngineMistakes) {
        self.rows = rows
        self.health = health
        self.mistakes = mistakes
    }

    let isReadOnly = false

    func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
        guard !isDead else { throw StoreError(.notOpen) }
        if let fault = health.strikesRows(.failsToRead, percentage: 5) {
            throw StoreError(fault.code)
        }
        return try withoutPlace { try rows.read(body) }
    }

    func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
        guard !isDead else { throw StoreError(.notOpen) }
        guard !health.isPoisoned else { throw StoreError(.io(5)) }
        if let fault = health.strikesRows(.refuses, .isFull) { throw StoreError(fault.code) }
        var savesCheckpoint = false
        var losesPower = false
        let result: T
        do {
            result = try withoutPlace {
                try rows.write { inner in
                    let limit = health.strikesRows(.breaksOff).map { _ in health.stepsLeft() }
                    let transaction = FaultyTransaction(inner, stepLimit: limit, mistakes: mistakes)
                    let result = try body(transaction)
                    if let fault = health.strikesRows(.failsAtCommit) {
                        throw StoreError(fault.code)
                    }
                    if health.dies(isBeforeCommit: true) {
                        guard let files = health.files else { throw death() }
                        // Somewhere within the commit, so that it either succeeds or does not.
                        files.cutPower(after: health.callsLeft())
                        losesPower = true
                    }
                    savesCheckpoint = transaction.savesCheckpoint
                    return result
                }
            }
        } catch {
            // A commit that fails before the power cut has no more to write: then the power is cut here.
            if !isDead, losesPower || health.files?.isCut == true { throw death() }
            throw error
        }
        if savesCheckpoint { onCheckpoint() }
        if losesPower || health.dies(isBeforeCommit: false) { _ = death() }
        if let fault = health.strikesRows(.failsToSync) {
            health.isPoisoned = true
            throw StoreError(fault.code)
        }
        return result
    }

    /// Runs a call whose errors do not contain the path of the files: it differs in each run, and
    /// error texts are stored and sent.
    private func withoutPlace<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError {
            throw StoreError(error.code)
        }
    }

    /// The process ends here; what it was about to do fails.
    private func death() -> StoreError {
        isDead = true
        onDeath()
        return StoreError(.notOpen)
    }

    func checkIntegrity() throws(StoreError) {}
    func makeDurable() throws(StoreError) { try rows.makeDurable() }
    func syncFully() throws(StoreError) {}
    func close() { isDead = true }
}

/// Blobs whose writing may fail, and which may be assumed to exist too early.
///
/// `@unchecked Sendable` holds because a simulation has one thread.
final class FaultyBlobStorage: BlobStorage, @unchecked Sendable {
    private let memory: BlobMemory
    private let health: DiskHealth
    /// Whether every blob is claimed to be here: a bug (`SeededBug.blobNotFetched`).
    var believesAll = false

    init(_ memory: BlobMemory, health: DiskHealth) {
        self.memory = memory
        self.health = health
    }

    var directory: String? { nil }

    func byteCount(_ digest: BlobDigest) -> Int? {
        memory.byteCount(digest) ?? (believesAll ? 0 : nil)
    }

    func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
        try memory.source(digest)
    }

    func sink() throws(StoreError) -> any BlobSink {
        if let fault = health.strikesBlobs(.refusesBlobs, .isFull) { throw StoreError(fault.code) }
        return try memory.sink()
    }

    func settle() throws(StoreError) {
        if let fault = health.strikesBlobs(.refusesBlobs) { throw StoreError(fault.code) }
    }

    func remove(_ digest: BlobDigest) throws(StoreError) {
        try memory.remove(digest)
    }

    func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String]) {
        let (digests, names) = try memory.contents()
        return (digests.sorted { $0.description < $1.description }, names)
    }
}
