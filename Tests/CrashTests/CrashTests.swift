import DivanTestKit
import Testing

/// Processes that write and are killed; `make crash` does the same 500 times.
@Suite(.timeLimit(.minutes(2))) struct CrashTests {
    @Test func `nothing acknowledged is lost when ten writers are killed`() throws {
        let outcome = try Program.built("divan-crash").run(["run", "--rounds", "10"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("10 writers killed"), "\(outcome)")
    }

    @Test func `one key opens what ten killed changes of keys leave`() throws {
        let outcome = try Program.built("divan-crash").run(["rekey", "--kills", "10"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("10 processes killed"), "\(outcome)")
    }
}
