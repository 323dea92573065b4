import DivanTestKit
import Testing

/// A listener in a separate process is attacked; `make attack` adds floods and sudden ends.
///
/// Source: `behaviour.md` §13, §14; `tls-and-auth.md` §4.
@Suite(.timeLimit(.minutes(5))) struct AttackTests {
    @Test func `every attack has the expected result and leaks nothing into logs`() throws {
        let outcome = try Program.built("divan-attack").run(["run", "--quick"])
        #expect(!outcome.lines.contains { $0.hasPrefix("UNEXPECTED") })
        #expect(outcome.status == 0, "\(outcome.output.suffix(600))")
        #expect(outcome.output.contains("holds 0 secrets and bodies"))
    }
}
