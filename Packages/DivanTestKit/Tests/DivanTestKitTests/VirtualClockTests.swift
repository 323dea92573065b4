import DivanTestKit
import Synchronization
import Testing

/// Time advances only when the test says so, and work runs in one order.
@Suite struct VirtualClockTests {
    @Test
    func `work runs in order of time and then of scheduling`() {
        let clock = VirtualClock()
        let seen = Mutex<[String]>([])
        for (name, time) in [("late", 3), ("early", 1), ("also early", 1)] {
            clock.schedule(at: .seconds(time)) { [clock] in
                seen.withLock { $0.append("\(name) at \(clock.now)") }
            }
        }
        #expect(clock.deadline == .seconds(1))
        clock.advance(to: .seconds(2))
        #expect(seen.withLock(\.count) == 2)
        clock.advance(by: .seconds(3600))
        let expected = ["early", "also early"].map { "\($0) at \(Duration.seconds(1))" }
        #expect(seen.withLock { $0 } == expected + ["late at \(Duration.seconds(3))"])
        #expect(clock.now == .seconds(3602))
        #expect(clock.deadline == nil)
    }

    @Test
    func `work can schedule more work, and the clock never goes back`() {
        let clock = VirtualClock()
        let count = Mutex(0)
        clock.schedule(at: .seconds(1)) { [clock] in
            clock.schedule(at: .seconds(2)) { count.withLock { $0 += 1 } }
        }
        clock.advance(to: .seconds(2))
        #expect(count.withLock { $0 } == 1)
        clock.advance(to: .zero)
        #expect(clock.now == .seconds(2))
    }
}
