public import DivanHTTP
import DivanLog
public import DivanTransport
import Synchronization

/// A body that is read from a database while the client takes it.
///
/// `read` is called on a `WorkQueue`, never twice at a time, until it returns `nil` or throws. Where it has
/// nothing yet it returns no bytes, and is called again behind others that want a thread.
public final class PagedBody: HTTPBodySource {
    private let queue: WorkQueue
    private let read: @Sendable () throws -> [UInt8]?
    private let finish: @Sendable () -> Void
    private let isCancelled = Mutex(false)

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - queue: Where pieces are read.
    ///   - read: The next piece; `nil` behind the last, without a byte when it is not ready.
    ///   - finish: Called when the client went away before the end.
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
                Log(.listener).error("An answer was cut off: \(error)")
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
