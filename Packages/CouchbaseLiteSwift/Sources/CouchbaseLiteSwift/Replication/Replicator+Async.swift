import Foundation

extension Replicator {
    /// Status changes from now on; ends when the replicator stops or is released.
    ///
    /// To get the whole run, use it before `start()`. The latest 1,024 changes are buffered until they are read.
    public var statusStream: AsyncStream<Status> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
            let token = changeListeners.addInline(ended: { continuation.finish() }) { change in
                continuation.yield(change.status)
                if change.status.activity == .stopped { continuation.finish() }
            }
            continuation.onTermination = { _ in token.remove() }
        }
    }

    /// The replicated documents from now on; ends when the replicator stops or is released.
    ///
    /// To get the whole run, use it before `start()`. The latest 1,024 events are buffered until they are read.
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

    /// Starts the replicator and waits until it has stopped.
    ///
    /// A one-shot replicator stops when both sides are in sync; a continuous one runs until it is stopped. Cancelling
    /// the task stops the replicator and waits until it has stopped. If the replicator is already running, waits for
    /// that run.
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
