import Foundation

extension Replicator {
    /// Status changes from now on; ends when the run has stopped, or with the replicator.
    ///
    /// If obtained before `start()`, it covers the whole run. The newest 1,024 changes are buffered until they are
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

    /// The outcomes of documents from now on; ends when the run has stopped, or with the replicator.
    ///
    /// If obtained before `start()`, it covers the whole run. The newest 1,024 events are buffered until they are read.
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
    /// With a one-shot replicator it returns when both sides are in sync, with a continuous one when it is stopped.
    /// Cancelling the task stops the run and waits for its end. If a run is already under way, waits for that one.
    ///
    /// - Throws: The error that ended the run, an `NSError`.
    public func run() async throws {
        // No other run may end in between: that would be taken for the end of this one.
        let changes = order.withLock {
            let changes = statusStream
            start()
            return changes
        }
        let last = await withTaskCancellationHandler {
            // A cancelled task ends its iteration at once, so the wait has its own task.
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
