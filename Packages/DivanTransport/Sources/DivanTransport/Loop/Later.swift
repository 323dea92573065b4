public import Dispatch
import Glibc
import Synchronization

/// Work of a queue that is not due yet.
///
/// The first timer of a process makes Dispatch open an epoll of its own and a clock, and Dispatch ends the
/// program where the system refuses them. So until one of its timers has come, each is set only while the
/// process has descriptors to spare; otherwise the timer is one of a loop, which does without.
public enum Later {
    /// Whether a timer of Dispatch has come: it has all that timers need.
    private static let hasTimers = Atomic(false)

    /// What Dispatch opens before its first timer, and one for whoever opens a file meanwhile.
    private static let descriptorCount = 4

    /// Runs `work` on `queue` when the time is over.
    public static func run(
        after time: Duration,
        on queue: DispatchQueue,
        _ work: @escaping @Sendable () -> Void
    ) {
        guard hasTimers.load(ordering: .relaxed) || hasDescriptors() else {
            let loop = EventLoopGroup.shared.next()
            loop.schedule(at: loop.now + time) { queue.async(execute: work) }
            return
        }
        let (seconds, attoseconds) = time.components
        // More than a hundred years are as good as those.
        let whole = max(0, min(seconds, 3_155_760_000)) * 1_000_000_000
        let nanoseconds = whole + attoseconds / 1_000_000_000
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) {
            hasTimers.store(true, ordering: .relaxed)
            work()
        }
    }

    private static func hasDescriptors() -> Bool {
        let opened = (0..<descriptorCount).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in opened where descriptor >= 0 { close(descriptor) }
        return opened.allSatisfy { $0 >= 0 }
    }
}
