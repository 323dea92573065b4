import DivanRevisions
import DivanStore

/// What becomes of a connection when the store cannot do what it is asked to.
extension Connection {
    /// Records a failure of the store.
    ///
    /// One that may pass closes the connection as well: the peer does not say again by itself what was
    /// missed, and another connection asks anew.
    func fail(storage error: any Error) {
        let failure = SyncError(storage: error)
        fail(failure)
        if failure.mayPass { comeAgain(after: failure) }
    }

    /// Fails, and closes in any case: without its storage this side cannot go on.
    func end(storage error: any Error, _ code: CloseCode) {
        fail(storage: error)
        close(code, error: SyncError(storage: error))
    }

    /// Closes in such a way that another connection follows, whichever side began this one: the disk may
    /// have recovered by then.
    func comeAgain(after failure: SyncError) {
        let text = failure.message
        close(
            .retryLater,
            error: SyncError(.close(.retryLater), text, telling: failure.toldMessage)
        )
    }

    /// The error of a collection that was deleted here.
    func absence(of path: CollectionPath) -> StoreError {
        StoreError(.noSuchCollection(path), at: store.directory ?? "")
    }
}
