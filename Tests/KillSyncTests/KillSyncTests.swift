import DivanTestKit
import Testing

/// Two processes that sync and are killed; `make kill-sync` does the same 300 times.
@Suite(.timeLimit(.minutes(3))) struct KillSyncTests {
    @Test func `both sides end equal and nothing is lost when either is killed ten times`() throws {
        let outcome = try Program.built("divan-kill-sync").run([
            "run", "--kills", "10", "--documents", "600",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("nothing is lost, nothing is invented"), "\(outcome)")
    }
}
