import DivanTestKit
import Testing

/// Two processes that sync and are killed; `make kill-sync` does this 300 times.
@Suite(.timeLimit(.minutes(5))) struct KillSyncTests {
    @Test func `both sides are equal and complete after ten kills on either side`() throws {
        let outcome = try Program.built("divan-kill-sync").run([
            "run", "--kills", "10", "--documents", "600",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("nothing is lost, nothing is invented"), "\(outcome)")
    }

    /// `make converge` does it 50 times, with 200 rounds.
    @Test func `databases that sync in a ring are equal after kills`() throws {
        let outcome = try Program.built("divan-kill-sync").run([
            "converge", "--runs", "2", "--rounds", "12",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.lines.count { $0.contains("equal everywhere, nothing lost") } == 2)
    }

    /// The tool fails if more than a twentieth is sent twice; `make interrupt` makes
    /// twenty interruptions of 100,000 documents.
    ///
    /// Each may cost 600 of them if the machine is so busy that the peer seems far away,
    /// which is a twentieth of 12,000.
    @Test func `an interrupted sync sends hardly anything twice`() throws {
        let (times, count) = TestLength.of(("2", "24000"), long: ("3", "36000"))
        let outcome = try Program.built("divan-kill-sync").run([
            "interrupt", "--times", times, "--documents", count,
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("pull of \(count)"), "\(outcome)")
        #expect(outcome.output.contains("push of \(count)"), "\(outcome)")
    }
}
