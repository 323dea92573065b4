import DivanTestKit
import Foundation
import Testing

/// The messages about credentials that a server rejected, and about missing ones.
@Suite(.timeLimit(.minutes(5))) struct RefusedCredentialsTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        try shell.write("right", "open sesame\n")
        try shell.write("wrong", "close sesame\n")
    }

    @Test func `a wrong password is reported as wrong, not as missing`() throws {
        let server = try shell.serve("a", "--no-tls", "--user", "anna", "--password-file", "right")
        let url = try server.url()
        let shown = ["--user", "anna", "--password-file", "wrong"]
        for words in [
            ["pull", "b", url], ["sync", "b", url, "--list-collections"],
            ["checkpoints", "show", "b", url], ["blob", "fetch", "b", url],
            ["check", "b", "--repair-from", url],
        ] {
            let outcome = try shell.divan(words + shown)
            guard outcome.status != 0 else { continue }  // nothing to fetch or to mend
            outcome.expectFailure(7, "refused user anna with HTTP 401")
            #expect(!outcome.errors.contains("required"), "\(outcome.errors)")
        }
        let none = try shell.divan("pull", "b", url)
        none.expectFailure(7, "user name and password required")
        let session = try shell.divan(["pull", "b", url], environment: ["DIVAN_SESSION": "abc"])
        session.expectFailure(7, "refused a session with HTTP 401")
        server.stop()
    }

    @Test func `a password without a user causes a warning`() throws {
        let server = try shell.serve("a", "--no-tls")
        let words = ["pull", "b", try server.url()]
        let outcome = try shell.divan(words, environment: ["DIVAN_PASSWORD": "x"])
        outcome.expectSuccess()
        let warning = "divan: warning: DIVAN_PASSWORD is ignored without '--user NAME'\n"
        #expect(outcome.errors.hasPrefix(warning), "\(outcome.errors)")
        #expect(try !shell.divan(words).errors.contains("DIVAN_PASSWORD"))
        server.stop()
    }

    @Test(arguments: ["pull", "doctor", "pending"])
    func `a URL with a password is rejected with the right options`(_ verb: String) throws {
        let url = "ws://anna:secret@127.0.0.1:1/a"
        let outcome = try shell.divan(verb == "doctor" ? [verb, url] : [verb, "b", url])
        #expect(outcome.status == 2)
        let told = outcome.errors + outcome.output
        #expect(told.contains("use '--user' and '--password-file'"), "\(told)")
        #expect(!told.contains("configuration") && !told.contains("secret"), "\(told)")
    }
}
