import DivanTestKit
import Foundation
import Testing

/// Unreadable input is reported in one line; no verb treats it as an empty text or traps.
@Suite struct InputTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", "{}")
    }

    private static let readers = [
        "put db x", "put db x -", "blob put db x photo -", "put db x '{}' --blob photo=-",
        "import db -", "users add users.json ali --password-file -",
        "users verify users.json ali --password-file -", "identity import robot -",
        "pull db ws://127.0.0.1:1/x --session-file -", "cp - copy.jsonl", "serve --config -",
    ]

    @Test(arguments: ["<.", "<&-", "<db.cblite2/Attachments"])
    func `a closed input or a directory is reported`(_ stream: String) throws {
        try shell.write("secret.txt", "open sesame\n")
        try shell.run("users", "add", "users.json", "anna", "--password-file", "secret.txt")
        for line in Self.readers {
            let outcome = try shell.bash("exec divan \(line) \(stream)")
            #expect((1...7).contains(outcome.status), "\(line): \(outcome)")
            #expect(outcome.complaints.filter { $0.hasPrefix("divan: ") }.count == 1, "\(outcome)")
        }
        #expect(try shell.run("ls", "db").output == "one\n", "nothing empty was saved")
    }

    @Test(arguments: [
        "import db .", "import db missing.jsonl", "blob put db one photo .",
        "put db one '{}' --blob photo=.", "users ls .", "users add . ali --password-file .",
        "identity import robot .", "log db.cblite2/lock .", "certs show .",
        "pull db wss://127.0.0.1:1/x --pin .", "pull db wss://127.0.0.1:1/x --trust .",
        "pull db wss://127.0.0.1:1/x --identity ./", "serve db --users . --no-tls",
        "serve --config .", "serve db --client-ca .", "serve db --client-certificate .",
        "pull db ws://127.0.0.1:1/x -u ali --password-file .",
        "pull db ws://127.0.0.1:1/x -u ali --password-file /dev/zero",
        "pull db ws://127.0.0.1:1/x --report .", "export db nowhere/out.jsonl",
        "blob get db one photo .", "identity export robot --pem .",
    ])
    func `a directory given as a file is reported`(_ line: String) throws {
        let outcome = try shell.bash("exec divan \(line) </dev/null")
        #expect((1...7).contains(outcome.status), "\(outcome)")
        #expect(outcome.complaints.contains { $0.hasPrefix("divan: ") }, "\(outcome)")
        #expect(!outcome.errors.contains("NSCocoaErrorDomain"), "\(outcome)")
    }

    @Test func `a password that is not UTF-8 is rejected from any source`() throws {
        let add = "exec divan users add users.json ali"
        for line in [
            "printf 'caf\\xe9\\n' | \(add) --password-file -",
            "printf 'caf\\xe9\\n' >word.txt; \(add) --password-file word.txt",
            "export DIVAN_PASSWORD=$'caf\\xe9'; \(add)",
        ] {
            let outcome = try shell.bash(line)
            #expect(outcome.status == 4 && outcome.errors.contains("not valid UTF-8"), "\(outcome)")
        }
    }

    @Test(arguments: [
        "put db $'caf\\xe9' '{}'", "get db $'\\xff'", "rm db $'\\xff'", "new $'caf\\xe9'",
        "export db $'caf\\xe9.jsonl'", "ls db -c $'\\xff'", "users add $'\\xff' ali", "$'\\xff'",
        "pull db $'ws://127.0.0.1:1/\\xff'", "put db x $'{\"a\":\"\\xff\"}'",
        "pull db ws://127.0.0.1:1/x --documents $'\\xff'",
    ])
    func `an argument that is not UTF-8 is rejected`(_ line: String) throws {
        let outcome = try shell.bash("exec divan \(line)")
        outcome.expectFailure(4, "argument", "not valid UTF-8")
        #expect(try shell.run("ls", "db").output == "one\n")
    }

    @Test(arguments: [
        ("_id,t\\na,b\\nx,caf\\xe9\\n", "t.csv:3: a field is not valid UTF-8"),
        ("_id,\\xe9\\nx,1\\n", "t.csv:1: a field is not valid UTF-8"),
        ("\\xff\\xfe_\\0i\\0d\\0\\n\\0", "UTF-16"), ("_\\0i\\0d\\0\\n\\0x\\0", "UTF-16"),
        ("_id,t,t\\nx,1,2\\n", "two columns are named 't'"),
        ("_id,\\nx,1\\n", "a key is empty"),
    ])
    func `a CSV file that cannot be imported exactly is rejected`(
        _ text: String,
        _ words: String
    ) throws {
        let outcome = try shell.bash("printf '\(text)' >t.csv; divan import db t.csv --from csv")
        outcome.expectFailure(4, words)
    }

    @Test func `a CSV file can have one column and any quoted key`() throws {
        try shell.bash(
            "printf 'name\\nx;y\\n' >t.csv; divan import db t.csv --from csv --id-from name"
        )
        .expectSuccess()
        try shell.bash("printf '\"a;b\"\\n1\\n' >t.csv; divan import db t.csv --from csv")
            .expectSuccess()
        #expect(try shell.run("ls", "db", "x").output == "x;y\n")
    }

    @Test func `CSV, JSON lines and multi-line objects are distinguished`() throws {
        try shell.write("t.csv", "_id,a\ntable,1\n")
        try shell.run("import", "db", "t.csv")
        #expect(try shell.run("get", "db", "table", "--raw").output == "{\"a\":1}\n")
        try shell.write("one.json", "{\n  \"_id\": \"x\"\n}\n")
        try shell.run("import", "db", "one.json")
        #expect(try shell.run("get", "db", "x", "--raw").output == "{}\n")
        try shell.write("cut.json", "{ \"_id\":\n \"y\"\n}\n")
        try shell.divan("import", "db", "cut.json")
            .expectFailure(
                4,
                "cut.json:1, column 9: ",
                "write one complete object per line, or one array"
            )
        try shell.write("some.json", "[{\n  \"_id\": \"x\"\n}]\n")
        try shell.run("import", "db", "some.json")
    }

    @Test(arguments: ["\\r", "\\n", "\\r\\n"])
    func `CSV lines can have any line ending`(_ end: String) throws {
        let text = ["_id,t,", "x,a,", "y,\"b\\rc\",", "", "z,d"].joined(separator: end)
        try shell.bash("printf '\(text)' >t.csv; divan import db t.csv --from csv").expectSuccess()
        #expect(try shell.run("ls", "db").output == "one\nx\ny\nz\n")
        #expect(try shell.run("get", "db", "x", "--raw").output == "{\"t\":\"a\"}\n")
        #expect(try shell.run("get", "db", "y", "--raw").output == "{\"t\":\"b\\rc\"}\n")
    }

    @Test func `U+FFFD is valid in an ID`() throws {
        try shell.run("put", "db", "caf\u{FFFD}", "{}")
        #expect(try shell.run("ls", "db").output == "caf\u{FFFD}\none\n")
    }

    @Test(arguments: [
        ["new", ""], ["new", "."], ["new", "/"], ["new", ".cblite2"], ["new", ".."], ["ls", ""],
        ["cp", "db", ""], ["cp", "db", "ws://127.0.0.1:1/db"], ["cp", "wss://host/db", "copy"],
        ["compare", "db", "ws://127.0.0.1:1/db"], ["export", "db", ""], ["serve", "db", ""],
        ["ls", "db", "-c", ""], ["serve", "db", "--no-tls", "--collections", ""],
        ["serve", "db", "--no-tls", "--collections="], ["serve", "db", "--users", ""],
        ["push", "db", "ws://127.0.0.1:1/x", "--documents", ","],
        ["pull", "db", "ws://127.0.0.1:1/x", "--header", "A: b\r\nC: d"],
        ["pull", "db", "ws://127.0.0.1:1/x", "--header", "A\n: b"],
        ["pull", "db", "ws://127.0.0.1:1/x", "--header", ": b"],
        ["checkpoints", "show", "db", "ws://127.0.0.1:1/x", "--header", "A: b\nC: d"],
    ])
    func `empty arguments, URLs and line breaks are usage errors`(_ words: [String]) throws {
        let outcome = try shell.divan(words)
        outcome.expectFailure(2)
        let entries = try FileManager.default.contentsOfDirectory(atPath: shell.directory)
        #expect(entries.filter { $0 != "data" } == ["db.cblite2"])
    }

    @Test func `'.' is accepted as the database inside its directory`() throws {
        #expect(try shell.bash("cd db.cblite2; divan ls .").output == "one\n")
    }
}
