import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Lost results are reported, by every verb; only a reader that went away is not an error.
@Suite struct OutputTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.write("photo.png", "a picture")
        try shell.run("new", "db", "--collections", "geo.places")
        try shell.run("put", "db", "one", "{}", "--blob", "photo=photo.png")
        try shell.run("index", "make", "db", "byName", "name")
        try shell.run("new", "other")
        try shell.run("put", "other", "two", "{}")
        try shell.write("kept.cbllog", "2026-11-20T08:00:00.000000Z DB info hello\n")
        try shell.write("talk.bin", "GET /db/_blipsync HTTP/1.1\r\nHost: peer\r\n\r\n")
        try shell.write(
            "audit.log",
            #"{"audit":"divan","event":"begin","n":1,"time":"2026-11-20T08:00:00.000Z","version":1"#
                + #","code":"66aabe346a7f2162b6d59a4c5616f6ad17fe9fa7aa8020fcbe4f4d2b017b3efb"}"#
                + "\n"
        )
        try shell.write("secret.txt", "open sesame\n")
        try shell.run("users", "add", "users.json", "ali", "--password-file", "secret.txt")
        try shell.run("identity", "new", "robot", "--key", "p256")
        try shell.run("dump", "db", "whole.dump")
        try shell.write("robot.pem", try shell.run("identity", "export", "robot").output)
    }

    /// A command line of each verb that prints results.
    private static let speaking: [String: String] = [
        "info": "info db", "collections": "collections db", "ls": "ls db", "get": "get db one",
        "expire": "expire db one", "revs": "revs db one", "blob ls": "blob ls db",
        "blob get": "blob get db one", "import": "import db /dev/null --json",
        "export": "export db", "cp": "cp db \"copy-$RANDOM$RANDOM\" --json",
        "dump": "dump db", "backup": "backup db backups --json",
        "restore": "restore \"again-$RANDOM$RANDOM\" whole.dump --json",
        "compare": "compare db other", "check": "check db", "compact": "compact db --json",
        "repair-clock": "repair-clock db --json",
        "compress": "compress db --json",
        "doctor": "doctor db", "explain": "explain db one",
        "query": "query db 'SELECT META().id FROM _'",
        "index ls": "index ls db", "select": "select db 'META().id FROM _'",
        "index rebuild": "index rebuild db --json",
        "index suggest": "index suggest db 'SELECT zip FROM _ WHERE zip = 1'",
        "watch": "watch db --since 0 --limit 1", "log": "log kept.cbllog",
        "audit verify": "audit verify audit.log",
        "push": "push db ws://127.0.0.1:1/x --json", "pull": "pull db ws://127.0.0.1:1/x --json",
        "sync": "sync db ws://127.0.0.1:1/x --json",
        "pending": "pending db ws://127.0.0.1:1/x --count", "certs show": "certs show robot.pem",
        "identity new": "identity new \"robot-$RANDOM$RANDOM\" --key p256",
        "identity ls": "identity ls", "identity show": "identity show robot",
        "identity export": "identity export robot",
        "identity import": "identity import \"robot-$RANDOM$RANDOM\" whole.pem",
        "identity renew": "identity renew robot", "man": "man", "help": "help",
        "users ls": "users ls users.json", "wire decode": "wire decode talk.bin",
        "completion": "completion bash",
    ]

    /// A command line of each verb that prints nothing; the one of `edit` needs no terminal.
    private static let silent: [String: String] = [
        "new": "new \"new-$RANDOM$RANDOM\"", "put": "put db three '{}'",
        "edit": "edit db one", "upgrade": "upgrade db --yes", "rm": "rm other two",
        "purge": "purge db --expired",
        "blob put": "blob put db one photo photo.png",
        "index make": "index make db byPrice price", "index rm": "index rm db byName",
        "checkpoints reset": "checkpoints reset db --all",
        "mkcoll": "mkcoll db \"made$RANDOM$RANDOM\"",
        "identity rm": "identity rm robot --yes", "users rm": "users rm users.json ali",
        "users add": "users add users.json baba --password-file secret.txt",
        "users verify": "users verify users.json ali --password-file secret.txt",
    ]

    /// Tested elsewhere, or in need of a system daemon.
    private static let others = [
        "import-cblite", "serve", "status", "top", "disconnect", "checkpoints show", "conflicts ls",
        "conflicts show", "conflicts resolve", "discover", "shell", "encrypt", "decrypt", "rekey",
        "studio", "wire proxy", "blob fetch", "mesh join", "mesh status",
        "mesh graph", "mesh doctor", "search", "index stats",
    ]

    private func lost(_ script: String, _ stream: String) throws -> Program.Outcome {
        try shell.bash("exec divan \(script) \(stream)", environment: ["EDITOR": "true"])
    }

    @Test func `every command is covered by these tests`() throws {
        let help = try shell.run("--help").output
        let pages = help.components(separatedBy: "\n\n").filter { $0.contains(":\n  ") }
        let rows = pages.prefix { !$0.hasPrefix("Exit codes") }.joined(separator: "\n")
            .split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
        let verbs = Set(
            rows.compactMap { $0.dropFirst(2).components(separatedBy: "  ").first }
                .compactMap { $0.components(separatedBy: ",").first }
        )
        let known = Array(Self.speaking.keys) + Array(Self.silent.keys) + Self.others
        #expect(verbs.count > 40)
        #expect(verbs.symmetricDifference(known).sorted() == [])
    }

    @Test(arguments: [">/dev/full", ">&-", "</dev/null >&-"])
    func `results that cannot be written cause exit code 5`(_ stream: String) throws {
        let whole = try shell.run(
            "identity",
            "export",
            "robot",
            "--pem",
            "whole.pem",
            "--no-password"
        )
        #expect(whole.output.isEmpty)
        for (verb, line) in Self.speaking.sorted(by: { $0.key < $1.key }) {
            let outcome = try lost(line, stream)
            #expect(outcome.status == 5, "\(verb): \(outcome)")
            let told = outcome.complaints.filter { $0.hasPrefix("divan: ") }
            #expect(told.count { $0.contains("standard output") } == 1, "\(verb): \(outcome)")
        }
        for line in ["--help", "--version", "help get", "get --help", "blob --help"] {
            #expect(try lost(line, stream).status == 5, "\(line)")
        }
    }

    @Test func `a document too large for JSON lines is reported with an alternative`() throws {
        _ = try shell.bash("head -c 60000000 /dev/zero >large")
        try shell.run("blob", "put", "db", "big", "large", "large")
        for line in ["cp db out.jsonl", "export db out.jsonl --blobs", "export db --array --blobs"]
        {
            let outcome = try shell.divan(line.split(separator: " ").map(String.init))
            outcome.expectFailure(4, "big: larger than 64 MiB as text", "divan dump")
            #expect(!FileManager.default.fileExists(atPath: shell.path("out.jsonl")))
        }
    }

    @Test func `commands without output ignore a full device`() throws {
        for (verb, line) in Self.silent.sorted(by: { $0.key > $1.key }) {
            #expect(try lost(line, ">/dev/full").status == 0, "\(verb)")
        }
    }

    @Test func `a closed pipe is not an error`() throws {
        for line in ["ls db", "export db", "blob get db one", "watch db --since 0", "--help"] {
            // The reader ends before anything is written, so that nothing depends on timing.
            let outcome = try shell.bash(
                """
                coproc READER { read -r end; }
                exec 5>&"${READER[1]}"
                reader=$READER_PID
                echo >&5
                wait "$reader" || true
                exec divan \(line) >&5
                """
            )
            #expect(outcome.status == 0, "\(line): \(outcome)")
            #expect(outcome.complaints.filter { $0.hasPrefix("divan: ") }.isEmpty, "\(outcome)")
        }
    }

    @Test func `commands for peers report output errors`() throws {
        let server = try shell.serve("db", "--no-tls")
        let url = try server.url()
        for line in ["status db", "status db --json", "checkpoints show other"] {
            if line.hasPrefix("checkpoints") { try shell.run("sync", "other", url) }
            #expect(try lost(line, ">/dev/full").status == 5, "\(line)")
        }
        try shell.run("put", "other", "one", #"{"side":"theirs"}"#)
        server.stop()
        try shell.run("put", "db", "one", #"{"side":"ours"}"#)
        let again = try shell.serve("db", "--no-tls")
        let outcome = try shell.divan("pull", "other", try again.url(), "--conflicts", "leave")
        again.stop()
        #expect(outcome.status == 8, "\(outcome)")
        let lines = ["ls other", "show other one", "resolve other one --local --dry-run"]
        for line in lines { #expect(try lost("conflicts \(line)", ">/dev/full").status == 5) }
    }

    @Test func `serve continues after an output error and reports it at the end`() throws {
        let server = try shell.startBash(
            "exec divan serve db --no-tls --interface 127.0.0.1 --json "
                + "--metrics-port 0 2>&1 >/dev/full"
        )
        while try shell.divan("status", "db").status != 0 {
            try #require(server.isRunning)
        }
        server.signal(.interrupt)
        let outcome = server.finish()
        #expect(outcome.status == 5, "\(outcome)")
    }
}
