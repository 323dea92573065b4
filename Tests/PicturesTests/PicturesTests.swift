import DivanTestKit
import Testing

/// The trial with few pictures; `make pictures` takes 10,000 of 1 MB.
@Suite(.timeLimit(.minutes(3))) struct PicturesTests {
    @Test func `pictures come when asked for, and go on where a cut ended them`() throws {
        let outcome = try Program.built("divan-pictures").run([
            "run", "--documents", "100", "--bytes", "400000", "--cuts", "5",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("the database is intact"), "\(outcome)")
    }
}
