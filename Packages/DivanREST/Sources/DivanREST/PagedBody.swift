public import DivanHTTP
import DivanLog
public import DivanTransport
import Synchronization

/// A body that is read from a database while the client receives it.
///
/// `read` is called on a `WorkQueue`, never concurrently, until it returns `nil` or throws. If it is not ready, it
/// returns no bytes, and is called again after other work in the queue.
public final class PagedBody: HTTPBodySource {
    private let queue: WorkQueue
    private let read: @Sendable () throws -> [UInt8]?
    private let finish: @Sendable () -> Void
    private let isCancelled = Mutex(false)

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - queue: The queue on which pieces are read.
    ///   - read: Returns the next piece; `nil` after the last, no bytes if it is not ready.
    ///   - finish: Called if the client disconnects before the end.
    public init(
        on queue: WorkQueue,
        read: @escaping @Sendable () throws -> [UInt8]?,
        finish: @escaping @Sendable () -> Void = {}
    ) {
        self.queue = queue
        self.read = read
        self.finish = finish
    }

    /// Reads the next piece.
    public func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        queue.async { [read, self] in
            guard !isCancelled.withLock({ $0 }) else { return answer(.end) }
            do {
                guard let piece = try read() else { return answer(.end) }
                guard !piece.isEmpty else { return next(answer) }
                answer(.bytes(piece))
            } catch {
                Log(.listener).error("A response was cut off: \(error)")
                answer(.failed)
            }
        }
    }

    /// Ends the reading.
    public func cancel() {
        isCancelled.withLock { $0 = true }
        queue.async { [finish] in finish() }
    }
}
