import DivanTestKit
import Testing

/// The trial with few queries; `make live` takes 1,000 and 100,000 commits.
@Suite(.timeLimit(.minutes(5))) struct LiveTests {
    @Test func `fifty live queries report every change and nothing else`() throws {
        let outcome = try Program.built("divan-live").run([
            "run", "--queries", "56", "--lists", "14", "--commits", "2000", "--chairs", "300",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("missed: 0, needless: 0, wrong: 0"), "\(outcome)")
    }
}
