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
