import DivanTestKit
import Testing

/// Clients in two processes edit while connections are cut; `make soak` uses 200 in eight.
@Suite(.timeLimit(.minutes(5))) struct SoakTests {
    @Test func `six clients have equal documents at the end although their connections are cut`()
        throws
    {
        let outcome = try Program.built("divan-soak").run([
            "run", "--minutes", "1", "--clients", "6", "--processes", "2",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("all databases equal: yes"), "\(outcome)")
    }
}
