import Glibc
import Synchronization

/// Several loops that take connections in turn.
public final class EventLoopGroup: Sendable {
    /// The loops of everyone who names none: one for each processor, four at most.
    ///
    /// They live as long as the process.
    public static let shared = EventLoopGroup(
        count: max(1, min(4, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    )

    /// The loops.
    public let loops: [EpollLoop]
    private let turn = Atomic<Int>(0)

    /// Starts `count` loops, at least one.
    public init(count: Int) {
        precondition(count > 0, "a group has at least one loop")
        loops = (0..<count).map { EpollLoop(name: "divan-loop-\($0)") }
    }

    /// The loop whose turn it is.
    public func next() -> EpollLoop {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
    }

    /// The loop whose turn it is among the others, so that two ends of one connection work at the
    /// same time; `other` itself where it is the only one.
    public func next(besides other: any EventLoop) -> any EventLoop {
        let candidates = [next(), next()]
        return candidates.first { $0 !== other } ?? other
    }

    /// Ends the threads; for tests, and for groups that an application made itself.
    public func stop() {
        for loop in loops { loop.stop() }
    }
}
