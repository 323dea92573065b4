internal import Glibc

/// Counts signals for threads that wait for one.
///
/// Waits follow the monotonic clock: a change of the date neither shortens nor extends them, unlike those of
/// `DispatchSemaphore` on Linux.
///
/// `@unchecked Sendable` is valid because `count` is only touched by the thread that holds the mutex, and because the
/// mutex and the condition are made for use by all threads.
public final class MonotonicSemaphore: @unchecked Sendable {
    // On the heap, because neither must move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count = 0

    /// Creates a semaphore without signals.
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

    /// Lets one waiting thread continue, or the next one that waits.
    public func signal() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        count += 1
        pthread_cond_signal(condition)
    }

    /// Blocks the thread until there is a signal, and consumes it.
    ///
    /// - Parameter limit: How long to wait at most; `nil` for indefinitely.
    /// - Returns: Whether there was a signal in time.
    public func wait(atMost limit: Duration? = nil) -> Bool {
        let end = limit.map { Self.time(after: $0) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while count == 0 {
            guard var end else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return false }
        }
        count -= 1
        return true
    }

    /// A time of the monotonic clock, at most a hundred years from now.
    private static func time(after limit: Duration) -> timespec {
        let (seconds, attoseconds) = max(.zero, min(limit, .seconds(3_155_760_000))).components
        let nanoseconds = MonotonicClock.now() + UInt64(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000) + Int(seconds),
            tv_nsec: Int(nanoseconds % 1_000_000_000)
        )
    }
}
