internal import Glibc

/// A thread that does one thing and is joined.
///
/// Used by one thread.
final class JoinedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private var thread: pthread_t?

    /// Begins; `nil` if the system has no thread left.
    init?(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        // The thread takes over the reference retained here, exactly once.
        let argument = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            argument.toOpaque()
        )
        guard status == 0 else {
            argument.release()
            return nil
        }
        self.thread = thread
    }

    deinit {
        join()
    }

    /// Waits for the end.
    func join() {
        if let thread { pthread_join(thread, nil) }
        thread = nil
    }
}
