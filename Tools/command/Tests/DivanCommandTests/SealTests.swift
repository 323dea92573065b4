import DivanTestKit
import Foundation
import Testing

/// Encrypted databases on the command line: created, changed, and used by every kind of verb.
@Suite struct SealTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        let keys = [("key", 32, "5c"), ("other", 32, "c5"), ("short", 8, "5c")]
        for (name, byteCount, byte) in keys {
            try shell.write(name, String(repeating: byte, count: byteCount) + "\n")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: shell.path(name)
            )
        }
    }

    private func shows(_ word: String) throws -> Bool {
        let folder = shell.path("db.cblite2")
        for case let name as String in try #require(FileManager.default.enumerator(atPath: folder))
        {
            let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
            if data?.range(of: Data(word.utf8)) != nil { return true }
        }
        return false
    }

    /// It would be plain on the disk, and nobody would know.
    @Test func `new with a key creates an encrypted database`() throws {
        #expect(try shell.divan(["new", "db", "--key-file", "nothing"]).status != 0)
        try shell.run("new", "db", "--key-file", "key")
        try shell.run("put", "db", "one", #"{"word":"saffron"}"#, "--key-file", "key")
        #expect(try !shows("saffron") && !shows("SQLite format 3"))
    }

    @Test func `the environment names the key of databases for which no option gives one`() throws {
        let environment = ["DIVAN_KEY_FILE": shell.path("key")]
        try shell.divan(["new", "db", "--encrypt"], environment: environment).expectSuccess()
        try shell.divan(["put", "db", "one", "{}"], environment: environment).expectSuccess()
        try shell.run("ls", "db", "--key-file", "key")
        try shell.divan("ls", "db").expectFailure(5, "encrypted", "DIVAN_KEY_FILE")
        // A plain database needs none, and an option takes precedence.
        try shell.divan(["new", "plain"], environment: environment).expectSuccess()
        try shell.divan(["ls", "plain"], environment: environment).expectSuccess()
        let other = try shell.divan(["ls", "db", "--key-file", "other"], environment: environment)
        #expect(other.status == 5)
        let missing = ["DIVAN_KEY_FILE": shell.path("none")]
        try shell.divan(["ls", "db"], environment: missing).expectFailure(3, "none")
    }

    @Test func `a key can be read from a slow process substitution`() throws {
        let script = "divan new db --key-file <(divan help >/dev/null; cat key)"
        try shell.bash(script).expectSuccess()
        try shell.run("ls", "db", "--key-file", "key")
    }

    @Test func `every command works on an encrypted database with its key`() throws {
        let key = ["--key-file", "key"]
        func divan(_ words: String...) throws -> String {
            let outcome = try shell.divan(words + key)
            #expect(outcome.status == 0, "\(words): \(outcome.errors)")
            return outcome.output
        }
        _ = try divan("new", "db", "--encrypt", "--collections", "people")
        _ = try divan("put", "db", "one", #"{"word":"saffron"}"#)
        _ = try divan("put", "db", "two", #"{"word":"saffron","n":2}"#)
        try shell.write("photo", "saffron in a blob")
        _ = try divan("blob", "put", "db", "one", "photo", "photo")
        #expect(try divan("get", "db", "two").contains("saffron"))
        #expect(try divan("ls", "db").contains("one"))
        #expect(try divan("info", "db").contains("Encrypted    AES-256-GCM"))
        let rows = try divan("query", "db", "SELECT n FROM _default WHERE word = 'saffron'")
        #expect(rows.contains("2"))
        _ = try divan("check", "db")
        _ = try divan("compact", "db")
        _ = try divan("cp", "db", "copy")
        #expect(try shell.divan("get", "copy", "two").status == 5)
        #expect(try divan("get", "copy", "two").contains("saffron"))
        #expect(try !shows("saffron"))
    }

    @Test func `an encrypted database reveals nothing without the right key`() throws {
        try shell.run("new", "db", "--encrypt", "--key-file", "key")
        let without = try shell.divan("ls", "db")
        #expect(without.status == 5)
        without.expectFailure(5, "the database is encrypted", "use '--key-file FILE'")
        let wrong = try shell.divan("ls", "db", "--key-file", "other")
        wrong.expectFailure(5, "wrong encryption key or password", "use the current key")
        let push = ["push", "db", "ws://127.0.0.1:1/x", "--key-file", "other"]
        let pushed = try shell.divan(push)
        #expect(pushed.status == 5 && pushed.complaints[0] == wrong.complaints[0], "\(pushed)")
        let nowhere = try shell.divan("ls", "nosuch", "--key-file", "key")
        nowhere.expectFailure(3, "database not found")
        #expect(nowhere.complaints == (try shell.divan("ls", "nosuch").complaints))
        let both = try shell.divan("ls", "db", "--key-file", "key", "--key-command", "cat key")
        #expect(both.status == 2)
        let missing = try shell.divan("ls", "db", "--key-file", "nowhere")
        #expect(missing.status != 0 && missing.errors.contains("nowhere"))
        try shell.run("new", "plain")
        let needless = try shell.divan("ls", "plain", "--key-file", "key")
        needless.expectFailure(4, "the database is not encrypted", "leave out the key")
    }

    @Test func `databases with different keys can be compared`() throws {
        try shell.write("blob", String(repeating: "long", count: 100_000))
        for (name, key) in [("db", "key"), ("copy", "other"), ("third", "other")] {
            let content = name == "third" ? "short" : "blob"
            if name == "third" { try shell.write("short", "short") }
            try shell.run("new", name, "--encrypt", "--key-file", key)
            try shell.run("put", name, "one", "{}", "--key-file", key)
            try shell.run("blob", "put", name, "one", "pic", content, "--key-file", key)
        }
        func compare(_ words: String...) throws -> Program.Outcome {
            try shell.divan(["compare", "db", "--key-file", "key"] + words)
        }
        let equal = try compare("copy", "--other-key-file", "other")
        #expect(equal.output == "Equal: 1 document and 1 blob\n", "\(equal)")
        #expect(try compare("third", "--other-key-file", "other").status == 9)
        try compare("copy").expectFailure(5, "copy", "wrong encryption key or password")
        try compare("copy", "--other-key-file", "key").expectFailure(5, "copy")
        try shell.run("new", "plain")
        try compare("plain", "--other-key-file", "key").expectFailure(4, "plain", "not encrypted")
    }

    @Test func `restore and cp encrypt the new database with the key`() throws {
        try shell.run("new", "plain")
        try shell.run("put", "plain", "one", #"{"word":"saffron"}"#)
        try shell.write("photo", "saffron in a blob")
        try shell.run("blob", "put", "plain", "one", "photo", "photo")
        try shell.run("dump", "plain", "plain.dump")
        try shell.run("cp", "plain", "plain.jsonl")
        for words in [["restore", "db", "plain.dump"], ["cp", "plain.jsonl", "db"]] {
            try shell.divan(words + ["--key-file", "nothing"]).expectFailure(3, "nothing")
            try shell.divan(words + ["--key-file", "short"]).expectFailure(4, "32 bytes")
            #expect(try shell.divan("info", "db").status == 3)
            try shell.divan(words + ["--key-file", "key"]).expectSuccess()
            #expect(try !shows("saffron") && !shows("SQLite format 3"))
            let content = try shell.run("blob", "get", "db", "one", "photo", "--key-file", "key")
            #expect(content.output == "saffron in a blob")
            try FileManager.default.removeItem(atPath: shell.path("db.cblite2"))
        }
        try shell.divan("cp", "plain", "copy", "--key-file", "key")
            .expectFailure(4, "not encrypted")
        try shell.divan("cp", "plain", "copy", "--encrypt")
            .expectFailure(2, "'--encrypt' requires a .jsonl file", "divan encrypt")
    }

    @Test(arguments: [1, 100, 70_000, 199_000])
    func `a truncated blob of an encrypted database is reported as damaged`(
        _ byteCount: Int
    ) throws {
        let key = ["--key-file", "key"]
        try shell.divan(["new", "db"] + key).expectSuccess()
        try shell.write("photo", String(repeating: "photo", count: 40_000))
        try shell.divan(["blob", "put", "db", "one", "photo", "photo"] + key).expectSuccess()
        let folder = shell.path("db.cblite2/Attachments")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let size = 200_000 - byteCount
            try shell.bash("truncate -s \(size) '\(folder)/\(name)'").expectSuccess()
        }
        for words in [
            ["blob", "get", "db", "one", "photo"], ["blob", "get", "db", "one", "photo", "out"],
            ["get", "db", "one", "--blob", "photo"], ["export", "db", "--blobs"],
        ] {
            let outcome = try shell.divan(words + key)
            outcome.expectFailure(5, "blob sha1-")
            #expect(!outcome.errors.contains("Input/output error"), "\(outcome)")
        }
    }

    @Test(arguments: [
        ["new", "db"], ["encrypt", "plain"], ["ls", "sealed"], ["rekey", "sealed"],
    ])
    func `an invalid key is reported`(_ words: [String]) throws {
        try shell.run("new", "plain")
        try shell.run("new", "sealed", "--key-file", "key")
        var (words, option) = (words, "--key-file")
        if words[0] == "rekey" {
            (words, option) = (words + ["--key-file", "key"], "--new-key-file")
        }
        try shell.divan(words + [option, "nothing"]).expectFailure(3, "nothing", "No such file")
        try shell.divan(words + [option, "short"]).expectFailure(4, "32 bytes")
        try shell.divan(words + [String(option.dropLast(4)) + "command", "false"])
            .expectFailure(4, "the command")
    }

    @Test func `encrypt, rekey and decrypt keep the documents`() throws {
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"word":"saffron"}"#)
        #expect(try shows("saffron"))
        try shell.run("encrypt", "db", "--key-command", "cat key")
        #expect(try !shows("saffron"))
        #expect(try shell.divan("encrypt", "db", "--key-file", "key").status == 4)
        try shell.run("rekey", "db", "--key-file", "key", "--new-key-file", "other")
        #expect(try shell.divan("get", "db", "one", "--key-file", "key").status == 5)
        let read = try shell.divan("get", "db", "one", "--key-file", "other")
        #expect(read.output.contains("saffron"))
        try shell.divan("decrypt", "db", "--key-file", "other").expectFailure(
            2,
            "can then read the documents",
            "add '--yes' to confirm"
        )
        try shell.run("decrypt", "db", "--key-file", "other", "--yes")
        #expect(try shell.run("get", "db", "one").output.contains("saffron"))
        #expect(try shell.divan("decrypt", "db").status == 4)
    }

    @Test func `a password in a key file is rejected with the right option`() throws {
        _ = try shell.bash("umask 077; echo letmein >words; umask 022; cat key >seen")
        try shell.divan("new", "db", "--key-file", "words")
            .expectFailure(4, "words: ", "add '--key-is-password' if it is a password")
        try shell.run("new", "db", "--key-file", "key")
        try shell.divan("ls", "db", "--key-file", "words")
            .expectFailure(4, "words: ", "add '--key-is-password' if it is a password")
        try shell.divan("rekey", "db", "--key-file", "key", "--new-key-file", "words")
            .expectFailure(4, "words: ", "add '--new-key-is-password' if it is a password")
        try shell.divan("ls", "db", "--key-file", "seen")
            .expectFailure(4, "key from seen: readable by other users", "run 'chmod 600' on it")
    }

    @Test func `a password is requested on the terminal`() throws {
        try shell.run(
            "new",
            "db",
            "--encrypt",
            "--key-command",
            "echo letmein",
            "--key-is-password"
        )
        let terminal = try PseudoTerminal(shell, ["info", "db"])
        try terminal.waits(for: "Password of db:")
        terminal.type("letmein\n")
        try terminal.waits(for: "AES-256-GCM")
        #expect(terminal.end() == 0)
    }
}
