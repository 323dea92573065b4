internal import CDivanPlatform
internal import Glibc
internal import Synchronization

/// The calling thread.
public enum CurrentThread {
    /// A number that no other running thread of this process has.
    public static var id: UInt { UInt(pthread_self()) }

    /// Lets it rest, or shorter if a signal arrives.
    public static func sleep(milliseconds: Int) {
        usleep(UInt32(milliseconds * 1_000))
    }

    /// Waits until a signal arrives; usually until one ends the process.
    public static func waitForSignal() {
        pause()
    }

    /// Lets other threads run first.
    public static func yield() {
        sched_yield()
    }
}

/// Work for a thread that the system starts.
private final class Work: Sendable {
    let name: String?
    let body: @Sendable () -> Void

    init(_ name: String?, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    /// Starts a thread; `nil` if the system has none left.
    func start() -> pthread_t? {
        var thread = pthread_t()
        // The thread takes over the reference retained here, exactly once.
        let argument = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                if let name = work.name { divan_name_thread(String(name.prefix(15))) }
                work.body()
                return nil
            },
            argument.toOpaque()
        )
        guard status == 0 else {
            argument.release()
            return nil
        }
        return thread
    }
}

/// Starts a detached thread that runs `body` once; `false` if the system cannot start one.
public func startThread(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = Work(name, body).start() else { return false }
    pthread_detach(thread)
    return true
}

/// A thread that does one thing and is joined.
///
/// Used by one thread at a time.
public final class JoinedThread {
    private var thread: pthread_t?

    /// Begins; `nil` if the system has no thread left.
    public init?(_ body: @escaping @Sendable () -> Void) {
        thread = Work(nil, body).start()
        if thread == nil { return nil }
    }

    deinit {
        join()
    }

    /// Waits for the end.
    public func join() {
        if let thread { pthread_join(thread, nil) }
        thread = nil
    }
}

/// Lets one thread in at a time, and lets the same thread in again.
///
/// `@unchecked Sendable` is valid because `depth` is only touched by the owner, the mutex is made for use by all
/// threads, and `owner` is atomic.
public final class RecursiveLock: @unchecked Sendable {
    // On the heap, because a pthread mutex must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let owner = Atomic<UInt>(0)
    private var depth = 0  // only touched by the owner

    /// Creates an open lock.
    public init() {
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Whether the calling thread holds the lock.
    public var isHeldHere: Bool { owner.load(ordering: .relaxed) == CurrentThread.id }

    /// Runs `body` while the calling thread holds the lock.
    ///
    /// Inlinable, because generic code of another package costs more than the lock.
    @inlinable
    public func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        enter()
        defer { leave() }
        return try body()
    }

    @usableFromInline
    func enter() {
        if !isHeldHere {
            pthread_mutex_lock(mutex)
            owner.store(CurrentThread.id, ordering: .relaxed)
        }
        depth += 1
    }

    @usableFromInline
    func leave() {
        depth -= 1
        guard depth == 0 else { return }
        owner.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }
}
