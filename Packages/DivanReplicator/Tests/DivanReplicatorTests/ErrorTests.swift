import DivanPlatform
import DivanReplicator
import Testing

/// The meaning of errors, and when to retry.
@Suite struct ErrorTests {
    @Test(
        arguments: [
            (SyncError(.webSocket, 503), .retry), (SyncError(.webSocket, 1006), .retry),
            (SyncError(.webSocket, 4001), .retry), (SyncError(.webSocket, 4002), .none),
            (SyncError(.webSocket, 500), .none), (SyncError(.webSocket, 401), .none),
            (SyncError(.webSocket, 1001), .whenContinuous), (SyncError(.network, 3), .retry),
            (SyncError(.network, 2), .whenContinuous), (SyncError(.network, 11), .none),
            (SyncError(.network, 19), .retry), (SyncError(.network, 27), .whenContinuous),
            (SyncError(.posix, Int(Errno.connectionReset.rawValue)), .retry),
            (SyncError(.posix, Int(Errno.noRouteToHost.rawValue)), .whenContinuous),
            (SyncError(.posix, Int(Errno.noSpace.rawValue)), .none),
            (SyncError(.liteCore, 26), .none),
            (SyncError(.posix, Int(Errno.connectionReset.rawValue), isFromPeer: true), .none),
        ] as [(SyncError, SyncError.Recovery)]
    )
    func `classifies errors as temporary or permanent`(
        error: SyncError,
        recovery: SyncError.Recovery
    ) {
        #expect(error.recovery == recovery)
    }

    @Test func `an error message says what happened and what to do`() {
        let error = SyncError.http(HTTPStatus(rawValue: 403), "not this one")
        #expect(
            error.description
                == "replication (HTTP/403): not this one; check the permissions of "
                + "the user and of the replicator"
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

    @Test func `never gives up a continuous replication because of a lost connection`() {
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
