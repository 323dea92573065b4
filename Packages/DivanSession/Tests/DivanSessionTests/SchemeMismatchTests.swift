import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTransport
import DivanWebSocket
import Testing

/// What a session reports when the peer's database names revisions differently, for each way in which servers say so.
@Suite struct SchemeMismatchTests {
    @Test(arguments: [RevisionScheme.trees, .vectors], [false, true])
    func `databases with different revision schemes report it and do not retry`(
        scheme: RevisionScheme,
        isContinuous: Bool
    ) {
        let offered = Subprotocol.offered(for: scheme)
        for failure in [
            TransportError.Reason.refused(status: 400, explanation: "", headers: [:]),
            .refused(status: 400, explanation: "Bad Request", headers: [:]),
            .refused(
                status: 400,
                explanation: "supported subprotocols: BLIP_3+CBMobile_3",
                headers: [:]
            ),
            .refused(status: 500, explanation: "no common protocol", headers: [:]),
            .handshake(HandshakeError(reason: .noSubprotocol(offered: offered))),
        ] {
            let setting = VirtualRun.Setting(
                isContinuous: isContinuous,
                retry: RetrySchedule(isContinuous: isContinuous),
                failure: failure,
                here: .inMemory(scheme: scheme)
            )
            let run = VirtualRun(setting)
            run.run(for: .seconds(60))
            #expect(run.activities == [.connecting, .stopped], "\(failure)")
            let text = run.statuses.last?.error?.message ?? ""
            let own = scheme == .trees ? "revision trees" : "version vectors"
            #expect(text.contains("this database uses \(own)"), "\(text)")
            #expect(text.contains("divan upgrade"), "\(text)")
        }
    }

    @Test func `other refusals are not reported as a revision scheme mismatch`() {
        for explanation in ["invalid database name", "page not found"] {
            let run = VirtualRun(
                .init(failure: .refused(status: 400, explanation: explanation, headers: [:]))
            )
            run.run(for: .seconds(60))
            let text = run.statuses.last?.error?.message ?? ""
            #expect(text.contains(explanation) && !text.contains("revision trees"), "\(text)")
        }
    }
}
