import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// What a person does with a local database; each test runs the real program.
@Suite struct LocalCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
    }

    /// What is saved under the ID of an expired document is a new one.
    @Test(arguments: [["put", "db", "a", #"{"n":2}"#], ["import", "db", "lines"]])
    func `a document saved again after its expiration is kept`(words: [String]) throws {
        let shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "a", #"{"n":1}"#)
        try shell.run("expire", "db", "a", "2020-01-01T00:00:00Z")
        try shell.write("lines", #"{"_id":"a","n":2}"# + "\n")
        #expect(try shell.divan(words).status == 0)
        #expect(try shell.run("get", "db", "a").output.contains("2"))
        try shell.run("put", "db", "other", "{}")
        try shell.run("rm", "db", "other")
        #expect(try shell.run("ls", "db").output.contains("a"))
    }

    @Test func `get returns the document that put saved`() throws {
        try shell.run("put", "db", "one", #"{"b":[1,2.5,null],"a":"ä"}"#)
        #expect(
            try shell.run("get", "db", "one", "--raw").output == #"{"a":"ä","b":[1,2.5,null]}"#
                + "\n"
        )
    }

    @Test func `put reads the body from standard input`() throws {
        let outcome = try shell.divan("put", "db", "one", input: #"{"from":"stdin"}"#)
        #expect(outcome.status == 0)
        #expect(try shell.run("get", "db", "one", "--raw").output.contains("stdin"))
    }

    @Test func `put obeys --create and --update`() throws {
        #expect(try shell.divan("put", "db", "one", "{}", "--update").status == 3)
        try shell.run("put", "db", "one", "{}", "--create")
        #expect(try shell.divan("put", "db", "one", "{}", "--create").status == 10)
        try shell.run("put", "db", "one", "{}", "--update")
    }

    @Test func `revision IDs match the published test vectors`() throws {
        let outcome = try shell.run("put", "db", "one", #"{"ans*wer":42}"#)
        #expect(outcome.errors.contains("1-feb9f18cfe84f614f750040e3eed3eb84a6b5332"))
        let second = try shell.run("put", "db", "one", #"{"ok":"go"}"#)
        #expect(second.errors.contains("2-134f93aab57c91b159373e97764ef82a5eb058a0"))
    }

    @Test func `a deleted document can be created again`() throws {
        try shell.run("put", "db", "one", "{}")
        try shell.run("rm", "db", "one")
        #expect(try shell.divan("get", "db", "one").status == 3)
        #expect(try shell.run("ls", "db").output.isEmpty)
        let outcome = try shell.run("put", "db", "one", "{}")
        #expect(outcome.errors.contains("revision 3-"))
    }

    @Test func `a purged document leaves no history`() throws {
        try shell.run("put", "db", "one", "{}")
        try shell.run("rm", "db", "one", "--purge")
        #expect(try shell.run("put", "db", "one", "{}").errors.contains("revision 1-"))
    }

    @Test func `a blob is read back unchanged`() throws {
        let content = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try content.write(to: URL(fileURLWithPath: shell.path("photo.jpg")))
        try shell.run("put", "db", "one", "{}", "--blob", "photo=photo.jpg")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: shell.path("db.cblite2/Attachments")
        )
        #expect(names.filter { $0.hasSuffix(".blob") }.count == 1)
        let body = try shell.run("get", "db", "one", "--raw").output
        #expect(body.contains(#""content_type":"image/jpeg""#))
        #expect(body.contains(#""length":70000"#))
    }

    @Test func `an export with blobs can be imported`() throws {
        try shell.write("flag.png", "not really a picture")
        try shell.run("put", "db", "one", #"{"n":1}"#, "--blob", "flag=flag.png")
        try shell.run("put", "db", "two", #"{"n":2}"#)
        try shell.run("export", "db", "all.jsonl", "--blobs")
        try shell.run("new", "copy")
        try shell.run("import", "copy", "all.jsonl")
        let outcome = try shell.run("compare", "db", "copy")
        #expect(outcome.output == "Equal: 2 documents and 1 blob\n")
    }

    @Test func `import accepts JSON lines, arrays and directories`() throws {
        try shell.write("lines.jsonl", "{\"_id\":\"a\",\"n\":1}\n\n{\"_id\":\"b\"}")
        try shell.write("array.json", #"[ {"key":"c","t":"x],[y"},{"key":4} ]"#)
        try FileManager.default.createDirectory(
            atPath: shell.path("folder"),
            withIntermediateDirectories: false
        )
        try shell.write("folder/d.json", "{\"n\":[]}")
        try shell.run("import", "db", "lines.jsonl")
        try shell.run("import", "db", "array.json", "--id-from", "key")
        try shell.run("import", "db", "folder")
        #expect(try shell.run("ls", "db").output == "4\na\nb\nc\nd\n")
    }

    @Test func `documents belong to one collection`() throws {
        try shell.run("new", "geo", "--collections", "geo.a,geo.b")
        try shell.run("put", "geo", "one", "{}", "-c", "geo.a")
        #expect(try shell.run("ls", "geo", "-c", "geo.a").output == "one\n")
        #expect(try shell.run("ls", "geo", "-c", "geo.b").output.isEmpty)
        let info = try shell.run("info", "geo", "--json").json()
        let names = (info["collections"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
        #expect(names == ["_default", "geo.a", "geo.b"])
    }

    @Test func `ls accepts a prefix and a limit`() throws {
        for name in ["a1", "a2", "a3", "b1"] { try shell.run("put", "db", name, "{}") }
        #expect(try shell.run("ls", "db", "a", "--limit", "2").output == "a1\na2\n")
        let rows = try shell.run("ls", "db", "b", "--json").json()
        #expect(rows["id"] as? String == "b1")
        #expect(rows["sequence"] as? Int == 4)
    }

    @Test func `compare lists the differences`() throws {
        try shell.run("new", "other")
        try shell.run("put", "db", "one", "{}")
        try shell.run("put", "db", "two", #"{"n":1}"#)
        try shell.run("put", "other", "two", #"{"n":2}"#)
        let outcome = try shell.divan("compare", "db", "other")
        #expect(outcome.status == 9)
        #expect(outcome.output.contains("_default/one: only in db\n"))
        #expect(outcome.output.contains("_default/two: revisions differ: 1-"))
    }

    @Test func `compare shows which database lacks a document or a blob`() throws {
        try shell.write("f.txt", "a content")
        try shell.run("blob", "put", "db", "picture", "f", "f.txt")
        try shell.run("cp", "db", "other")
        try shell.run("put", "other", "new", "{}")
        _ = try shell.bash("rm other.cblite2/Attachments/*.blob")
        let outcome = try shell.divan("compare", "db", "other")
        #expect(outcome.status == 9)
        #expect(outcome.output.contains("_default/new: only in other\n"))
        #expect(outcome.output.contains(" is missing in other\n"))
        let told = try shell.divan("compare", "db", "other", "--json").json()
        let differences = try #require(told["differences"] as? [[String: Any]])
        #expect(differences.compactMap { $0["onlyIn"] as? String } == ["other"])
        #expect(differences.compactMap { $0["missingIn"] as? [String] } == [["other"]])
    }

    @Test func `a collection given twice is created and removed once`() throws {
        let made = try shell.run("collections", "db", "--make", "twice", "--make", "twice")
        #expect(made.errors.split(separator: "\n").count == 1, "\(made)")
        try shell.run("collections", "db", "--rm", "twice", "--rm", "twice", "--yes")
        #expect(try shell.run("collections", "db").output == "_default  0 documents\n")
    }

    @Test func `control characters in a database name are escaped`() throws {
        let outcome = try shell.run("new", "a\u{1B}[31mb\nc")
        #expect(outcome.errors.contains(#"a\u{1b}[31mb\u{a}c.cblite2"#), "\(outcome)")
    }

    @Test func `compare ignores differences in JSON formatting`() throws {
        let spellings = [
            #"{"_attachments":{"p":{"digest":"sha1-x","revpos":7,"stub":true}},"a":"<\#u{2028}","n":1e2}"#,
            #"{"n":100.0,"a":"\u003c\u2028","_attachments":{"p":{"revpos":1,"digest":"sha1-x"}}}"#,
            #"{"n":100,"a":"\u003c\u2028","_attachments":{"p":{"revpos":1,"digest":"sha1-x"}}}"#,
        ]
        for (name, body) in zip(["one", "two", "three"], spellings) {
            try shell.run("new", name)
            let store = try Store.open(directory: shell.path(name + ".cblite2"))
            try store.write { writer in
                let revision = RemoteRevision(
                    documentID: "doc",
                    revisionID: try #require(RevisionID("1-aa")),
                    body: Array(body.utf8)
                )
                _ = try writer.insert(revision, in: .default)
            }
            try store.close()
        }
        #expect(try shell.run("compare", "one", "two").output == "Equal: 1 document and 0 blobs\n")
        let outcome = try shell.divan("compare", "one", "three")
        #expect(outcome.status == 9 && outcome.output.contains("doc: bodies differ"))
    }

    @Test func `help lists commands and exit codes`() throws {
        let help = try shell.run("--help").output
        for verb in ["new", "import", "serve", "sync"] { #expect(help.contains("  \(verb) ")) }
        #expect(help.contains("  130  stopped by Ctrl-C"))
        #expect(try shell.run("serve", "--help").output.contains("--identity LABEL|FILE"))
    }
}
