import DivanPlatform
import Testing

/// Waits that do not depend on the date.
@Suite struct TimedSignalTests {
    @Test func `a wait without a signal lasts as long as its limit by the monotonic clock`() {
        let begin = MonotonicClock.now()
        #expect(!TimedSignal().wait(for: .milliseconds(30)))
        #expect(MonotonicClock.now() - begin >= 30_000_000)
    }

    @Test func `signals before or during a wait end it once`() {
        let signal = TimedSignal()
        signal.signal()
        signal.signal()
        #expect(signal.wait())
        #expect(!signal.wait(for: .zero))
        #expect(!signal.wait(for: .seconds(-1)))
        #expect(startThread(name: "signal") { signal.signal() })
        #expect(signal.wait(for: .seconds(Int64.max / 2)))
    }
}
