import DivanConflicts
import DivanReplicator
import DivanRevisions
import DivanSession
import DivanSimulation
import DivanStore
import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// The states of a session in order: `behaviour.md` §6, rule by rule, in virtual time.
@Suite struct LifeCycleTests {
    private func run(
        isContinuous: Bool = false,
        retry: RetrySchedule? = nil,
        _ change: @escaping @Sendable (inout ActiveSession.Configuration) -> Void = { _ in }
    ) -> VirtualRun {
        VirtualRun(.init(isContinuous: isContinuous, retry: retry, change: change))
    }

    @Test func `rule 1: the first event after start is connecting`() {
        let run = run()
        run.run(for: .seconds(1))
        #expect(run.statuses.first?.activity == .connecting)
    }

    @Test func `rule 1: start while not stopped is ignored`() {
        let run = run(isContinuous: true)
        run.run(for: .seconds(1))
        let count = run.statuses.count
        run.session.start()
        run.loop.run(for: .seconds(1))
        #expect(run.statuses.count == count)
        #expect(run.attempts.count == 1)
    }

    @Test func `rule 2: continuous becomes busy, idle, and busy again with each change`() throws {
        let run = run(isContinuous: true)
        try run.here.put("a", 1)
        run.run(for: .seconds(1))
        #expect(run.activities == [.connecting, .busy, .idle])
        try run.here.put("a", 2)
        run.loop.run(for: .seconds(1))
        #expect(run.activities.suffix(2) == [.busy, .idle])
        try run.there.put("b", 1)
        run.loop.run(for: .seconds(1))
        #expect(run.activities == [.connecting, .busy, .idle, .busy, .idle, .busy, .idle])
        #expect(try run.here.text("b") == #"{"value":1}"#)
    }

    @Test func `rule 2: one-shot is never idle and stops without an error`() throws {
        let run = run()
        for number in 0..<50 { try run.here.put(DocumentID(unchecked: "\(number)"), number) }
        run.run(for: .seconds(5))
        #expect(run.activities == [.connecting, .busy, .stopped])
        #expect(run.statuses.last?.error == nil)
    }

    @Test func `rule 3: progress is reported at most five times a second`() throws {
        let run = run(isContinuous: true)
        for number in 0..<2_000 { try run.here.put(DocumentID(unchecked: "\(number)"), number) }
        run.run(for: .seconds(10))
        #expect(run.statuses.last?.activity == .idle)
        let busy = run.timedStatuses.filter { $0.status.activity == .busy }.map(\.time)
        let close = zip(busy.dropFirst(), busy).filter { $0 - $1 < .milliseconds(200) }
        #expect(close.count <= 1, "only the first may follow its level at once")
    }

    @Test func `rule 4: after a temporary error the session is offline, then connecting`() {
        let run = run(isContinuous: true, retry: RetrySchedule(isContinuous: true))
        run.run(for: .seconds(1))
        run.network.lose(.reset)
        run.loop.run(for: .seconds(5))
        #expect(run.activities == [.connecting, .busy, .idle, .offline, .connecting, .busy, .idle])
        let offline = run.statuses.first { $0.activity == .offline }
        #expect(offline?.error != nil)
    }

    @Test func `rule 5: a permanent error stops the session`() {
        let refusal = TransportError.Reason.refused(status: 401, explanation: "", headers: [:])
        let run = VirtualRun(.init(retry: RetrySchedule(isContinuous: false), failure: refusal))
        run.run(for: .seconds(10))
        #expect(run.activities == [.connecting, .stopped])
        #expect(run.statuses.last?.error?.code == 401)
    }

    @Test func `rule 6: calling stop twice reports stopped once`() {
        let run = run(isContinuous: true)
        run.run(for: .seconds(1))
        run.session.stop()
        run.session.stop()
        #expect(run.statuses.last?.activity == .idle, "it does not happen inside the call")
        run.loop.run(for: .seconds(10))
        run.session.stop()
        run.loop.run(for: .seconds(10))
        #expect(run.statuses.map(\.activity).filter { $0 == .stopped }.count == 1)
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.statuses.last?.error == nil)
    }

    /// A resolver that runs until the test releases it.
    private final class SlowResolver: Sendable {
        let waiting = Mutex<[@Sendable () -> Void]>([])

        func finish() {
            for work in waiting.withLock({ list in
                defer { list = [] }
                return list
            }) { work() }
        }
    }

    private func conflicted(isContinuous: Bool) throws -> (VirtualRun, SlowResolver) {
        let resolver = SlowResolver()
        let run = run(isContinuous: isContinuous) { configuration in
            configuration.runResolver = { work in resolver.waiting.withLock { $0.append(work) } }
        }
        try run.here.put("a", 1)
        try run.there.put("a", 2)
        run.run(for: .seconds(60))
        return (run, resolver)
    }

    @Test func `rule 6: idle is reported only after conflicts are resolved`() throws {
        let (run, resolver) = try conflicted(isContinuous: true)
        #expect(!run.activities.contains(.idle))
        resolver.finish()
        run.loop.run(for: .seconds(10))
        #expect(run.activities.last == .idle)
        #expect(try run.here.text("a") == run.there.text("a"))
    }

    @Test func `rule 6: stopped is reported only after conflicts are resolved`() throws {
        let (run, resolver) = try conflicted(isContinuous: true)
        run.session.stop()
        run.loop.run(for: .seconds(60))
        #expect(run.activities.last == .busy)
        resolver.finish()
        run.loop.run(for: .seconds(1))
        #expect(run.activities.last == .stopped)
        #expect(try run.here.read { try $0.conflicts(in: .default) } == [])
    }

    @Test func `rule 6: a one-shot run waits for its conflicts and pushes the result`() throws {
        let (run, resolver) = try conflicted(isContinuous: false)
        #expect(run.activities.last == .busy)
        resolver.finish()
        run.loop.run(for: .seconds(10))
        #expect(run.activities.last == .stopped)
        #expect(try run.here.text("a") == run.there.text("a"))
    }

    @Test func `rule 7: the status shows the current error until the next attempt starts`() {
        let run = run(isContinuous: true, retry: RetrySchedule(isContinuous: true))
        run.run(for: .seconds(1))
        run.network.lose(.reset)
        run.loop.run(for: .seconds(5))
        for status in run.statuses {
            #expect((status.error != nil) == (status.activity == .offline), "\(status.activity)")
        }
    }

    @Test func `rule 7: document errors never appear in the status`() throws {
        let active = TwoStores().active { $0.pullFilter = { _ in false } }
        let run = run { $0.peer = active }
        try run.there.put("a", 1)
        run.run(for: .seconds(5))
        #expect(run.documents.map(\.error?.code) == [403])
        #expect(run.statuses.allSatisfy { $0.error == nil })
    }

    @Test func `rule 8: progress counts units, grows, and ends complete`() throws {
        let run = run()
        for number in 0..<500 { try run.there.put(DocumentID(unchecked: "\(number)"), number) }
        run.run(for: .seconds(10))
        let totals = run.statuses.map(\.totalUnitCount)
        #expect(totals == totals.sorted(), "the total grows")
        #expect(totals.first == 0)
        let last = try #require(run.statuses.last)
        #expect(last.completedUnitCount == last.totalUnitCount)
        #expect(last.totalUnitCount > 500, "units are not documents")
        #expect(last.documentCount == 500)
    }

    @Test func `rule 10: a change after stop is not replicated`() throws {
        let run = run(isContinuous: true)
        run.run(for: .seconds(1))
        run.session.stop()
        run.loop.run(for: .seconds(5))
        let count = run.statuses.count
        try run.here.put("late", 1)
        run.loop.run(for: .seconds(5))
        #expect(run.statuses.count == count)
        #expect(try run.there.text("late") == nil)
    }

    @Test(arguments: [
        (UInt16(1001), CloseCode.stoppedReason, SyncStatus.Activity.stopped), (1001, "", .idle),
        (1001, "database offline", .idle), (1000, "", .idle), (1012, "", .idle),
        (1013, "", .idle), (1014, "", .idle), (4001, "", .idle),
    ])
    func `listener stopped: only a close that says so ends a continuous run`(
        code: UInt16,
        reason: String,
        last: SyncStatus.Activity
    ) async {
        let stores = TwoStores()
        let passives = Passives()
        let peer = stores.active(isContinuous: true)
        let retry = RetrySchedule(longestWait: .milliseconds(1), isContinuous: true)
        let run = Run(stores.here, stores.configuration(peer, retry: retry, passives: passives))
        run.session.start()
        #expect(await run.reached(.idle) != nil)
        passives.last?.close(code: code, reason: reason)
        if last == .idle { #expect(await run.reached(.offline) != nil) }
        let end = await run.reached(last)
        #expect(end?.error?.code == (last == .stopped ? 1001 : nil))
        run.session.stop()
    }

    @Test func `listener died: an end without a close frame is retried`() {
        let run = run(isContinuous: true, retry: RetrySchedule(isContinuous: true))
        run.run(for: .seconds(1))
        for loss in [SimulatedLoss.reset, .silence] {
            run.network.lose(loss)
            run.loop.run(for: .seconds(1_000))
            #expect(run.statuses.last?.activity == .idle, "\(loss)")
        }
    }
}
