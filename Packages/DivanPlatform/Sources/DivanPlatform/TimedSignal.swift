internal import Glibc

/// A signal that one thread waits for, with a time limit that does not depend on the date.
///
/// On Linux, `DispatchSemaphore` waits until a time of the wall clock: if the clock is set back meanwhile, the wait is
/// longer by as much.
///
/// `@unchecked Sendable` is valid because `isSignalled` is only touched by the thread that holds the mutex, and because
/// the mutex and the condition are made for use by all threads.
public final class TimedSignal: @unchecked Sendable {
    /// The longest wait of one system call; time during which the machine sleeps counts after it.
    private static let slice = Duration.seconds(60)

    // On the heap, because neither must move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignalled = false

    /// Creates a signal that is not given yet.
    public init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Ends the current wait, or the next one; a signal that no wait has consumed is not repeated.
    public func signal() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isSignalled = true
        pthread_cond_signal(condition)
    }

    /// Blocks the thread until there is a signal, and consumes it.
    ///
    /// - Parameter limit: How long to wait at most; `nil` for indefinitely.
    /// - Returns: Whether there was a signal in time.
    @discardableResult
    public func wait(for limit: Duration? = nil) -> Bool {
        // Ends a hundred years from now at the latest, so that the sum cannot overflow.
        let end = limit.map { ContinuousClock.now + min($0, .seconds(3_155_760_000)) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isSignalled {
            guard let end else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            let rest = end - .now
            guard rest > .zero else { return false }
            var time = Self.time(after: min(rest, Self.slice))
            pthread_cond_timedwait(condition, mutex, &time)
        }
        isSignalled = false
        return true
    }

    /// The time of the monotonic clock, rounded up, so that no wait is shorter than its limit.
    private static func time(after rest: Duration) -> timespec {
        let (seconds, attoseconds) = rest.components
        let nanoseconds = MonotonicClock.now() + UInt64(attoseconds / 1_000_000_000) + 1
        return timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000) + Int(seconds),
            tv_nsec: Int(nanoseconds % 1_000_000_000)
        )
    }
}
