import DivanTestKit
import Testing

/// The trial with few pictures; `make pictures` takes 10,000 of 1 MB.
@Suite(.timeLimit(.minutes(5))) struct PicturesTests {
    @Test func `blobs are fetched on demand and resume after a lost connection`() throws {
        let outcome = try Program.built("divan-pictures").run([
            "run", "--documents", "100", "--bytes", "400000", "--cuts", "5",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("the database is intact"), "\(outcome)")
    }
}
