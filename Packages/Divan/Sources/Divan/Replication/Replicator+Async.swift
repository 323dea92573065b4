import Foundation

extension Replicator {
    /// The changes of the status from now on; ends when the run has stopped, or with the replicator.
    ///
    /// Taken before `start()`, it holds the whole run. The newest 1,024 changes wait until they are
    /// read.
    public var statusStream: AsyncStream<Status> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
            let token = changeListeners.addInline(ended: { continuation.finish() }) { change in
                continuation.yield(change.status)
                if change.status.activity == .stopped { continuation.finish() }
            }
            continuation.onTermination = { _ in token.remove() }
        }
    }

    /// What becomes of documents from now on; ends when the run has stopped, or with the replicator.
    ///
    /// Taken before `start()`, it holds the whole run. The newest 1,024 events wait until they are
    /// read.
    public var documentReplicationStream: AsyncStream<DocumentReplication> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
            let documents = documentListeners.addInline { continuation.yield($0) }
            let changes = changeListeners.addInline(ended: { continuation.finish() }) { change in
                if change.status.activity == .stopped { continuation.finish() }
            }
            continuation.onTermination = { _ in
                documents.remove()
                changes.remove()
            }
        }
    }

    /// Starts a run and waits until it has stopped.
    ///
    /// A one-shot replicator returns when both sides are level; a continuous one when it is
    /// stopped. Cancelling the task stops the run and waits for its end. When a run is under way
    /// already, waits for that one.
    ///
    /// - Throws: The error that ended the run, an `NSError`.
    public func run() async throws {
        // Nobody's run ends in between, which would be taken for the end of this one.
        let changes = order.withLock {
            let changes = statusStream
            start()
            return changes
        }
        let last = await withTaskCancellationHandler {
            // A task that is cancelled ends its iteration at once, so the wait has its own task.
            await Task {
                var last = Status.initial
                for await status in changes { last = status }
                return last
            }.value
        } onCancel: {
            stop()
        }
        if let error = last.error { throw error }
    }
}
