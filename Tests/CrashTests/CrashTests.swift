import DivanTestKit
import Testing

/// Processes that write and are killed; `make crash` does this 500 times.
@Suite(.timeLimit(.minutes(5))) struct CrashTests {
    @Test func `nothing acknowledged is lost when ten writers are killed`() throws {
        let outcome = try Program.built("divan-crash").run(["run", "--rounds", "10"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("10 writers killed"), "\(outcome)")
        #expect(!outcome.output.contains("\n  0 steps acknowledged"), "\(outcome)")
    }

    /// The first database of this seed packs its bodies.
    @Test func `nothing is lost when writers are killed during compression`() throws {
        let words = ["run", "--rounds", "10", "--seed", "447216"]
        let outcome = try Program.built("divan-crash").run(words)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.output.contains("10 rounds on 1 databases that compress bodies"),
            "\(outcome)"
        )
    }

    @Test func `a database has one valid key after ten killed rekeys`() throws {
        let outcome = try Program.built("divan-crash").run(["rekey", "--kills", "10"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("10 processes killed"), "\(outcome)")
        #expect(!outcome.output.contains("\n  0 changes told"), "\(outcome)")
    }
}
