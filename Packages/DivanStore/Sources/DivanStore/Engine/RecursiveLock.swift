internal import Glibc
internal import Synchronization

/// Lets one thread in at a time, and lets the same thread in again.
///
/// `Synchronization.Mutex` cannot be locked twice, and a write may be nested in a write.
///
/// Sendable although it holds a pointer: the pointer never changes, `pthread_mutex_t` is made for
/// use by all threads, and `owner` is atomic.
final class RecursiveLock: @unchecked Sendable {
    // On the heap, because a pthread mutex must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let owner = Atomic<UInt>(0)
    private var depth = 0  // only touched by the owner

    init() {
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Whether the calling thread holds the lock.
    var isHeldHere: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        enter()
        defer { leave() }
        return try body()
    }

    private func enter() {
        if !isHeldHere {
            pthread_mutex_lock(mutex)
            owner.store(UInt(pthread_self()), ordering: .relaxed)
        }
        depth += 1
    }

    private func leave() {
        depth -= 1
        guard depth == 0 else { return }
        owner.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }
}
