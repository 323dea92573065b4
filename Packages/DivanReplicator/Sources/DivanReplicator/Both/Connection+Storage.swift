import DivanBLIP
import DivanLog
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

    /// Appends the next frame of what goes out; false, and appends nothing, when there is none.
    ///
    /// Where a body cannot be read for want of descriptors or memory, another connection follows. Ended
    /// short, the peer would take its content for wrong, and go on without the document.
    func nextFrame(into output: inout [UInt8]) -> Bool {
        let end = output.count
        guard blip.nextFrame(into: &output) else { return false }
        // Messages are read to their last event when they arrive: what waits is of this frame.
        while let event = blip.next() {
            guard case .bodyFailed(let broken) = event else { continue }
            let failure = SyncError(storage: broken.cause)
            log.error("a blob could not be read to its end: \(failure)")
            guard failure.isWantOfMeans else { continue }
            output.removeSubrange(end...)
            comeAgain(after: failure)
            // A codec has this frame behind it: the peer could read none that follows.
            blip = BLIPConnection(codec: configuration.codec)
            return false
        }
        return true
    }

    /// The error of a collection that was deleted here.
    func absence(of path: CollectionPath) -> StoreError {
        StoreError(.noSuchCollection(path), at: store.directory ?? "")
    }
}
