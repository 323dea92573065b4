import DivanSimulation
import DivanTransport
import Synchronization
import Testing

/// A loop that a test runs: order, time, and what may be called from where.
@Suite struct VirtualLoopTests {
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func write(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test
    func `work runs in order, then timers by time and creation`() {
        let (loop, journal) = (VirtualLoop(), Journal())
        loop.schedule(at: .seconds(2)) { journal.write("late at \(loop.now)") }
        loop.schedule(at: .seconds(1)) { journal.write("first at \(loop.now)") }
        loop.schedule(at: .seconds(1)) {
            journal.write("second")
            loop.execute { journal.write("its own") }
        }
        let cancelled = loop.schedule(at: .seconds(1)) { journal.write("never") }
        loop.cancel(cancelled)
        loop.execute { journal.write("work at \(loop.now)") }
        #expect(loop.deadline == .zero)
        loop.run(until: .seconds(1))
        #expect(
            journal.all == ["work at 0.0 seconds", "first at 1.0 seconds", "second", "its own"]
        )
        #expect(loop.deadline == .seconds(2))
        loop.run(for: .seconds(3600))
        #expect(journal.all.last == "late at 2.0 seconds")
        #expect(loop.now == .seconds(3601))
        #expect(loop.deadline == nil)
    }

    @Test
    func `the loop stops on a condition, a timeout or without work`() {
        let (loop, journal) = (VirtualLoop(), Journal())
        for second in 1...9 { loop.schedule(at: .seconds(second)) { journal.write("\(second)") } }
        #expect(loop.run(within: .seconds(60)) { journal.all.count == 3 })
        #expect(loop.now == .seconds(3))
        #expect(!loop.run(within: .seconds(2)) { journal.all.count == 9 })
        #expect(journal.all.count == 5)
        #expect(!loop.run(within: .seconds(60)) { false })
        #expect(journal.all.count == 9)
        #expect(loop.run(within: .zero) { true })
    }

    @Test
    func `only the running thread is on the loop`() async {
        let (loop, journal) = (VirtualLoop(), Journal())
        #expect(!loop.isCurrent)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { loop.execute { journal.write("\(loop.isCurrent)") } }
            }
        }
        loop.run(for: .seconds(1))
        #expect(journal.all == Array(repeating: "true", count: 50))
        #expect(!loop.isCurrent)
    }

    @Test
    func `ten thousand work items run in order`() {
        let (loop, journal) = (VirtualLoop(), Journal())
        for number in 0..<10_000 {
            loop.execute { if number % 1_000 == 0 { journal.write("\(number)") } }
        }
        loop.run(for: .zero)
        #expect(journal.all == (0..<10).map { "\($0 * 1_000)" })
    }
}
