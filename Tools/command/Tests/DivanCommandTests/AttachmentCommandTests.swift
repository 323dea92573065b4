import DivanTestKit
import Foundation
import Testing

/// Attachments in CouchDB's form, which a pull from Sync Gateway leaves in a document.
@Suite struct AttachmentCommandTests {
    private let shell: Shell
    private let body = """
        {"_attachments":{"a.txt":{"content_type":"text/plain","data":"aGVsbG8=","revpos":1}},
        "t":"old"}
        """

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", body)
    }

    private func expectContent(_ database: String = "db") throws {
        try shell.run("compact", database)
        #expect(try shell.run("check", database).output == "Intact: 1 document and 1 blob\n")
        #expect(
            try shell.run("blob", "get", database, "one", "/_attachments/a.txt").output == "hello"
        )
    }

    @Test func `put and edit keep CouchDB attachments`() throws {
        try expectContent()
        let text = try shell.run("get", "db", "one", "--raw").output
        #expect(text.contains(#""digest":"sha1-"#) && !text.contains("data"), "\(text)")
        try shell.divan(["put", "db", "one", "-"], input: text).expectSuccess()
        try expectContent()
        let editor = ["EDITOR": "sed -i s/old/new/", "VISUAL": ""]
        try shell.divan(["edit", "db", "one"], environment: editor).expectSuccess()
        #expect(try shell.run("get", "db", "one", "--raw").output.contains(#""t":"new""#))
        try expectContent()
    }

    @Test func `an export and import keeps CouchDB attachments`() throws {
        try shell.run("export", "db", "out.jsonl")
        let text = try shell.text("out.jsonl")
        try shell.write("out.jsonl", text.replacing("old", with: "new"))
        try shell.run("import", "db", "out.jsonl")
        #expect(try shell.run("get", "db", "one", "--raw").output.contains(#""t":"new""#))
        try expectContent()
    }

    @Test func `JSON lines contain the attachments and restore them`() throws {
        try shell.run("cp", "db", "copy.jsonl")
        #expect(try shell.text("copy.jsonl").contains(#""data":"aGVsbG8=""#))
        try shell.run("cp", "copy.jsonl", "again")
        try expectContent("again")
        let before = try shell.run("get", "db", "one", "--raw").output
        #expect(try shell.run("get", "again", "one", "--raw").output == before)
        try shell.run("export", "db", "out.jsonl", "--blobs")
        #expect(try shell.text("out.jsonl") == shell.text("copy.jsonl"))
    }

    @Test(arguments: [
        "blob put db one _attachments word", "blob put db one /_attachments/b word",
        "put db one {} --blob _attachments=word",
    ])
    func `a blob cannot be stored under _attachments`(_ line: String) throws {
        try shell.write("word", "hello")
        try shell.divan(line.split(separator: " ").map(String.init))
            .expectFailure(4, "the key '_attachments' is reserved for CouchDB attachments")
        try expectContent()
    }
}
