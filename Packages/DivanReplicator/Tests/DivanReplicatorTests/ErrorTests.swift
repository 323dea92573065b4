import DivanReplicator
import Glibc
import Testing

/// What errors mean, and when to try again.
@Suite struct ErrorTests {
    @Test(arguments: [
        (SyncError(.webSocket, 503), true, false), (SyncError(.webSocket, 1006), true, false),
        (SyncError(.webSocket, 4001), true, false), (SyncError(.webSocket, 4002), false, false),
        (SyncError(.webSocket, 500), false, false), (SyncError(.webSocket, 401), false, false),
        (SyncError(.webSocket, 1001), false, false), (SyncError(.network, 3), true, true),
        (SyncError(.network, 2), false, true), (SyncError(.network, 11), false, false),
        (SyncError(.network, 19), true, false), (SyncError(.network, 27), false, true),
        (SyncError(.posix, Int(ECONNRESET)), true, false),
        (SyncError(.posix, Int(EHOSTUNREACH)), false, true),
        (SyncError(.posix, Int(ENOSPC)), false, false), (SyncError(.liteCore, 26), false, false),
        (SyncError(.posix, Int(ECONNRESET), isFromPeer: true), false, false),
    ])
    func `knows what is temporary`(error: SyncError, isTransient: Bool, dependsOnNetwork: Bool) {
        #expect(error.isTransient == isTransient)
        #expect(error.isNetworkDependent == dependsOnNetwork)
    }

    @Test func `says what happened and what to do`() {
        let error = SyncError.http(403, "not this one")
        #expect(
            error.description
                == "Replication (HTTP/403): not this one; check what this user, or this "
                + "replicator, may do"
        )
    }

    @Test func `waits twice as long each time and gives up after nine retries`() {
        var schedule = RetrySchedule(isContinuous: false)
        let lost = SyncError(.webSocket, 1006)
        var waits: [Duration] = []
        while case .retry(let wait) = schedule.failed(with: lost) { waits.append(wait) }
        #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 300].map { .seconds($0) })
        schedule.reset()
        #expect(schedule.failed(with: lost) == .retry(after: .seconds(2)))
    }

    @Test func `never gives up a continuous replication for a lost connection`() {
        var schedule = RetrySchedule(longestWait: .seconds(5), isContinuous: true)
        for _ in 0..<100 { _ = schedule.failed(with: SyncError(.webSocket, 1006)) }
        #expect(schedule.failed(with: SyncError(.webSocket, 503)) == .retry(after: .seconds(5)))
        #expect(schedule.failed(with: SyncError(.network, 20)) == .retry(after: .seconds(5)))
        #expect(schedule.failed(with: SyncError(.webSocket, 401)) == .giveUp)
    }

    @Test func `one attempt means no retry`() {
        var schedule = RetrySchedule(attemptCount: 1, isContinuous: true)
        #expect(schedule.failed(with: SyncError(.webSocket, 1006)) == .giveUp)
        var oneShot = RetrySchedule(isContinuous: false)
        #expect(oneShot.failed(with: SyncError(.network, 2)) == .giveUp)
    }
}
