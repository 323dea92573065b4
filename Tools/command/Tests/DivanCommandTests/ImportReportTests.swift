import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// What `divan import` reports is what it did.
@Suite(.timeLimit(.minutes(5))) struct ImportReportTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    @Test func `only blobs with content are counted`() throws {
        let named = #"{"@type":"blob","digest":"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="}"#
        let content = #"{"@type":"blob","data":"c2FmZnJvbg=="}"#
        try shell.write(
            "in.jsonl",
            #"{"_id":"a","f":\#(named)}"# + "\n" + #"{"_id":"b","f":\#(content),"g":\#(named)}"#
        )
        let rehearsed = try shell.run("import", "db", "in.jsonl", "--dry-run", "--json").json()
        #expect(rehearsed["blobs"] as? Int == 1)
        let told = try shell.divan("import", "db", "in.jsonl")
        #expect(told.status == 8, "the other content is nowhere")
        #expect(told.errors.hasPrefix("Imported 2 documents and 1 blob in "), "\(told)")
        #expect(try shell.run("info", "db").output.contains("Blobs        1,"))
        #expect(try shell.run("blob", "ls", "db", "-c", "_default").lines.count >= 2)
    }

    @Test func `random IDs are reported with a way to avoid them`() throws {
        try shell.write("in.jsonl", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"_id\":\"c\"}\n")
        let rehearsed = try shell.run("import", "db", "in.jsonl", "--dry-run")
        #expect(
            rehearsed.errors.contains("2 documents without '_id' got random IDs"),
            "\(rehearsed)"
        )
        let told = try shell.run("import", "db", "in.jsonl")
        #expect(told.errors.contains("use '--id-from id' to take the IDs from a key"), "\(told)")
        let counted = try shell.run("import", "db", "in.jsonl", "--json").json()
        #expect(counted["randomIDs"] as? Int == 2)
        try shell.write("some.jsonl", "{\"id\":\"a\"}\n{\"n\":1}\n")
        let named = try shell.run("import", "db", "some.jsonl", "--id-from", "id")
        #expect(named.errors.contains("1 document without 'id' got a random ID"), "\(named)")
        try shell.write("named.jsonl", "{\"_id\":\"d\"}")
        #expect(try !shell.run("import", "db", "named.jsonl").errors.contains("random"))
        #expect(try shell.run("cp", "in.jsonl", "copy").errors.contains("got random IDs"))
    }

    @Test func `an --id-from key that no document has is rejected`() throws {
        let lines = (1...1_500).map { "{\"number\":\($0)}\n" }.joined()
        try shell.write("in.jsonl", lines)
        try shell.divan("import", "db", "in.jsonl", "--id-from", "nubmer")
            .expectFailure(4, "no document has the key 'nubmer'", "did you mean 'number'?")
        try shell.write("t.csv", "a,b\n1,2\n")
        for option in ["--dry-run", "--keep-going"] {
            try shell.divan("import", "db", "t.csv", "--id-from", "sku", option)
                .expectFailure(4, "the first document has 'a', 'b'")
        }
        #expect(try shell.run("ls", "db").output.isEmpty)
    }

    @Test func `documents before a missing file are saved and counted`() throws {
        try shell.write("in.jsonl", #"{"_id":"a"}"#)
        try shell.divan("import", "db", "in.jsonl", "nothing.jsonl")
            .expectFailure(3, "nothing.jsonl", "1 document was saved")
        #expect(try shell.run("ls", "db").output == "a\n")
    }

    @Test(arguments: [Signal.interrupt, .terminate])
    func `the first signal ends an import that waits for input`(_ signal: Signal) throws {
        let (input, writing) = try FileDescriptor.pipe()
        defer { writing.close() }
        let (reading, errors) = try FileDescriptor.pipe()
        defer { reading.close() }
        let process = try ChildProcess.spawn(
            Shell.divan.path,
            ["divan", "import", shell.path("db"), "-"],
            descriptors: [(input, as: .standardInput), (errors, as: .standardError)],
            signals: .defaults
        )
        input.close()
        errors.close()
        try writing.writeAll(Array("{\"_id\":\"early\"}\n".utf8))
        // It handles signals before it reads.
        var ended: ChildProcess.Status?
        while let unread = writing.waitingByteCount, unread > 0 {
            let (isRunning, status) = process.poll()
            guard isRunning else {
                ended = status
                break
            }
            CurrentThread.yield()
        }
        if ended == nil { signal.send(to: process.id) }
        let told = String(decoding: try reading.readAll() ?? [], as: UTF8.self)
        #expect((ended ?? process.wait())?.exitStatus == 130)
        // The signal may arrive before the document that was read is saved.
        let count = try shell.run("ls", "db").lines.count
        let documents = count == 1 ? "1 document was" : "no documents were"
        let cause = signal == .interrupt ? "Ctrl-C" : "SIGTERM"
        #expect(told == "divan: stopped by \(cause); \(documents) saved\n")
    }
}
