import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Anything that writes the rest of a database names what a disk has changed, and never outputs it.
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

    /// Alters, truncates or removes the blob.
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
    func `a dump skips a missing or damaged blob and can be restored`(_ way: String) throws {
        try spoil(way)
        let word = way == "gone" ? "missing" : "altered"
        let outcome = try shell.divan("dump", "db", "db.dump")
        expectPartly(outcome, "1 ", way == "gone" ? "missing" : "damaged", "divan: blob sha1-")
        let told = try shell.divan("dump", "db", "db.dump", "--json").json()
        #expect((told[word + "Blobs"] as? [String])?.count == 1, "\(told)")
        #expect(told["blobs"] as? Int == 0)
        let restored = try shell.divan("restore", "again", "db.dump")
        expectPartly(restored, "missing")
        #expect(try shell.run("ls", "again").lines.count == 4)
    }

    @Test
    func `an incremental dump reports a damaged blob until it is repaired`() throws {
        let file = try blobFile()
        _ = try shell.bash("cp '\(file)' whole")
        try spoil("altered")
        expectPartly(try shell.divan("dump", "db", "monday"), "1 damaged blob skipped")
        let tuesday = try shell.divan("dump", "db", "tuesday", "--since", "monday")
        expectPartly(tuesday, "1 damaged blob skipped")
        _ = try shell.bash("cp whole '\(file)'")
        try shell.run("dump", "db", "wednesday", "--since", "tuesday")
        try shell.run("dump", "db", "thursday", "--since", "wednesday")
        #expect(try !shell.text("thursday").contains("lacks"))
        try shell.run("restore", "again", "monday", "tuesday", "wednesday", "thursday")
        #expect(try shell.run("compare", "db", "again").output.hasPrefix("Equal: "))
        expectPartly(try shell.divan("restore", "two", "monday", "tuesday"), "missing")
    }

    @Test func `a missing blob without references is no longer reported`() throws {
        try spoil("gone")
        expectPartly(try shell.divan("dump", "db", "monday"), "1 blob missing")
        try shell.run("purge", "db", "picture")
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        #expect(try !shell.text("tuesday").contains("lacks"))
    }

    @Test func `a dump with an altered blob restores the rest`() throws {
        try shell.run("dump", "db", "db.dump")
        var lines = try shell.text("db.dump").split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("\"data\":\"dGh") })
        // As written by a version that did not check.
        lines[place] = lines[place].replacingOccurrences(of: "\"dGh", with: "\"dHh")
        let changed = lines.joined(separator: "\n") + "\n"
        try shell.write("changed", changed)
        try shell.divan("restore", "again", "changed")
            .expectFailure(4, "sha256", "content of blob")
        try shell.write(
            "before",
            changed.replacingOccurrences(
                of: #","sha256":"[0-9a-f]{64}""#,
                with: "",
                options: .regularExpression
            )
        )
        let outcome = try shell.divan("restore", "again", "before")
        expectPartly(
            outcome,
            "damaged before it was dumped",
            "1 blob missing or damaged in the dump"
        )
        #expect(try shell.run("ls", "again").lines.count == 4)
        let told = try shell.divan("restore", "two", "before", "--json").json()
        #expect((told["alteredBlobs"] as? [String])?.count == 1, "\(told)")
        #expect((told["missingBlobs"] as? [String])?.isEmpty == true, "\(told)")
        #expect(told["blobs"] as? Int == 0)
    }

    @Test func `a dump reports the documents that it skips`() throws {
        try damage("b")
        let outcome = try shell.divan("dump", "db", "db.dump")
        expectPartly(outcome, "1 damaged document skipped", "_default/b: damaged, skipped")
        let told = try shell.divan("dump", "db", "db.dump", "--json").json()
        #expect(told["damaged"] as? Int == 1 && told["documents"] as? Int == 3, "\(told)")
        try shell.run("restore", "again", "db.dump")
        #expect(try shell.run("ls", "again").output == "a\nc\npicture\n")
    }

    @Test func `an incremental dump is rejected if it would purge a damaged document`() throws {
        try shell.run("dump", "db", "monday")
        try shell.run("put", "db", "b", #"{"t":"text of b, new."}"#)
        try shell.run("compact", "db")
        try flip("of b, new.", in: shell.path("db.cblite2/db.sqlite3"))
        let outcome = try shell.divan("dump", "db", "tuesday", "--since", "monday")
        outcome.expectFailure(5, "_default/b: damaged since the previous dump")
        #expect(!FileManager.default.fileExists(atPath: shell.path("tuesday")))
        #expect(try shell.divan("dump", "db", "--since", "monday").output.isEmpty)
    }

    @Test func `an incremental dump keeps documents that were intact in the previous dump`() throws
    {
        try shell.run("dump", "db", "monday")
        try shell.run("put", "db", "d", "{}")
        try shell.run("purge", "db", "a")
        try damage("b")
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        try shell.run("restore", "again", "monday", "tuesday")
        #expect(try shell.run("ls", "again").output == "b\nc\nd\npicture\n")
    }

    @Test func `an incremental export and blob ls report the documents that they skip`() throws {
        try damage("b")
        let outcome = try shell.divan("export", "db", "out.jsonl", "--since", "0")
        expectPartly(outcome, "1 damaged document skipped", "_default/b: damaged, skipped")
        #expect(try shell.text("out.jsonl").split(separator: "\n").count == 3)
        let told = try shell.divan("export", "db", "out.jsonl", "--since", "0", "--json").json()
        #expect(told["damaged"] as? Int == 1 && told["documents"] as? Int == 3, "\(told)")
        let blobs = try shell.divan("blob", "ls", "db")
        expectPartly(blobs, "1 damaged document skipped")
        #expect(blobs.lines.count == 1)
        expectPartly(try shell.divan("export", "db", "all.jsonl"), "1 damaged document skipped")
    }

    @Test func `an SQLite export contains intact blobs only and reports missing ones`() throws {
        try spoil("altered")
        try shell.divan("export", "db", "out.sqlite", "--blobs").expectFailure(5, " is damaged")
        #expect(!FileManager.default.fileExists(atPath: shell.path("out.sqlite")))
        try spoil("gone")
        let outcome = try shell.divan("export", "db", "out.sqlite", "--blobs")
        expectPartly(outcome, "1 blob missing", ": missing")
        #expect(FileManager.default.fileExists(atPath: shell.path("out.sqlite")))
    }

    /// Writes the rest in every form, and expects that a document is left out, named and counted.
    private func expectLeftOut(_ id: String) throws {
        let verbs = [
            ["export", "db"], ["export", "db", "--since", "0"], ["export", "db", "out.jsonl"],
            ["export", "db", "--array"], ["export", "db", "out.csv"],
            ["export", "db", "out.sqlite"], ["cp", "db", "copy.jsonl"], ["dump", "db", "db.dump"],
            ["export", "db", "--query", "SELECT META().id, t FROM _"],
            ["export", "db", "rows.csv", "--query", "SELECT META(x).id, x.t FROM _ AS x"],
        ]
        for words in verbs {
            let outcome = try shell.divan(words)
            expectPartly(outcome, "_default/\(id): damaged", "1 damaged document skipped")
            #expect(!outcome.output.contains("text of \(id)"), "\(outcome)")
            #expect(outcome.output.isEmpty || outcome.output.contains("text of a"), "\(outcome)")
        }
        for file in ["out.jsonl", "out.csv", "copy.jsonl", "db.dump", "rows.csv"] {
            let text = try shell.text(file)
            #expect(text.contains("text of a") && text.contains("text of c"), "\(file)")
        }
        let told = try shell.divan("export", "db", "told.csv", "--json").json()
        #expect(told["damaged"] as? Int == 1 && told["documents"] as? Int == 3, "\(told)")
    }

    @Test func `every export skips a damaged document, reports it and writes the rest`() throws {
        try damage("b")
        try expectLeftOut("b")
        // Another collection has an intact document of that name.
        try shell.run("mkcoll", "db", "other")
        try shell.run("put", "db", "b", #"{"t":"text of another b"}"#, "-c", "other")
        let rows = try shell.run("export", "db", "--query", "SELECT t FROM other")
        #expect(rows.output.contains("text of another b"))
    }

    /// Makes the row say that the document is deleted, which its checksum contradicts.
    private func hide(_ id: String) throws {
        let told = try shell.run("ls", "db", id, "--long", "--json").json()
        let revision = try #require(told["revision"] as? String)
        try shell.run("compact", "db")
        let file = URL(filePath: shell.path("db.cblite2/db.sqlite3"))
        try RowDamage.hide(revision: revision, in: file)
    }

    @Test func `a document with a damaged deletion flag is reported by every list`() throws {
        try hide("b")
        try shell.divan("get", "db", "b").expectFailure(5, "\"b\" is damaged")
        for words in [["ls", "db"], ["ls", "db", "-l"], ["query", "db", "SELECT t FROM _"]] {
            try shell.divan(words).expectFailure(5, "document \"b\" is damaged")
        }
        try expectLeftOut("b")
        #expect(try shell.run("ls", "db", "--limit", "1").output == "a\n")
    }

    /// As created by a save that does not find the document, since the index of IDs is damaged.
    @Test func `a document with a duplicate index entry is dumped, restored and repaired`() throws {
        try shell.run("compact", "db")
        // In the index the ID follows a number with its length, in the page of documents it does not.
        let file = URL(filePath: shell.path("db.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        let entry = try #require(
            bytes.range(of: Data([0x03, 0x0F, 0x01, UInt8(ascii: "b")])) ?? bytes.range(
                of: Data([0x03, 0x0F, 0x09, UInt8(ascii: "b")])
            ) ?? bytes.range(of: Data([0x04, 0x03, 0x0F, 0x01, UInt8(ascii: "b")]))
        )
        bytes[entry.upperBound - 1] = UInt8(ascii: "Z")
        try bytes.write(to: file)
        try shell.divan("check", "db").expectFailure(5, "1 part of the file damaged")
        try shell.run("put", "db", "b", #"{"t":"later"}"#)
        expectPartly(try shell.divan("dump", "db", "db.dump"), "the index of document IDs")
        try shell.run("restore", "again", "db.dump")
        #expect(try shell.run("ls", "again").output == "a\nb\nc\npicture\n")
        #expect(try shell.run("get", "again", "b").output.contains("later"))
        let outcome = try shell.run("index", "rebuild", "db")
        #expect(outcome.errors.contains("b of _default._default was stored twice"), "\(outcome)")
        #expect(try shell.run("check", "db").output == "Intact: 4 documents and 1 blob\n")
        #expect(try shell.run("get", "db", "b").output.contains("later"))
    }

    @Test func `cp and encrypt fail on an altered blob`() throws {
        try spoil("altered")
        _ = try shell.bash("umask 077; head -c 32 /dev/urandom > key")
        try shell.divan("cp", "db", "copy").expectFailure(5, "blob sha1-", "is damaged")
        try shell.divan("encrypt", "db", "--key-file", "key")
            .expectFailure(5, "blob sha1-", "is damaged")
        let files = try FileManager.default.contentsOfDirectory(atPath: shell.path(""))
        #expect(!files.contains { $0.hasPrefix("copy") })
        #expect(try shell.run("ls", "db").lines.count == 4)
    }

    @Test func `a database without collections is reported as damaged`() throws {
        let file = URL(filePath: shell.path("db.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        var start = bytes.startIndex
        while let place = bytes[start...].range(of: Data("_default_default".utf8)) {
            // Its page no longer has any cells.
            let page = place.lowerBound / 8_192 * 8_192
            bytes.replaceSubrange(page + 3..<page + 5, with: [0, 0])
            start = place.upperBound
        }
        try bytes.write(to: file)
        #expect(
            try shell.run("info", "db").output.contains("Collections  none: the file is damaged")
        )
    }

    @Test(.enabled(if: CurrentProcess.effectiveUser != 0))
    func `an unreadable log in a read-only directory is reported with a hint`() throws {
        // Another process has it open, so that the log stays.
        let script = """
            divan watch db --json >/dev/null & watching=$!
            until [ -e db.cblite2/db.sqlite3-shm ]; do kill -0 $watching || exit 1; done
            divan put db late '{}'
            cp -r db.cblite2 copy.cblite2
            kill $watching
            rm copy.cblite2/db.sqlite3-shm
            chmod a-w copy.cblite2
            divan ls copy; echo "status $?"
            chmod u+w copy.cblite2
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("status 5"), "\(outcome)")
        #expect(
            outcome.errors.contains("hint: copy the directory to a location that you can write to"),
            "\(outcome)"
        )
    }
}
