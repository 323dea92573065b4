import DivanPlatform
import Synchronization

/// Reports when the machine's network changes: a link, an address or a route appears or disappears.
///
/// This is only a hint that connecting may succeed now. Changes come in bursts, so observers are notified once,
/// when there have been none for a moment. If the system does not permit watching, nothing is ever reported.
///
/// Source: rtnetlink(7); `behaviour.md` §6 (watch network changes with netlink).
public final class NetworkChanges: Sendable {
    /// The machine's network, monitored from the first observer on.
    public static let shared = NetworkChanges(
        descriptor: NetworkInterface.changes(),
        loop: EventLoopGroup.shared.next()
    )

    private struct State {
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Creates a network that never changes, for simulations.
    public init() {}

    /// Watches a descriptor that becomes readable with each change, and takes it over.
    ///
    /// A burst counts as over after `quietTime`.
    init(
        descriptor: FileDescriptor?,
        loop: EpollLoop,
        quietTime: Duration = .milliseconds(500)
    ) {
        guard let descriptor else { return }
        let watch = NetworkMonitor(
            descriptor: descriptor,
            loop: loop,
            quietTime: quietTime
        ) { [weak self] in self?.notify() }
        loop.execute { loop.add(descriptor, watch, .reading) }
    }

    /// Calls `handler` after each change, on a loop's thread: it must not block.
    ///
    /// Ends when the observation is released.
    public func observe(_ handler: @escaping @Sendable () -> Void) -> NetworkObservation {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = handler
            return state.lastNumber
        }
        return NetworkObservation { [weak self] in
            // Moved out: what the handler holds may use this object when it is released.
            let removed = self?.state.withLock { $0.observers.removeValue(forKey: number) }
            withExtendedLifetime(removed) {}
        }
    }

    private func notify() {
        for observer in state.withLock({ Array($0.observers.values) }) { observer() }
    }
}

/// Keeps an observer of `NetworkChanges` registered until it is released.
public final class NetworkObservation: Sendable {
    private let remove: @Sendable () -> Void

    init(remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    deinit {
        remove()
    }
}

/// Reads and discards the descriptor's messages, and waits for the end of a burst.
///
/// `@unchecked Sendable` holds because everything after `init` happens on the loop.
private final class NetworkMonitor: EventSource, @unchecked Sendable {
    private let descriptor: FileDescriptor
    private let loop: EpollLoop
    private let quietTime: Duration
    private let didChange: @Sendable () -> Void
    private var timer: TimerToken?

    init(
        descriptor: FileDescriptor,
        loop: EpollLoop,
        quietTime: Duration,
        didChange: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.quietTime = quietTime
        self.didChange = didChange
    }

    deinit {
        descriptor.close()
    }

    func isReadable() {
        let isOver = loop.withReadBuffer { buffer in
            while true {
                do throws(SystemError) {
                    if try descriptor.read(into: buffer) == 0 { return true }
                } catch {
                    // Lost messages also mean changes.
                    if error.errno != .noBufferSpace { return false }
                }
            }
        }
        if isOver { loop.remove(descriptor) }  // its other end is gone
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(at: loop.now + quietTime) { self.burstIsOver() }
    }

    func isWritable() {}

    private func burstIsOver() {
        timer = nil
        didChange()
    }
}
