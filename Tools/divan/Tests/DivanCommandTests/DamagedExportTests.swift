import DivanTestKit
import Foundation
import Testing

/// What a disk has changed is named by whatever writes the rest of a database, and never handed out.
@Suite struct DamagedExportTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        for name in ["a", "b", "c"] {
            try shell.run("put", "db", name, #"{"t":"text of \#(name)."}"#)
        }
        try shell.write("f.txt", "the content of a blob")
        try shell.run("blob", "put", "db", "picture", "f", "f.txt")
        try shell.run("compact", "db")
    }

    private func flip(_ text: String, in path: String) throws {
        let file = URL(filePath: path)
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data(text.utf8)))
        bytes[place.upperBound - 2] ^= 1
        try bytes.write(to: file)
    }

    private func damage(_ name: String) throws {
        try shell.run("compact", "db")
        try flip("text of \(name).", in: shell.path("db.cblite2/db.sqlite3"))
    }

    private func blobFile() throws -> String {
        let folder = shell.path("db.cblite2/Attachments")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return "\(folder)/" + (try #require(names.first { $0.hasSuffix(".blob") }))
    }

    /// Alters, cuts off or removes the content.
    private func spoil(_ way: String) throws {
        let file = try blobFile()
        let bytes = try Data(contentsOf: URL(filePath: file))
        try FileManager.default.removeItem(atPath: file)
        switch way {
        case "altered": try Data(bytes.map { $0 ^ 1 }).write(to: URL(filePath: file))
        case "cut off": try bytes.dropLast(3).write(to: URL(filePath: file))
        default: break
        }
    }

    private func expectPartly(_ outcome: Program.Outcome, _ words: String...) {
        #expect(outcome.status == 8, "\(outcome)")
        for word in words { #expect(outcome.errors.contains(word), "\(outcome)") }
    }

    @Test(arguments: ["altered", "cut off", "gone"])
    func `a dump leaves out a content that is not whole, and makes a database all the same`(
        _ way: String
    ) throws {
        try spoil(way)
        let word = way == "gone" ? "missing" : "altered"
        let outcome = try shell.divan("dump", "db", "db.dump")
        expectPartly(outcome, "1 ", word, "divan: blob sha1-")
        let told = try shell.divan("dump", "db", "db.dump", "--json").json()
        #expect((told[word + "Blobs"] as? [String])?.count == 1, "\(told)")
        #expect(told["blobs"] as? Int == 0)
        let restored = try shell.divan("restore", "again", "db.dump")
        expectPartly(restored, "missing")
        #expect(try shell.run("ls", "again").lines.count == 4)
    }

    @Test func `a dump names the documents that it leaves out`() throws {
        try damage("b")
        let outcome = try shell.divan("dump", "db", "db.dump")
        expectPartly(outcome, "1 damaged document left out", "_default/b: damaged, left out")
        let told = try shell.divan("dump", "db", "db.dump", "--json").json()
        #expect(told["damaged"] as? Int == 1 && told["documents"] as? Int == 3, "\(told)")
        try shell.run("restore", "again", "db.dump")
        #expect(try shell.run("ls", "again").output == "a\nc\npicture\n")
    }

    @Test func `an increment is refused where it would purge what the former dump holds`() throws {
        try shell.run("dump", "db", "monday")
        try shell.run("put", "db", "b", #"{"t":"text of b, new."}"#)
        try shell.run("compact", "db")
        try flip("of b, new.", in: shell.path("db.cblite2/db.sqlite3"))
        let outcome = try shell.divan("dump", "db", "tuesday", "--since", "monday")
        outcome.expectFailure(5, "_default/b: damaged since the former dump")
        #expect(!FileManager.default.fileExists(atPath: shell.path("tuesday")))
        #expect(try shell.divan("dump", "db", "--since", "monday").output.isEmpty)
    }

    @Test func `an increment keeps what was whole when the former dump was made`() throws {
        try shell.run("dump", "db", "monday")
        try shell.run("put", "db", "d", "{}")
        try shell.run("purge", "db", "a")
        try damage("b")
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        try shell.run("restore", "again", "monday", "tuesday")
        #expect(try shell.run("ls", "again").output == "b\nc\nd\npicture\n")
    }

    @Test func `an export of changes and a list of blobs name what they leave out`() throws {
        try damage("b")
        let outcome = try shell.divan("export", "db", "out.jsonl", "--since", "0")
        expectPartly(outcome, "1 damaged document left out", "_default/b: damaged, left out")
        #expect(try shell.text("out.jsonl").split(separator: "\n").count == 3)
        let told = try shell.divan("export", "db", "out.jsonl", "--since", "0", "--json").json()
        #expect(told["damaged"] as? Int == 1 && told["documents"] as? Int == 3, "\(told)")
        let blobs = try shell.divan("blob", "ls", "db")
        expectPartly(blobs, "1 damaged document left out")
        #expect(blobs.lines.count == 1)
        try shell.divan("export", "db", "all.jsonl").expectFailure(5)
    }

    @Test func `tables hold whole contents only, and name what is missing`() throws {
        try spoil("altered")
        try shell.divan("export", "db", "out.sqlite", "--blobs").expectFailure(5, "altered")
        #expect(!FileManager.default.fileExists(atPath: shell.path("out.sqlite")))
        try spoil("gone")
        let outcome = try shell.divan("export", "db", "out.sqlite", "--blobs")
        expectPartly(outcome, "1 blob missing", ": missing")
        #expect(FileManager.default.fileExists(atPath: shell.path("out.sqlite")))
    }
}
