import DivanRevisions
import DivanStore

/// What happens to a connection when the store fails.
extension Connection {
    /// Records a failure of the store.
    ///
    /// A temporary one also closes the connection: another connection requests again what was missed.
    func fail(storage error: any Error) {
        let failure = SyncError(storage: error)
        fail(failure)
        if failure.mayPass { closeForRetry(after: failure) }
    }

    /// Records a failure and always closes: without its storage this side cannot continue.
    func end(storage error: any Error, _ code: CloseCode) {
        fail(storage: error)
        close(code, error: SyncError(storage: error))
    }

    /// Closes in such a way that another connection follows, whichever side started this one: the disk may have
    /// recovered by then.
    func closeForRetry(after failure: SyncError) {
        let text = failure.message
        close(
            .retryLater,
            error: SyncError(.close(.retryLater), text, telling: failure.toldMessage)
        )
    }

    /// The error for a collection that was deleted here.
    func absence(of path: CollectionPath) -> StoreError {
        StoreError(.noSuchCollection(path), at: store.directory ?? "")
    }
}
