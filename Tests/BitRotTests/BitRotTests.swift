import DivanTestKit
import Testing

/// Flipped bits; `make bitrot` flips 1,000 in a database of 3,000 documents.
@Suite(.timeLimit(.minutes(5))) struct BitRotTests {
    @Test
    func `flipped bits are detected, not synced, and repaired`() throws {
        let outcome = try Program.built("divan-bitrot").run([
            "--flips", "60", "--documents", "200", "--syncs", "10",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains(" 0 not found by the check"), "\(outcome)")
        #expect(outcome.output.contains(" 0 changes spread"), "\(outcome)")
        #expect(outcome.output.contains(" 0 left and told, 0 wrong"), "\(outcome)")
    }
}
