import DivanTestKit
import Foundation
import Testing

/// `--dry-run` of the verbs that change much at once: it reports what would be done, and does nothing.
@Suite struct DryRunTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "shop.menu")
        try shell.write("photo", String(repeating: "p", count: 2_000))
        try shell.run("put", "db", "soup", #"{"n":1}"#, "--blob", "photo=photo")
        try shell.run("put", "db", "tea", "{}", "-c", "shop.menu")
    }

    /// Rehearses a verb; returns its output for people, and checks its output for machines against that.
    private func rehearse(_ words: String..., changing file: String = "db") throws -> String {
        let before = try shell.run("dump", file).output
        let told = try shell.divan(words + ["--dry-run"])
        told.expectSuccess()
        #expect(told.errors.hasPrefix("Would ") && told.output.isEmpty, "\(told)")
        let object = try shell.divan(words + ["--dry-run", "--json"]).json()
        #expect(object["dryRun"] as? Bool == true)
        #expect(try shell.run("dump", file).output == before)
        return told.errors
    }

    @Test func `upgrade --dry-run prints the number of documents`() throws {
        #expect(
            try rehearse("upgrade", "db")
                == "Would convert 2 documents to version vectors (cannot be undone)\n"
        )
        #expect(try shell.run("info", "db", "--json").json()["revisions"] as? String == "trees")
        try shell.run("upgrade", "db", "--yes")
        #expect(try shell.run("upgrade", "db", "--dry-run").errors.contains("already"))
    }

    @Test func `compact --dry-run counts removable blobs and keeps them`() throws {
        #expect(
            try rehearse("compact", "db") == "Would compact the database and remove 0 blobs (0 B)\n"
        )
        try shell.run("purge", "db", "soup")
        #expect(
            try rehearse("compact", "db")
                == "Would compact the database and remove 1 blob (2.0 kB)\n"
        )
        let done = try shell.run("compact", "db")
        #expect(done.errors == "Compacted the database; removed 1 blob (2.0 kB)\n")
        #expect(
            try rehearse("compact", "db") == "Would compact the database and remove 0 blobs (0 B)\n"
        )
    }

    @Test func `import --dry-run reads all input and reports the changes`() throws {
        try shell.write(
            "more.jsonl",
            """
            {"_id":"soup","n":2}
            {"_id":"bread","crust":{"@type":"blob","data":"aGVsbG8="}}
            {"_id":"tea","_deleted":true}

            """
        )
        #expect(
            try rehearse("import", "db", "more.jsonl")
                == "Would import 2 documents and 1 blob, replacing 1 existing document; "
                + "1 document is unchanged\n"
        )
        let elsewhere = try rehearse("import", "db", "more.jsonl", "-c", "new")
        #expect(elsewhere.contains("replacing 0 existing documents"))
        #expect(try !shell.run("collections", "db").output.contains("new"))
        #expect(try shell.run("compact", "db", "--dry-run").errors.contains("remove 0 blobs"))
        let bad = #"{"_id":"b","x":{"@type":"blob","data":"?"}}"#
        try shell.write("bad.jsonl", "{\"_id\":\"a\"}\n\(bad)\n")
        try shell.divan("import", "db", "bad.jsonl", "--dry-run")
            .expectFailure(4, "bad.jsonl:2", "1 document would be saved")
        #expect(try shell.run("ls", "db").output == "soup\n")
    }

    @Test func `encrypt, rekey and decrypt --dry-run check keys and change nothing`() throws {
        for (name, byte) in [("key", "5c"), ("other", "c5")] {
            try shell.write(name, String(repeating: byte, count: 32) + "\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: shell.path(name)
            )
        }
        let told = try rehearse("encrypt", "db")
        #expect(told.contains("db.cblite2, and rewrite 2 documents and 1 blob ("))
        let keyless = try shell.divan("encrypt", "db", "--dry-run", "--key-file", "none")
        #expect(keyless.status != 0 && keyless.errors.contains("none"), "\(keyless)")
        try shell.divan("decrypt", "db", "--dry-run").expectFailure(4, "not encrypted")
        try shell.run("encrypt", "db", "--key-file", "key")
        let key = ["--key-file", "key"]
        let before = try shell.divan(["dump", "db"] + key).output
        for verb in ["decrypt", "rekey"] {
            let outcome = try shell.divan([verb, "db", "--dry-run"] + key)
            outcome.expectSuccess()
            #expect(outcome.errors.hasPrefix("Would "), "\(outcome)")
            try shell.divan(verb, "db", "--dry-run", "--key-file", "other").expectFailure(5)
        }
        #expect(try shell.divan(["dump", "db"] + key).output == before)
    }

    @Test func `checkpoints reset --dry-run counts checkpoints and keeps them`() throws {
        let server = try shell.serve("db", "--no-tls")
        let url = try server.url()
        try shell.run("new", "b", "--collections", "shop.menu")
        try shell.run("sync", "b", url, "--collections", "shop.menu")
        #expect(
            try rehearse("checkpoints", "reset", "b", url, changing: "b")
                == "Would reset 1 checkpoint\n"
        )
        #expect(
            try rehearse("checkpoints", "reset", "b", url, "--remote", changing: "b")
                == "Would reset 2 checkpoints\n"
        )
        let left = try shell.run("checkpoints", "show", "b", url, "--json").lines
        #expect(left.count == 2 && left.allSatisfy { $0.contains("\"agree\":true") }, "\(left)")
        server.stop()
        #expect(
            try rehearse("checkpoints", "reset", "db", "--kept") == "Would reset 1 checkpoint\n"
        )
    }

    @Test func `check --repair-from --dry-run reports downloads and contacts no peer`() throws {
        let url = "ws://127.0.0.1:1/peer"
        let outcome = try shell.run("check", "db", "--repair-from", url, "--dry-run")
        #expect(outcome.errors == "Would download 0 documents from \(url)\n")
        #expect(outcome.output == "Intact: 2 documents and 1 blob\n")
        let file = shell.path("db.cblite2/db.sqlite3")
        var bytes = try Data(contentsOf: URL(filePath: file))
        let place = try #require(bytes.range(of: Data(#""n":1"#.utf8)))
        bytes[place.upperBound - 1] ^= 1
        try bytes.write(to: URL(filePath: file))
        let damaged = try shell.divan("check", "db", "--repair-from", url, "--dry-run")
        damaged.expectFailure(5, "1 document damaged")
        #expect(damaged.errors.hasPrefix("Would download 1 document from \(url)\n"))
        try shell.divan("check", "db", "--dry-run").expectFailure(2, "--repair-from")
    }

    @Test func `index rm and users rm --dry-run report removals and change nothing`() throws {
        try shell.run("index", "make", "db", "byN", "n")
        #expect(try rehearse("index", "rm", "db", "byN") == "Would remove index byN of _default\n")
        #expect(try shell.run("index", "ls", "db").output.contains("byN"))
        try shell.divan("index", "rm", "db", "none", "--dry-run").expectFailure(
            3,
            "index 'none' not found"
        )
        try shell.run("index", "rm", "db", "byN", "--yes")
        #expect(try shell.run("index", "ls", "db").output.isEmpty)
        try shell.write("secret", "open sesame\n")
        try shell.run("users", "add", "users.json", "anna", "--password-file", "secret")
        let before = try shell.text("users.json")
        #expect(
            try shell.run("users", "rm", "users.json", "anna", "--dry-run").errors
                == "Would remove anna\n"
        )
        #expect(try shell.text("users.json") == before)
        try shell.run("users", "rm", "users.json", "anna", "--yes")
        #expect(try shell.text("users.json") != before)
    }

    @Test(arguments: [
        "rm", "purge", "index rm", "users rm", "identity rm", "collections", "upgrade", "decrypt",
    ])
    func `destructive commands have --yes and --dry-run`(_ verb: String) throws {
        let page = try shell.divan(verb.split(separator: " ").map(String.init) + ["--help"]).output
        #expect(page.contains("  --yes ") && page.contains("  --dry-run "), "\(page)")
    }

    @Test func `rm and purge do not ask for confirmation`() throws {
        try shell.run("rm", "db", "soup", "--yes")
        try shell.run("purge", "db", "tea", "-c", "shop.menu", "--yes")
        #expect(
            try shell.run("collections", "db", "--json").lines.allSatisfy {
                $0.contains("\"documents\":0")
            }
        )
    }

    @Test func `upgrade asks on a terminal and requires --yes elsewhere`() throws {
        try shell.divan("upgrade", "db").expectFailure(2, "add '--yes' to confirm")
        for (answer, scheme) in [("n", "trees"), ("y", "vectors")] {
            let terminal = try PseudoTerminal(shell, ["upgrade", "db"])
            try terminal.waits(for: "to version vectors? [y/N]")
            terminal.type(answer + "\n")
            #expect(terminal.end() == (answer == "y" ? 0 : 130), "\(terminal.output)")
            #expect(try shell.run("info", "db", "--json").json()["revisions"] as? String == scheme)
        }
        try shell.run("upgrade", "db", "--yes")
    }
}
