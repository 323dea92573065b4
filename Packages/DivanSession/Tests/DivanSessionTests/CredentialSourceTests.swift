import DivanReplicator
import DivanSession
import DivanSimulation
import DivanTransport
import DivanWebSocket
import Synchronization
import Testing

/// Credentials that have to be fetched: when they are requested, and how the status shows it.
@Suite(.timeLimit(.minutes(5))) struct CredentialSourceTests {
    /// Answers at once with the next of its outcomes, and counts.
    private final class StubCredentialSource: Sendable {
        let outcomes: Mutex<[CredentialSource.Outcome]>
        let askCount = Atomic(0)
        let refusals = Atomic(0)
        let life: Duration?

        init(_ outcomes: [CredentialSource.Outcome] = [], life: Duration? = nil) {
            self.outcomes = Mutex(outcomes)
            self.life = life
        }

        var source: CredentialSource {
            CredentialSource(
                obtain: { answer in
                    self.askCount.add(1, ordering: .relaxed)
                    answer(self.outcomes.withLock { $0.isEmpty ? .ready : $0.removeFirst() })
                },
                refused: { self.refusals.add(1, ordering: .relaxed).newValue == 1 },
                accepted: { self.life }
            )
        }
    }

    private static let missing = SyncError(.http(.unauthorized), "no token")

    private func setting(_ desk: StubCredentialSource) -> VirtualRun.Setting {
        var setting = VirtualRun.Setting()
        setting.change = { $0.credentials = desk.source }
        return setting
    }

    @Test func `credentials are requested before connecting, and the status shows it`() {
        let desk = StubCredentialSource()
        let run = VirtualRun(setting(desk))
        run.run(for: .seconds(10))
        #expect(desk.askCount.load(ordering: .relaxed) == 1)
        #expect(run.activities == [.connecting, .busy, .stopped])
        #expect(run.statuses.first?.needsCredentials == true)
        #expect(run.statuses.dropFirst().first?.needsCredentials == false)
        #expect(run.statuses.last?.error == nil)
    }

    @Test func `unavailable credentials are requested again like after a lost connection`() {
        let desk = StubCredentialSource([
            .unavailable(Self.missing), .unavailable(Self.missing), .ready,
        ])
        var setting = setting(desk)
        setting.retry = RetrySchedule(isContinuous: false)
        let run = VirtualRun(setting)
        run.run(for: .seconds(20))
        #expect(
            run.activities == [
                .connecting, .offline, .connecting, .offline, .connecting, .busy, .stopped,
            ]
        )
        let offline = run.statuses.first { $0.activity == .offline }
        #expect(offline?.needsCredentials == true)
        #expect(offline?.error == Self.missing)
        #expect(run.attempts.map(\.components.seconds) == [6], "2 s, then 4 s")
    }

    @Test func `denied credentials end the run`() {
        let desk = StubCredentialSource([.denied(Self.missing)])
        var setting = setting(desk)
        setting.retry = RetrySchedule(isContinuous: true)
        setting.isContinuous = true
        let run = VirtualRun(setting)
        run.run(for: .seconds(20))
        #expect(run.activities == [.connecting, .stopped])
        #expect(run.statuses.last?.needsCredentials == true)
        #expect(run.statuses.last?.error == Self.missing)
        #expect(run.attempts.isEmpty)
    }

    @Test func `the first 401 requests credentials again, the second ends the run`() {
        let desk = StubCredentialSource()
        var setting = setting(desk)
        setting.retry = RetrySchedule(isContinuous: true)
        setting.failure = .refused(status: 401, explanation: "", headers: [:])
        let run = VirtualRun(setting)
        run.run(for: .seconds(100))
        #expect(desk.askCount.load(ordering: .relaxed) == 2)
        #expect(run.attempts.count == 2)
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.statuses.last?.error?.code == 401)
        #expect(run.statuses.last?.needsCredentials == true)
    }

    @Test func `credentials are renewed during a connection`() {
        let desk = StubCredentialSource(life: .seconds(60))
        var setting = setting(desk)
        setting.isContinuous = true
        let run = VirtualRun(setting)
        run.run(for: .seconds(200))
        #expect(desk.askCount.load(ordering: .relaxed) == 4, "at 0, 60, 120 and 180 s")
        #expect(run.attempts.count == 1)
        #expect(run.statuses.last?.activity == .idle)
        run.session.stop()
        run.loop.run(for: .seconds(200))
        #expect(desk.askCount.load(ordering: .relaxed) == 4, "nobody is asked after the end")
    }

    @Test func `a stall is reported while credentials are missing, and stop ends the wait`() {
        var setting = VirtualRun.Setting()
        setting.change = { configuration in
            configuration.credentials = CredentialSource(
                obtain: { _ in },
                refused: { false },
                accepted: { nil }
            )
        }
        let run = VirtualRun(setting)
        run.run(for: .seconds(12))
        #expect(run.statuses.last?.stall?.description == "credentials from the application, 10 s")
        let waits = Mutex<[SyncWait]>([])
        run.session.waits { found in waits.withLock { $0 = found } }
        run.loop.run(for: .zero)
        #expect(
            waits.withLock { $0.map(\.description) } == ["credentials from the application, 12 s"]
        )
        run.session.stop()
        run.loop.run(for: .seconds(100))
        #expect(run.statuses.last?.activity == .stopped)
        #expect(run.statuses.last?.stall == nil)
        #expect(run.statuses.last?.error == nil)
    }
}
