import DivanPlatform
import DivanReplicator
import DivanSession
import DivanStore
import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// Connections that fail or end: what is retried, how often, and what ends a session.
@Suite(.timeLimit(.minutes(5))) struct RetryTests {
    private func run(
        failing reason: TransportError.Reason,
        retry: RetrySchedule?,
        isContinuous: Bool = false
    ) async -> [SyncStatus] {
        let stores = TwoStores()
        let peer = stores.active(isContinuous: isContinuous)
        var configuration = ActiveSession.Configuration(peer: peer) { loop in
            ClosedTransport(
                loop: loop,
                ending: .failed(TransportError(reason, place: "ws://there/db"))
            )
        }
        configuration.retry = retry
        return await Run(stores.here, configuration).toTheEnd()
    }

    private func schedule(_ count: Int, isContinuous: Bool = false) -> RetrySchedule {
        RetrySchedule(
            attemptCount: count,
            longestWait: .milliseconds(2),
            isContinuous: isContinuous
        )
    }

    @Test func `a temporary error is retried up to the attempt limit`() async {
        let statuses = await run(
            failing: .system(call: "connect", errno: Errno.connectionRefused.rawValue),
            retry: schedule(3)
        )
        let expected: [SyncStatus.Activity] = [
            .connecting, .offline, .connecting, .offline, .connecting, .stopped,
        ]
        #expect(statuses.map(\.activity) == expected)
        #expect(statuses.last?.error?.domain == .posix)
        #expect(statuses.last?.error?.code == Int(Errno.connectionRefused.rawValue))
        #expect(statuses[2].error == nil, "the error is cleared when the next attempt starts")
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `a busy server is retried`(status: Int) async {
        let statuses = await run(
            failing: .refused(status: status, explanation: "", headers: [:]),
            retry: schedule(2)
        )
        #expect(statuses.map(\.activity).contains(.offline))
        #expect(statuses.last?.error?.code == status)
    }

    @Test(arguments: [400, 401, 403, 404])
    func `a refusal is not retried`(status: Int) async {
        let statuses = await run(
            failing: .refused(status: status, explanation: "", headers: [:]),
            retry: schedule(5)
        )
        #expect(statuses.map(\.activity) == [.connecting, .stopped])
        #expect(statuses.last?.error?.domain == .webSocket)
        #expect(statuses.last?.error?.code == status)
    }

    @Test func `without a schedule nothing is retried`() async {
        let statuses = await run(failing: .abnormalClose, retry: nil)
        #expect(statuses.map(\.activity) == [.connecting, .stopped])
        #expect(statuses.last?.error?.code == 1006)
    }

    @Test func `a transport that cannot be created ends the session`() async {
        struct NoTransport: Error {}
        let stores = TwoStores()
        let configuration = ActiveSession.Configuration(peer: stores.active()) { _ in
            throw NoTransport()
        }
        let statuses = await Run(stores.here, configuration).toTheEnd()
        #expect(statuses.last?.activity == .stopped)
        #expect(statuses.last?.error != nil)
    }

    @Test func `stop ends the wait`() async {
        let stores = TwoStores()
        var configuration = ActiveSession.Configuration(peer: stores.active()) { loop in
            ClosedTransport(
                loop: loop,
                ending: .failed(TransportError(.abnormalClose, place: "there"))
            )
        }
        configuration.retry = RetrySchedule(longestWait: .seconds(300), isContinuous: false)
        let run = Run(stores.here, configuration)
        run.session.start()
        #expect(await run.reached(.offline)?.error?.code == 1006)
        run.session.stop()
        let last = await run.reached(.stopped)
        #expect(last != nil)
        #expect(last?.error == nil)
    }

    @Test func `a network change ends the wait`() async {
        let stores = TwoStores()
        let attempts = Atomic(0)
        let working = stores.configuration().makeTransport
        var configuration = ActiveSession.Configuration(peer: stores.active()) { loop in
            if attempts.add(1, ordering: .relaxed).newValue > 1 { return try working(loop) }
            let error = TransportError(.abnormalClose, place: "there")
            return ClosedTransport(loop: loop, ending: .failed(error))
        }
        configuration.retry = RetrySchedule(longestWait: .seconds(300), isContinuous: false)
        let run = Run(stores.here, configuration)
        run.session.start()
        #expect(await run.reached(.offline) != nil)
        run.session.retryNow()
        let last = await run.reached(.stopped)
        #expect(last != nil)
        #expect(last?.error == nil)
    }

    @Test func `a peer that shuts down ends a continuous session with 1001`() async {
        let stores = TwoStores()
        let passives = Passives()
        let peer = stores.active(isContinuous: true)
        let retry = schedule(5, isContinuous: true)
        let configuration = stores.configuration(peer, retry: retry, passives: passives)
        let run = Run(stores.here, configuration)
        run.session.start()
        #expect(await run.reached(.idle) != nil)
        passives.last?.close(code: 1001, reason: CloseCode.stoppedReason)
        #expect(await run.reached(.stopped)?.error == SyncError(.webSocket, 1001))
    }

    @Test func `a peer that closes with 4001 is retried`() async {
        let stores = TwoStores()
        let passives = Passives()
        let peer = stores.active(isContinuous: true)
        let retry = schedule(5, isContinuous: true)
        let configuration = stores.configuration(peer, retry: retry, passives: passives)
        let run = Run(stores.here, configuration)
        run.session.start()
        #expect(await run.reached(.idle) != nil)
        passives.last?.close(code: 4001)
        #expect(await run.reached(.offline)?.error?.code == 4001)
        #expect(await run.reached(.idle) != nil)
        run.session.stop()
        #expect(await run.reached(.stopped)?.error == nil)
    }

    @Test func `a session that is stopped before its start ends immediately`() async {
        let stores = TwoStores()
        let peer = stores.active(isContinuous: true)
        let run = Run(stores.here, stores.configuration(peer))
        run.session.stop()
        let last = await run.toTheEnd().last
        #expect(last?.activity == .stopped)
        #expect(last?.error == nil)
    }
}
