import DivanTestKit
import Foundation
import Testing

/// `divan blob`: blobs in, out, and listed.
@Suite struct BlobCommandTests {
    private let shell: Shell
    private let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"n":1}"#)
        try content.write(to: URL(fileURLWithPath: shell.path("photo.jpg")))
    }

    @Test func `a blob is stored and read back unchanged`() throws {
        try shell.run("blob", "put", "db", "one", "photo", "photo.jpg")
        try shell.run("blob", "get", "db", "one", "photo", "out.jpg")
        #expect(try Data(contentsOf: URL(fileURLWithPath: shell.path("out.jpg"))) == content)
        let body = try shell.run("get", "db", "one", "--raw").output
        #expect(body.contains("\"content_type\":\"image/jpeg\""))
        #expect(body.contains("\"length\":300000"))
        #expect(body.contains("\"n\":1"))
    }

    /// In another database it would have another digest, and appear intact.
    @Test func `an altered blob is not returned`() throws {
        try shell.run("blob", "put", "db", "one", "photo", "photo.jpg")
        let folder = shell.path("db.cblite2/Attachments")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        var bytes = content
        bytes[100] ^= 1
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        let words = [
            ["blob", "get", "db", "one", "photo", "out.jpg"], ["blob", "get", "db", "one"],
            ["export", "db", "out.jsonl", "--blobs"], ["cp", "db", "out.jsonl"],
        ]
        for words in words {
            let outcome = try shell.divan(words)
            #expect(outcome.status == 5, "\(words): \(outcome.errors)")
            #expect(outcome.errors.contains("is damaged (its digest is sha1-"))
        }
        #expect(!FileManager.default.fileExists(atPath: shell.path("out.jpg")))
        #expect(!FileManager.default.fileExists(atPath: shell.path("out.jsonl")))
    }

    @Test func `a single blob needs no key and works with pipes`() throws {
        let words = ["blob", "put", "db", "new", "text", "-", "--type", "text/plain"]
        #expect(try shell.divan(words, input: "hello").status == 0)
        #expect(try shell.run("blob", "get", "db", "new").output == "hello")
    }

    @Test func `blob ls prints the JSON pointer of each blob`() throws {
        try shell.write(
            "doc.json",
            #"{"a/b":[{"@type":"blob","data":"aGk=","content_type":"x/y"}]}"#
        )
        try shell.run("put", "db", "deep", try shell.text("doc.json"))
        try shell.run("blob", "put", "db", "one", "photo", "photo.jpg")
        let lines = try shell.run("blob", "ls", "db").output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix("  deep  /a~1b/0"))
        #expect(lines[1].contains("300.0 kB  image/jpeg"))
        #expect(lines[1].hasSuffix("  one  photo"))
        #expect(try shell.run("blob", "get", "db", "deep", "/a~1b/0").output == "hi")
        let row = try shell.run("blob", "ls", "db", "deep", "--json").json()
        #expect(row["type"] as? String == "x/y")
        #expect(row["bytes"] as? Int == 2)
    }

    @Test func `a document with several blobs requires a key`() throws {
        try shell.run("blob", "put", "db", "one", "a", "photo.jpg")
        try shell.run("blob", "put", "db", "one", "b", "photo.jpg")
        let outcome = try shell.divan("blob", "get", "db", "one")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("choose one of these keys: a, b"))
        #expect(try shell.divan("blob", "get", "db", "one", "c").status == 3)
    }

    @Test(arguments: [
        "3 get db none", "3 get db one", "3 put db one k missing.jpg", "4 put db _one k photo.jpg",
        "4 put db one _id photo.jpg", "3 ls db none", "2 frob", "2", "2 put db one k",
    ])
    func `blob errors have their exit codes`(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try shell.divan(["blob"] + words.dropFirst())
        #expect(outcome.status == Int32(words[0]), "\(outcome.errors)")
        #expect(outcome.complaints.filter { $0.hasPrefix("divan: ") }.count == 1)
    }

    @Test(arguments: ["/photo/content_type", "/photo/digest", "/photo/new"])
    func `a blob cannot be stored inside a blob reference`(place: String) throws {
        try shell.run("blob", "put", "db", "one", "photo", "photo.jpg")
        try shell.write("note.txt", "hi")
        try shell.divan("blob", "put", "db", "one", place, "note.txt").expectFailure(3, place)
        try shell.run("compact", "db")
        try shell.run("blob", "get", "db", "one", "photo", "out.jpg")
        #expect(try Data(contentsOf: URL(fileURLWithPath: shell.path("out.jpg"))) == content)
    }

    @Test func `a blob with missing content is reported`() throws {
        try shell.run("blob", "put", "db", "one", "photo", "photo.jpg")
        let folder = shell.path("db.cblite2/Attachments")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        let outcome = try shell.divan("blob", "get", "db", "one")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("is missing\nhint: run 'divan blob fetch db URL'"))
        #expect(try shell.run("blob", "ls", "db").output.contains("       -  image/jpeg"))
    }
}
