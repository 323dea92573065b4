import DivanTestKit
import Foundation
import Testing

/// The help pages, as displayed on a terminal of 80 columns.
@Suite struct HelpTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    /// The commands that the help page lists, each under its first name.
    private func verbs(of help: String) -> [String] {
        help.split(separator: "\n").prefix { !$0.hasPrefix("Run 'divan COMMAND") }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap { row in
                row.dropFirst(2).components(separatedBy: "  ").first?
                    .components(separatedBy: ", ")[0]
            }
    }

    @Test func `every help page fits 80 columns and has an example`() throws {
        let help = try shell.run("--help").output
        let verbs = verbs(of: help)
        #expect(verbs.count > 40)
        var pages = [("divan", help)]
        for verb in verbs {
            let words = verb.split(separator: " ").map(String.init) + ["--help"]
            let page = try shell.divan(words).output
            pages.append((verb, page))
            #expect(page.contains("\nExamples:\n  divan "), "\(verb)")
        }
        for (verb, page) in pages {
            let wide = page.split(separator: "\n").filter {
                $0.count > 80 && !$0.hasPrefix("  divan ")
            }
            #expect(wide.isEmpty, "\(verb): \(wide)")
        }
    }

    /// The files would be a second copy of the same database, with the same author of versions.
    @Test func `no example copies database files directly`() throws {
        for verb in verbs(of: try shell.run("--help").output) {
            let words = verb.split(separator: " ").map(String.init) + ["--help"]
            let page = try shell.divan(words).output
            #expect(!page.contains("cp -r") && !page.contains("rsync"), "\(verb)")
        }
    }

    @Test func `every command with text output supports --json`() throws {
        let verbs = verbs(of: try shell.run("--help").output)
        let plain = try verbs.filter { verb in
            let words = verb.split(separator: " ").map(String.init) + ["--help"]
            return try !shell.divan(words).output.contains("\n  --json")
        }
        // A blob, a dialogue, scripts and a page.
        #expect(plain == ["blob get", "shell", "help", "completion", "man"])
    }

    @Test(arguments: [
        "identity", "users", "certs", "checkpoints", "conflicts", "blob",
    ])
    func `a command group has its own help page`(_ group: String) throws {
        let page = try shell.run(group, "--help").output
        #expect(page.hasPrefix("Usage: divan \(group) COMMAND"))
        #expect(page.contains("  \(group) "))
    }

    @Test(arguments: [
        ("statu", "status"), ("pendin", "pending"), ("discovr", "discover"), ("serv", "serve"),
        ("snyc", "sync"), ("lss", "ls"), ("imprt-cblite", "import-cblite"),
        ("pul", "pull"), ("studi", "studio"), ("--hlp", "--help"), ("conflict", "conflicts"),
    ])
    func `a mistyped command gets a suggestion`(_ typed: String, _ meant: String) throws {
        try shell.divan(typed).expectFailure(2, "did you mean 'divan \(meant)'?")
    }

    @Test(arguments: [
        ("drop travel", "rm -r travel.cblite2"), ("delete travel", "rm -r travel.cblite2"),
        ("mv travel trips", "mv travel.cblite2 trips.cblite2"),
        ("delete travel rome", "use 'divan rm DB ID'"),
        ("travel rome", "did you mean 'divan get travel rome'?"),
        ("travel ls", "did you mean 'divan ls travel'?"),
    ])
    func `commands for a database as a whole and swapped words get a hint`(
        _ typed: String,
        _ line: String
    ) throws {
        try shell.run("new", "travel")
        try shell.divan(typed.split(separator: " ").map(String.init)).expectFailure(2, line)
    }

    @Test(arguments: [
        (["blob", "lst"], "ls"), (["index", "mke"], "make"), (["users", "delete"], "rm"),
        (["conflicts", "resovle"], "resolve"),
    ])
    func `a mistyped subcommand gets a suggestion`(_ typed: [String], _ meant: String) throws {
        let name = typed.joined(separator: " ")
        try shell.divan(typed)
            .expectFailure(
                2,
                "unknown command '\(name)'",
                "did you mean 'divan \(typed[0]) \(meant)'?"
            )
    }

    @Test func `an option before the command is reported as such`() throws {
        try shell.divan("--json", "ls", "db").expectFailure(
            2,
            "option '--json' comes before the command",
            "write 'divan COMMAND --json'"
        )
    }

    @Test func `without arguments the help is printed`() throws {
        let outcome = try shell.divan()
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(try outcome.output == shell.run("--help").output)
    }

    @Test(arguments: [
        ["ls"], ["ls", "--nope"], ["expire", "db"], ["index"], ["users", "rm", "x"],
    ])
    func `an error contains the program name once`(_ words: [String]) throws {
        let outcome = try shell.divan(words)
        outcome.expectFailure(2)
        #expect(outcome.errors.hasPrefix("divan: \(words[0])"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("divan: divan"), "\(outcome.errors)")
    }

    @Test func `divan help explains itself and rejects an unknown code`() throws {
        let own = try shell.run("help", "help").output
        #expect(own.hasPrefix("Usage: divan help [COMMAND|CODE…]\n"))
        #expect(try shell.run("help", "blob", "get").output.hasPrefix("Usage: divan blob get "))
        try shell.divan("help", "99999")
            .expectFailure(2, "unknown code '99999'", "divan help codes")
    }

    @Test func `a value attached to a short option is rejected with a hint`() throws {
        try shell.run("new", "db", "-c", "big")
        try shell.divan("ls", "db", "-cbig").expectFailure(2, "write '-c big'")
        try shell.divan("ls", "db", "-collection", "big").expectFailure(2, "mean '--collection'?")
    }

    @Test(arguments: [("-x", "option"), ("nope", "command"), ("x", "command"), ("42", "command")])
    func `an unknown word without a similar command gets no suggestion`(
        _ typed: String,
        _ kind: String
    ) throws {
        let outcome = try shell.divan([typed])
        #expect(outcome.status == 2)
        #expect(outcome.complaints.first == "divan: unknown \(kind) '\(typed)'", "\(outcome)")
    }
}
