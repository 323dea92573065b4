import DivanTestKit
import Foundation
import Testing

/// The clock is changed while peers shake hands and sync: deadlines depend on the monotonic clock, and
/// a pinned certificate on no clock at all.
@Suite(.timeLimit(.minutes(5))) struct ClockTests {
    /// Whose clock jumps.
    enum Side: CaseIterable {
        case server, client, both
    }

    private let shell: Shell
    private let jumping: [String: String]

    init() throws {
        shell = try Shell()
        jumping = try shell.preloading("clock_jumps")
    }

    @Test func `the preloaded test library makes the clock jump`() throws {
        let outcome = try shell.bash(
            "for number in {1..60}; do date +%Y; done",
            environment: jumping
        )
        #expect(Set(outcome.lines).count > 1, "\(outcome)")
    }

    /// A wait until a time of the wall clock would take a day here.
    @Test(arguments: ["watch", "query"])
    func `commands that poll do not depend on the wall clock`(_ verb: String) throws {
        try shell.run("new", "a")
        try shell.write("clock", "86400")
        var environment = try shell.preloading("clock_moved")
        environment["DIVAN_TEST_CLOCK"] = shell.path("clock")
        let words =
            verb == "watch"
            ? ["watch", "a"] : ["query", "a", "SELECT META().id FROM _", "--watch"]
        try shell.run("put", "a", "first", "{}")
        let command = try shell.start(words, environment)
        // From then on, it polls, and Ctrl-C ends it with success.
        if verb == "watch" {
            _ = try command.event(named: "watching")
        } else {
            _ = try command.event { $0["id"] as? String == "first" }
        }
        try shell.run("put", "a", "one", "{}")
        _ = try command.event { $0["id"] as? String == "one" }
        #expect(command.stop() == 0)
    }

    @Test(arguments: Side.allCases)
    func `pulls over TLS complete while the clock jumps`(side: Side) throws {
        try shell.write("secret", "plover")
        try shell.run("new", "a")
        for number in 0..<10 { try shell.run("put", "a", "doc-\(number)", #"{"n":\#(number)}"#) }
        let server = try shell.start(
            [
                "serve", "a", "--interface", "127.0.0.1", "--user", "ada", "--password-file",
                "secret",
                "--write-certificate", "own.pem",
            ],
            side == .client ? [:] : jumping
        )
        defer { server.stop() }
        let url = try server.url()
        for number in 0..<8 {
            let name = "b\(number)"
            try shell.run("new", name)
            let outcome = try shell.divan(
                [
                    "pull", name, url, "--pin", "own.pem", "--user", "ada", "--password-file",
                    "secret",
                ],
                environment: side == .server ? [:] : jumping
            )
            #expect(outcome.status == 0, "pull \(number): \(outcome)")
            #expect(try shell.run("ls", name).lines.count == 10)
        }
    }
}
