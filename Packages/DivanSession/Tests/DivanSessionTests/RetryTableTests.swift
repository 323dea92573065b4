import DivanPlatform
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import DivanTransport
import DivanWebSocket
import Testing

/// When a lost connection is retried: `behaviour.md` §6 ("What is temporary", "Retry") and the
/// table of §7 line by line, in virtual time.
///
/// How the official configuration maps each value is tested with that configuration.
@Suite struct RetryTableTests {
    private static let refused = TransportError.Reason.system(
        call: "connect",
        errno: Errno.connectionRefused.rawValue
    )

    private func run(
        _ schedule: RetrySchedule,
        isContinuous: Bool,
        failure: TransportError.Reason = refused,
        for time: Duration
    ) -> VirtualRun {
        let setting = VirtualRun.Setting(
            isContinuous: isContinuous,
            retry: schedule,
            failure: failure
        )
        let run = VirtualRun(setting)
        run.run(for: time)
        return run
    }

    // MARK: maxAttempts

    @Test(arguments: [0, 10])
    func `maxAttempts one-shot, unset or 0: ten attempts, nine retries`(count: Int) {
        let schedule = RetrySchedule(attemptCount: count, isContinuous: false)
        let run = run(schedule, isContinuous: false, for: .seconds(100_000))
        #expect(run.waits == [2, 4, 8, 16, 32, 64, 128, 256, 300])
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.statuses.last?.error?.code == Int(Errno.connectionRefused.rawValue))
    }

    @Test(arguments: [false, true])
    func `maxAttempts 1: no retry`(isContinuous: Bool) {
        let schedule = RetrySchedule(attemptCount: 1, isContinuous: isContinuous)
        let run = run(schedule, isContinuous: isContinuous, for: .seconds(100_000))
        #expect(run.attempts == [.zero])
        #expect(run.activities == [.connecting, .stopped])
    }

    @Test(arguments: [2, 3, 7])
    func `maxAttempts counts the first attempt`(count: Int) {
        let schedule = RetrySchedule(attemptCount: count, isContinuous: true)
        let run = run(schedule, isContinuous: true, for: .seconds(100_000))
        #expect(run.attempts.count == count)
        #expect(run.statuses.last?.activity == .stopped)
    }

    @Test func `maxAttempts continuous, unset or 0: unlimited`() {
        let schedule = RetrySchedule(attemptCount: 0, isContinuous: true)
        let run = run(schedule, isContinuous: true, for: .seconds(3 * 24 * 3_600))
        #expect(run.attempts.count > 800)
        #expect(run.waits.suffix(800).allSatisfy { $0 == 300 })
        #expect(run.statuses.last?.activity == .offline)
    }

    @Test func `attempts are counted since the last connection that replicated`() {
        let schedule = RetrySchedule(attemptCount: 4, isContinuous: true)
        let run = VirtualRun(.init(isContinuous: true, retry: schedule, isListening: false))
        run.run(for: .seconds(7))  // 0, 2 and 6 s
        #expect(run.attempts.count == 3)
        run.listen()
        run.loop.run(for: .seconds(10))
        #expect(run.statuses.last?.activity == .idle)

        run.network.stopListening(at: "there")
        run.network.lose(.reset)
        run.loop.run(for: .seconds(10_000))
        #expect(run.statuses.last?.activity == .stopped)
        let afterLoss = run.waits.dropFirst(run.waits.count - 3)
        #expect(Array(afterLoss.dropFirst()) == [4, 8], "the count began anew")
        #expect(run.attempts.count == 7, "three before, the good one, and three more")
    }

    /// A server that completes the handshake and hangs up, a millisecond or a second later.
    private func isHungUpOn(
        _ schedule: RetrySchedule,
        isContinuous: Bool,
        after time: Duration,
        for total: Duration
    ) -> VirtualRun {
        let run = VirtualRun(
            .init(isContinuous: isContinuous, retry: schedule, isListening: false)
        )
        let (loop, network) = (run.loop, run.network)
        network.listen(
            at: "there",
            choosing: { $0.first },
            accept: { transport in
                transport.start(SilentReceiver())
                _ = loop.schedule(at: loop.now + time) { network.lose(.reset) }
            }
        )
        run.run(for: total)
        return run
    }

    @Test(arguments: [Duration.milliseconds(1), .seconds(1)], [false, true])
    func `a server that accepts and disconnects is retried up to maxAttempts`(
        after time: Duration,
        isContinuous: Bool
    ) {
        let schedule = RetrySchedule(attemptCount: 3, isContinuous: isContinuous)
        let run = isHungUpOn(
            schedule,
            isContinuous: isContinuous,
            after: time,
            for: .seconds(10_000)
        )
        #expect(run.attempts.count == 3)
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.statuses.last?.error != nil)
    }

    @Test func `the waits grow for a server that accepts and disconnects`() {
        let schedule = RetrySchedule(isContinuous: true)
        let run = isHungUpOn(
            schedule,
            isContinuous: true,
            after: .milliseconds(1),
            for: .seconds(2_000)
        )
        #expect(run.waits.prefix(9) == [2, 4, 8, 16, 32, 64, 128, 256, 300])
    }

    /// The connection is cut sooner or later after a start with a reset.
    @Test(arguments: 1...12)
    func `a reset is repeated until a connection has saved a checkpoint`(milliseconds: Int) throws {
        let run = VirtualRun(.init())
        _ = try run.there.write { try $0.save("a", in: .default, body: Array("{}".utf8)) }
        run.run(for: .seconds(5))
        #expect(try run.here.write { try $0.purge("a", in: .default) })
        let network = run.network
        var peer = TwoStores().active()
        guard case .active(var options) = peer.role else { return }
        options.isReset = true
        peer.role = .active(options)
        let subprotocols = peer.subprotocols
        var configuration = ActiveSession.Configuration(peer: peer) { _ in
            network.makeTransport(from: "here", to: "there", subprotocols: subprotocols)
        }
        configuration.retry = RetrySchedule(attemptCount: 5, isContinuous: false)
        configuration.runResolver = { [loop = run.loop] in loop.execute($0) }
        configuration.runStoring = { [loop = run.loop] in loop.execute($0) }
        let session = ActiveSession(store: run.here, configuration: configuration, loop: run.loop)
        session.start()
        run.loop.run(for: .milliseconds(milliseconds))
        network.lose(.reset)
        run.loop.run(for: .seconds(60))
        #expect(try run.here.read { try $0.document("a", in: .default) } != nil)
    }

    @Test func `a connection that pulled documents counts as a success`() throws {
        let schedule = RetrySchedule(attemptCount: 3, isContinuous: false)
        let run = VirtualRun(.init(retry: schedule))
        for number in 0..<3_000 {
            try run.here.write { writer in
                _ = try writer.save(
                    DocumentID(unchecked: "d\(number)"),
                    in: .default,
                    body: Array("{}".utf8)
                )
            }
        }
        run.session.start()
        for _ in 0..<6 {
            let before = run.documents.count
            for _ in 0..<20_000 where run.documents.count == before {
                run.loop.run(for: .milliseconds(1))
            }
            guard run.statuses.last?.activity != .stopped else { break }
            run.network.lose(.reset)
        }
        #expect(run.attempts.count > 3, "each of them brought something")
        run.loop.run(for: .seconds(1_000))
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.statuses.last?.error == nil)
        #expect(try run.there.read { try $0.count(in: .default) } == 3_000)
    }

    // MARK: Retry-After

    @Test(
        arguments: [
            ("7", [7, 7, 8]), ("1", [2, 4, 8]), ("120", [120, 120, 120]),
            ("99999999999999999999999", [300, 300, 300]), ("-5", [2, 4, 8]), ("1.5", [2, 4, 8]),
            ("soon", [2, 4, 8]), ("", [2, 4, 8]),
            ("Tue, 14 Nov 2023 22:13:50 GMT", [30, 30, 30]),
            ("Tuesday, 14-Nov-23 22:13:50 GMT", [30, 30, 30]),
            ("Tue Nov 14 22:13:50 2023", [30, 30, 30]),
            ("Fri, 31 Dec 9999 23:59:59 GMT", [300, 300, 300]),
            ("Sun, 06 Nov 1994 08:49:37 GMT", [2, 4, 8]),
        ],
        [429, 503]
    )
    func `Retry-After from a busy server sets the wait`(_ wish: (String, [Int64]), status: Int) {
        let setting = VirtualRun.Setting(
            retry: RetrySchedule(attemptCount: 4, isContinuous: false),
            failure: .refused(
                status: status,
                explanation: "",
                headers: ["Retry-After": wish.0]
            ),
            change: { $0.peer.secondsSince1970 = { 1_700_000_000 } }
        )
        let run = VirtualRun(setting)
        run.run(for: .seconds(2_000))
        #expect(run.waits == wish.1)
    }

    @Test func `maxAttemptWaitTime limits Retry-After`() {
        let schedule = RetrySchedule(
            attemptCount: 3,
            longestWait: .seconds(20),
            isContinuous: false
        )
        let failure = TransportError.Reason.refused(
            status: 503,
            explanation: "",
            headers: ["Retry-After": "3600"]
        )
        let run = run(schedule, isContinuous: false, failure: failure, for: .seconds(600))
        #expect(run.waits == [20, 20])
    }

    // MARK: maxAttemptWaitTime

    @Test(arguments: [Duration.zero, .seconds(300)])
    func `maxAttemptWaitTime unset or 0: 300 seconds`(longest: Duration) {
        let schedule = RetrySchedule(longestWait: longest, isContinuous: true)
        let run = run(schedule, isContinuous: true, for: .seconds(3_600))
        #expect(run.waits.prefix(12) == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300])
    }

    @Test func `maxAttemptWaitTime 1: one second`() {
        let schedule = RetrySchedule(longestWait: .seconds(1), isContinuous: false)
        let run = run(schedule, isContinuous: false, for: .seconds(100))
        #expect(run.waits == [Int64](repeating: 1, count: 9))
    }

    @Test(arguments: [(5, [2, 4, 5, 5, 5]), (100, [2, 4, 8, 16, 32, 64, 100, 100])])
    func `maxAttemptWaitTime is a cap, not a fixed wait`(longest: Int, expected: [Int64]) {
        let schedule = RetrySchedule(longestWait: .seconds(longest), isContinuous: true)
        let run = run(schedule, isContinuous: true, for: .seconds(1_000))
        #expect(Array(run.waits.prefix(expected.count)) == expected)
    }

    // MARK: heartbeat

    /// The interval itself and the time for a pong are tested by DivanWebSocket's `HeartbeatTests`.
    @Test(arguments: [(300, 320), (60, 80), (21, 41)])
    func `heartbeat: a silent peer is detected after the interval plus the pong timeout`(
        interval: Int,
        latest: Int
    ) {
        let schedule = RetrySchedule(isContinuous: true)
        let run = VirtualRun(
            .init(isContinuous: true, retry: schedule, heartbeat: .seconds(interval))
        )
        run.run(for: .seconds(5))
        #expect(run.statuses.last?.activity == .idle)
        let lost = run.loop.now
        run.network.setIsolated(true, host: "there")
        run.loop.run(for: .seconds(1_000))
        let noticed = run.timedStatuses.first { $0.status.activity == .offline }
        #expect(noticed?.status.error?.isTransient == true)
        let wait = (noticed?.time ?? .zero) - lost
        #expect(wait <= .seconds(latest))
    }

    // MARK: What is temporary

    @Test(arguments: [408, 429, 500, 502, 503, 504], [false, true])
    func `temporary in both modes: a busy server`(status: Int, isContinuous: Bool) {
        let schedule = RetrySchedule(attemptCount: 3, isContinuous: isContinuous)
        let failure = TransportError.Reason.refused(status: status, explanation: "", headers: [:])
        let run = run(schedule, isContinuous: isContinuous, failure: failure, for: .seconds(60))
        #expect(run.waits == [2, 4])
        #expect(run.statuses.last?.error?.code == status)
    }

    @Test(
        arguments: [
            Errno.networkReset, .connectionAbort, .connectionReset, .timedOut, .connectionRefused,
        ].map(\.rawValue),
        [false, true]
    )
    func `temporary in both modes: a lost connection`(number: Int32, isContinuous: Bool) {
        let schedule = RetrySchedule(attemptCount: 3, isContinuous: isContinuous)
        let failure = TransportError.Reason.system(call: "connect", errno: number)
        let run = run(schedule, isContinuous: isContinuous, failure: failure, for: .seconds(60))
        #expect(run.waits == [2, 4])
    }

    @Test(arguments: [false, true])
    func `temporary in both modes: a connection that ends without a close frame`(isContinuous: Bool)
    {
        let schedule = RetrySchedule(attemptCount: 2, isContinuous: isContinuous)
        let run = run(
            schedule,
            isContinuous: isContinuous,
            failure: .abnormalClose,
            for: .seconds(60)
        )
        #expect(run.waits == [2])
        #expect(run.statuses.last?.error?.code == 1006)
    }

    private static let networkNumbers = [
        Errno.networkDown, .networkUnreachable, .socketNotConnected, .hostIsDown, .noRouteToHost,
        .addressNotAvailable, .brokenPipe,
    ].map(\.rawValue)

    @Test(arguments: networkNumbers)
    func `network-dependent: continuous replications retry like after any other error`(
        number: Int32
    ) {
        let schedule = RetrySchedule(longestWait: .seconds(5), isContinuous: true)
        let failure = TransportError.Reason.system(call: "connect", errno: number)
        let run = run(schedule, isContinuous: true, failure: failure, for: .seconds(60))
        #expect(run.waits.prefix(5) == [2, 4, 5, 5, 5])
    }

    @Test func `an unknown host is retried only by continuous replications`() {
        for (isContinuous, waits) in [(false, []), (true, [2, 4, 5])] as [(Bool, [Int64])] {
            let schedule = RetrySchedule(
                attemptCount: 4,
                longestWait: .seconds(5),
                isContinuous: isContinuous
            )
            let run = run(
                schedule,
                isContinuous: isContinuous,
                failure: .unknownHost("nowhere"),
                for: .seconds(60)
            )
            #expect(run.waits == waits)
            #expect(run.statuses.last?.error == run.statuses.compactMap(\.error).last)
        }
    }

    @Test(arguments: networkNumbers)
    func `network-dependent: one-shot replications give up`(number: Int32) {
        let failure = TransportError.Reason.system(call: "connect", errno: number)
        let schedule = RetrySchedule(isContinuous: false)
        let run = run(schedule, isContinuous: false, failure: failure, for: .seconds(60))
        #expect(run.activities == [.connecting, .stopped])
    }

    @Test(arguments: [400, 401, 403, 404, 405, 407, 413, 501], [false, true])
    func `all other errors are permanent`(status: Int, isContinuous: Bool) {
        let schedule = RetrySchedule(isContinuous: isContinuous)
        let failure = TransportError.Reason.refused(status: status, explanation: "", headers: [:])
        let run = run(schedule, isContinuous: isContinuous, failure: failure, for: .seconds(60))
        #expect(run.activities == [.connecting, .stopped])
        #expect(run.statuses.last?.error?.code == status)
    }

    // MARK: A change of the network

    @Test func `a network change retries immediately and resets the counter`() {
        let schedule = RetrySchedule(attemptCount: 5, isContinuous: true)
        let run = run(schedule, isContinuous: true, for: .seconds(15))  // 0, 2, 6, 14
        #expect(run.attempts.count == 4)
        run.session.retryNow()
        run.loop.run(for: .seconds(1))
        #expect(run.attempts.last == .seconds(15))
        run.loop.run(for: .seconds(10_000))
        #expect(run.waits == [2, 4, 8, 1, 2, 4, 8, 16])
        #expect(run.statuses.last?.activity == .stopped)
    }
}

/// A peer that sends nothing.
private final class SilentReceiver: MessageReceiver {
    func transportDidOpen(_ info: TransportPeer) {}
    func transportDidReceive(_ message: ArraySlice<UInt8>) {}
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}
    func transportDidClose(_ close: TransportClose) {}
}
