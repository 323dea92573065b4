import DivanPlatform
import Synchronization

/// Several loops, to which connections are assigned in turn.
public final class EventLoopGroup: Sendable {
    /// The default loops: one for each processor, at most four.
    ///
    /// They run until the process ends.
    public static let shared = EventLoopGroup(
        count: min(4, CurrentProcess.processorCount)
    )

    /// The loops.
    public let loops: [EpollLoop]
    private let turn = Atomic<Int>(0)

    /// Starts `count` loops, at least one.
    public init(count: Int) {
        precondition(count > 0, "a group needs at least one loop")
        loops = (0..<count).map { EpollLoop(name: "divan-loop-\($0)") }
    }

    /// The next loop in turn.
    public func next() -> EpollLoop {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
    }

    /// The next loop in turn other than `other`, so that the two ends of one connection run in parallel; `other`
    /// itself if it is the only loop.
    public func next(besides other: any EventLoop) -> any EventLoop {
        let candidates = [next(), next()]
        return candidates.first { $0 !== other } ?? other
    }

    /// Ends the threads; for tests, and for groups that an application created itself.
    public func stop() {
        for loop in loops { loop.stop() }
    }
}
