import DivanTestKit
import Foundation
import Testing

/// How a command ends that somebody stops.
@Suite(.timeLimit(.minutes(5))) struct EndingTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a continuous sync that is stopped has done what it was for`(_ signal: Int32) throws {
        let server = try shell.serve("a", "--no-tls")
        try shell.write("errors", "")
        let follower = try shell.start(
            ["sync", "b", try server.url(), "--continuous"],
            errors: .file(shell.path("errors"))
        )
        try follower.wait(for: "idle")
        follower.process.signal(signal)
        #expect(follower.process.finish().status == 0)
        #expect(try shell.text("errors").isEmpty)
        server.stop()
    }

    @Test func `a sync is told who stopped it`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        let follower = try shell.startBash("exec divan sync b \(url) --continuous")
        try follower.wait(for: "Level with the peer")
        follower.signal(SIGTERM)
        let outcome = follower.finish()
        #expect(outcome.status == 0 && outcome.output.contains("stopped by SIGTERM"), "\(outcome)")
        server.stop()
    }

    @Test func `a continuous sync that never reached its peer has done nothing when it is stopped`()
        throws
    {
        let follower = try shell.startBash("exec divan sync b ws://127.0.0.1:1/a --continuous")
        try follower.wait(for: "refused")
        follower.signal(SIGTERM)
        let outcome = follower.finish()
        #expect(outcome.status == 130, "\(outcome)")
        #expect(outcome.output.contains("stopped by SIGTERM before it was level"), "\(outcome)")
    }

    /// Swift's runtime would look for the cause of a crash, for minutes.
    @Test(arguments: ["serve", "watch"])
    func `SIGQUIT ends a command at once`(_ verb: String) throws {
        try shell.write("errors", "")
        let words =
            verb == "serve" ? ["serve", "a", "--no-tls", "--interface", "127.0.0.1"] : [verb, "a"]
        let running = try shell.start(
            words,
            ["SWIFT_BACKTRACE": "enable=yes,interactive=no"],
            errors: .file(shell.path("errors"))
        )
        _ = try running.event { $0["event"] != nil }
        running.process.signal(SIGQUIT)
        #expect(running.process.finish().status == SIGQUIT)
        #expect(try shell.text("errors").isEmpty)
    }
}
