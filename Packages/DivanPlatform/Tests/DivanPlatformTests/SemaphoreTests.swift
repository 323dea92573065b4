import DivanPlatform
import Testing

/// Waits that follow the monotonic clock.
@Suite struct SemaphoreTests {
    @Test func `a wait without a signal lasts as long as its limit by the monotonic clock`() {
        let begin = MonotonicClock.now()
        #expect(!MonotonicSemaphore().wait(atMost: .milliseconds(30)))
        #expect(MonotonicClock.now() - begin >= 30_000_000)
    }

    @Test func `each signal lets one wait continue, before or during it`() {
        let semaphore = MonotonicSemaphore()
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait() && semaphore.wait(atMost: .zero))
        #expect(!semaphore.wait(atMost: .zero))
        #expect(!semaphore.wait(atMost: .seconds(-1)))
        #expect(startThread(name: "signal") { semaphore.signal() })
        #expect(semaphore.wait(atMost: .seconds(Int64.max / 2)))
    }
}
