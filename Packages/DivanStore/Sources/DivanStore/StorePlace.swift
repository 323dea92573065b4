import DivanPlatform
internal import Synchronization

/// Where the files of a store are, who has it open, and how it closes.
///
/// A store in memory has none. Called from any thread.
public protocol StorePlace: AnyObject, Sendable {
    /// The directory, with symbolic links resolved.
    var directory: String { get }
    /// The number of owners of the store; 0 after it was closed.
    var ownerCount: Int { get }
    /// Bytes of the engine's file, and of the log that is not yet copied into it; 0 for what does not exist.
    var byteCounts: (file: Int, log: Int) { get }
    /// Makes everything visible in earlier snapshots survive a power failure, regardless of which process wrote it.
    func syncCommits() throws(StoreError)
    /// Ends the use of the store by one owner; the last one closes the files.
    func leave(_ store: Store) throws(StoreError)
}

/// Work that continues on a store between its transactions, such as the training of indexes.
public protocol StoreBackgroundWork: AnyObject, Sendable {
    /// Ends the work soon, and begins none until `reopen()`.
    ///
    /// - Parameter waits: Whether to return after the end; the caller is not inside a write then.
    func close(waits: Bool)
    /// Allows work again: another owner came while the store was about to be closed.
    func reopen()
}

extension Store {
    /// The number of owners; 0 if the store is closed.
    public var ownerCount: Int { place?.ownerCount ?? 1 }

    /// Ends the use by one owner.
    ///
    /// The last owner closes the files after running writes have finished.
    ///
    /// - Throws: Nothing at present; later versions may throw if writing the rest of the log fails.
    public func close() throws(StoreError) {
        if let place { return try place.leave(self) }
        startedWork?.close(waits: !isWriting)
        engine.close()
    }

    /// Checks that the file still exists where it was opened.
    ///
    /// For repeated reads. A removed file reports no further changes. Writes check this automatically.
    ///
    /// - Throws: `StoreError.Code.io` with `ESTALE` if it was removed, moved or replaced.
    public func requireFile() throws(StoreError) { try engine.file?.requireFile() }

    /// Runs `body` while no other thread writes.
    @_spi(Database) public func withoutOtherWriters<T, E: Error>(
        _ body: () throws(E) -> T
    ) throws(E) -> T {
        try writing.withLock(body)
    }

    /// The number of transactions that ended.
    @_spi(Database) public var endedTransactionCount: Int {
        transactionCount.load(ordering: .relaxed)
    }

    /// Whether a thread is inside a transaction, or was a moment ago.
    @_spi(Database) public var hasOpenTransaction: Bool { hasWriter.load(ordering: .relaxed) }

    /// The work between transactions, if any was started.
    @_spi(Database) public var startedWork: (any StoreBackgroundWork)? {
        background.withLock { $0 }
    }

    /// The work between transactions, which is created with the first call; all calls pass the same type.
    @_spi(Database) public func backgroundWork<Work: StoreBackgroundWork>(
        or make: () -> Work
    ) -> Work {
        background.withLock { known in
            if let work = known as? Work { return work }
            let work = make()
            known = work
            return work
        }
    }
}
