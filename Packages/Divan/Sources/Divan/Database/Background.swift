internal import Dispatch
internal import DivanDatabase
internal import Synchronization

/// Runs calls of `async` code on threads that may wait for the disk, never on those of Swift tasks.
enum Background {
    /// Reads run side by side.
    private static let readers = DispatchQueue(label: "divan.readers", attributes: .concurrent)

    /// Runs a call, unless the task is already cancelled.
    static func reading<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try requireActive()
        do {
            return try await always(body)
        } catch {
            throw DivanError(error)
        }
    }

    /// Runs a call that may throw an application's error, unless the task is already cancelled.
    static func rethrowing<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try requireActive()
        return try await always(body)
    }

    /// Runs a long call with a progress handler that stops it when the task is cancelled.
    ///
    /// - Throws: ``DivanError/Code/cancelled``; errors of `body` and `progress`, unchanged.
    static func stoppable<Report, Output: Sendable>(
        _ progress: (@Sendable (Report) throws -> Void)?,
        _ body: @escaping @Sendable (_ progress: @escaping (Report) throws -> Void) throws -> Output
    ) async throws -> Output {
        try requireActive()
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await always {
                try body { state in
                    if cancellation.isRequested.load(ordering: .relaxed) { throw cancelled }
                    try progress?(state)
                }
            }
        } onCancel: {
            cancellation.isRequested.store(true, ordering: .relaxed)
        }
    }

    /// Passes a control to `body`, and cancels it when the task is cancelled.
    static func cancelling<Output: Sendable>(
        _ control: QueryControl = QueryControl(),
        _ body: (QueryControl) async throws -> Output
    ) async throws -> Output {
        try await withTaskCancellationHandler {
            try await body(control)
        } onCancel: {
            control.cancel()
        }
    }

    /// A request to stop, from any thread.
    private final class Cancellation: Sendable {
        let isRequested = Atomic(false)
    }

    /// Runs a call, even if the task is cancelled.
    static func always<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            readers.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// - Throws: ``DivanError/Code/cancelled`` if the task is cancelled.
    static func requireActive() throws {
        guard Task.isCancelled else { return }
        throw cancelled
    }

    private static let cancelled = DivanError(.cancelled, problem: "the task was cancelled")
}
