internal import DivanPlatform
internal import Synchronization

/// A result that one thread sets and another one waits for.
final class AwaitedResult<Output: Sendable, Failure: Error>: Sendable {
    private let value = Mutex<Swift.Result<Output, Failure>?>(nil)
    private let isSet = TimedSignal()

    func set(_ result: Swift.Result<Output, Failure>) {
        value.withLock { $0 = result }
        isSet.signal()
    }

    /// Blocks until there is a result; `nil` if there is none in time, without a limit as long as it takes.
    func wait(atMost limit: Duration? = nil) -> Swift.Result<Output, Failure>? {
        isSet.wait(for: limit)
        return value.withLock { $0 }
    }
}

/// Runs asynchronous code of the application for a thread of the engine, which waits for the result.
///
/// The waiting thread is never one of Swift's cooperative pool, on which the code runs.
final class CallbackBridge: Sendable {
    private struct State {
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
        var isCancelled = false
    }

    /// The client's timeout for a login, and more than any check should take.
    static let limit = Duration.seconds(15)

    /// Whether the current task is running such code: what it waits for may be waiting for it.
    @TaskLocal static var isRunning = false

    private let state = Mutex(State())

    /// Runs `body`; cancels it and throws `timeout` if it takes longer than `limit`; `nil` waits as long as it takes.
    ///
    /// After `cancelNew`, the task of `body` is cancelled at once.
    func wait<Output: Sendable>(
        at most: Duration? = limit,
        place: @autoclosure () -> String,
        _ body: @escaping @Sendable () async throws -> Output
    ) throws -> Output {
        let answer = AwaitedResult<Output, any Error>()
        let task = Task.detached {
            let result: Swift.Result<Output, any Error>
            do {
                result = .success(try await Self.$isRunning.withValue(true, operation: body))
            } catch {
                result = .failure(error)
            }
            answer.set(result)
        }
        // The code may already have led to `cancelAll`, which did not know this task.
        let (number, isCancelled) = state.withLock { state in
            state.lastNumber += 1
            state.cancellations[state.lastNumber] = { task.cancel() }
            return (state.lastNumber, state.isCancelled)
        }
        if isCancelled { task.cancel() }
        defer { state.withLock { $0.cancellations[number] = nil } }
        if let result = answer.wait(atMost: most) {
            return try result.get()
        }
        task.cancel()
        throw DivanError(
            .timeout,
            place: place(),
            problem: "the application's code took longer than 15 seconds",
            remedy: "let it answer sooner"
        )
    }

    /// Cancels all running code, and all that begins before `resume`; the callers still wait until it returns.
    func cancelAll() {
        cancelNew()
        cancelRunning()
    }

    /// Cancels all running code; its callers still wait until it returns.
    func cancelRunning() {
        for cancel in state.withLock({ Array($0.cancellations.values) }) { cancel() }
    }

    /// Cancels code that begins before `resume`, as soon as it begins.
    func cancelNew() {
        state.withLock { $0.isCancelled = true }
    }

    /// Lets code that begins from now on run as usual.
    func resume() {
        state.withLock { $0.isCancelled = false }
    }
}
