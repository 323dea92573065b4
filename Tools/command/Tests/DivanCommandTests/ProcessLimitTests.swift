import DivanTestKit
import Foundation
import Testing

/// Resource limits of the process that runs a verb: files, their size, descriptors.
@Suite struct ProcessLimitTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", "{}")
    }

    /// Verbs that write more than 24 KiB to one file.
    private static let writers = [
        "new other", "import db many.jsonl", "cp db other", "dump db out", "export db out",
        "blob put db one photo photo.bin", "compact db",
    ]

    @Test(arguments: writers)
    func `a file size limit is reported as an error`(_ line: String) throws {
        let text = String(repeating: "word ", count: 200)
        let lines = (0..<100).map { #"{"_id":"d\#($0)","text":"\#(text)"}"# }
        try shell.write("many.jsonl", lines.joined(separator: "\n"))
        try shell.write("photo.bin", String(repeating: "a picture", count: 10_000))
        if !line.hasPrefix("import") { try shell.run("import", "db", "many.jsonl") }
        let outcome = try shell.bash("(ulimit -f 24; divan \(line)) || test $? = 5")
        #expect(outcome.status == 0, "\(line): \(outcome.errors)")
        #expect(outcome.errors.contains("File too large"), "\(line): \(outcome.errors)")
        try shell.run("check", "db")
    }

    @Test func `serve without file descriptors fails without a crash`() throws {
        var refusals = 0
        for limit in 12...20 {
            let outcome = try shell.bash(
                """
                ulimit -n \(limit)
                status=0
                timeout -s INT 20 divan serve db --no-tls --interface 127.0.0.1 </dev/null || status=$?
                test $status -lt 128
                """
            )
            #expect(outcome.status == 0, "\(limit): \(outcome.errors)")
            if outcome.errors.contains("Too many open files") { refusals += 1 }
        }
        #expect(refusals > 0)
    }

    @Test func `serve and push report that the database files were removed`() throws {
        try shell.run("new", "other")
        try shell.run("put", "other", "two", "{}")
        let server = try shell.serve("db", "--no-tls")
        let url = try server.url()
        try shell.bash("mv db.cblite2 away.cblite2").expectSuccess()
        #expect(try shell.divan("push", "other", url).status == 6)
        let told = try server.event {
            $0["event"] as? String == "problem"
                && ($0["text"] as? String)?.contains("removed") == true
        }
        #expect(told["count"] as? Int == 1)
        server.stop()
        #expect(try shell.run("ls", "away").output == "one\n")
    }

    @Test func `a local database error is not reported as a peer error`() throws {
        try shell.bash("rm -f db.cblite2/lock; mkdir db.cblite2/lock").expectSuccess()
        for verb in ["pull", "push", "sync"] {
            #expect(try shell.divan(verb, "db", "ws://127.0.0.1:1/db").status == 5)
        }
    }
}
