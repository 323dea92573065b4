import Testing

@testable import CouchbaseLiteSwift

/// How long the purge of expired documents sleeps; internal, because only a clock that advances in the middle of a
/// purge would show it.
@Suite struct ExpirationTimerTests {
    @Test func `a document that becomes due during a purge is purged at once`() {
        let idle = (count: 0, time: Int64(1_000))
        #expect(ExpirationTimer.pause(after: idle, until: 1_001, at: 1_000) == 1)
        #expect(ExpirationTimer.pause(after: idle, until: 1_001, at: 1_002) == 0)
    }

    @Test func `a document that could not be purged is retried after a minute`() {
        for next in [Int64.min, 999, 1_000] {
            let idle = (count: 0, time: Int64(1_000))
            #expect(ExpirationTimer.pause(after: idle, until: next, at: 1_005) == 60_000)
        }
        #expect(ExpirationTimer.pause(after: (count: 1, time: 1_000), until: 999, at: 1_005) == 0)
    }

    @Test func `the timer never sleeps longer than ten seconds`() {
        for (next, now) in [(Int64.max, Int64(1_005)), (.max, -5), (3_700_000, 1_005)] {
            let pause = ExpirationTimer.pause(after: (count: 0, time: -9), until: next, at: now)
            #expect(pause == 10_000)
        }
    }
}
