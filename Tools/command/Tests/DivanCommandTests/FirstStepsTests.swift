import DivanTestKit
import Testing

/// A user's first mistakes are answered with what to type next.
@Suite(.timeLimit(.minutes(5))) struct FirstStepsTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    @Test(arguments: [
        (["frobnicate"], "divan --help"), (["pull"], "divan pull --help"),
        (["blob", "get", "--colour"], "divan blob get --help"),
    ])
    func `a usage error has a hint to the right help page`(words: [String], help: String) throws {
        let outcome = try shell.divan(words)
        #expect(outcome.status == 2)
        #expect(outcome.complaints.count == 2)
        #expect(outcome.complaints.last == "hint: see '\(help)'")
    }

    @Test func `a missing database is reported with 'divan new'`() throws {
        try shell.divan("ls", "notes").expectFailure(3, "database not found", "'divan new notes'")
    }

    @Test(arguments: ["http://localhost:4984/notes", "localhost/notes", "wss://localhost"])
    func `an invalid peer URL is a usage error`(url: String) throws {
        try shell.run("new", "notes")
        try shell.divan("push", "notes", url).expectFailure(2, "URL", url)
    }

    @Test func `an untrusted certificate is reported with 'divan certs show'`() throws {
        try shell.run("new", "notes")
        try shell.run("new", "copy")
        let server = try shell.serve("notes")
        let url = try server.url()
        let place = try #require(url.split(separator: "/").dropFirst().first)
        try shell.divan("pull", "copy", url)
            .expectFailure(7, "unknown authority", "run 'divan certs show \(place)'")
        server.stop()
    }
}
