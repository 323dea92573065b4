import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Collections, expiry, purging, checking, compacting and copying from the shell.
@Suite struct MaintenanceCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"n":1}"#)
    }

    private func expect(_ outcome: Program.Outcome, _ status: Int32, _ words: String) {
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    private func blobFiles() throws -> [String] {
        let folder = shell.path("db.cblite2/Attachments")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return names.filter { $0.hasSuffix(".blob") }.map { "\(folder)/\($0)" }
    }

    // MARK: Collections

    @Test func `collections are created, listed and removed`() throws {
        try shell.run("collections", "db", "--make", "geo.a,geo.b", "--make", "plain")
        let lines = try shell.run("collections", "db").output
        #expect(
            lines == "_default  1 document\ngeo.a     0 documents\ngeo.b     0 documents\n"
                + "plain     0 documents\n"
        )
        try shell.run("collections", "db", "--rm", "geo.a", "--rm", "plain", "--yes")
        let json = try shell.run("collections", "db", "--json").output.split(separator: "\n")
        #expect(json.count == 2)
        #expect(json[0] == #"{"bodies":"plain","documents":1,"name":"_default","sequence":1}"#)
    }

    @Test func `info shows which collections are compressed and how much`() throws {
        #expect(try shell.run("info", "db").output.hasSuffix("_default  1 document, sequence 1\n"))
        let lines = (0..<99).map {
            #"{"_id":"d\#($0)","driver":{"name":"Ana \#($0)","shift":"early"},"state":"in service","#
                + #""vehicle":"bus \#($0)"}"#
        }
        try shell.run("compress", "db")
        var text = try shell.run("info", "db").output
        #expect(text.hasSuffix("1 document, sequence 1, lz4, no dictionary yet\n"), "\(text)")
        try shell.write("lines.jsonl", lines.joined(separator: "\n"))
        try shell.run("import", "db", "lines.jsonl")
        try shell.run("compress", "db")
        text = try shell.run("info", "db").output
        #expect(text.contains("100 documents, sequence 100, lz4, 99 % compressed, dictionary "))

        let info = try shell.run("info", "db", "--json").json()
        let collection = try #require((info["collections"] as? [[String: Any]])?.first)
        #expect(collection["bodies"] as? String == "lz4")
        let packed = try #require(collection["packed"] as? [String: Int])
        #expect(packed["documentsSeen"] == 100 && packed["documentsPacked"] == 99)
        #expect(try #require(packed["dictionaryBytes"]) > 5_000)
        #expect(packed["allDictionariesBytes"] == packed["dictionaryBytes"])

        try shell.run("compress", "db", "--codec", "zstd")
        text = try shell.run("info", "db").output
        #expect(text.contains("100 documents, sequence 100, zstd, 99 % compressed, dictionary "))
        #expect(try shell.run("collections", "db", "--json").output.contains(#""bodies":"zstd""#))
        #expect(try shell.run("get", "db", "d7").output.contains("Ana 7"))
        expect(try shell.divan("compress", "db", "--codec", "gzip"), 2, "use 'lz4' or 'zstd'")
        let both = try shell.divan("compress", "db", "--codec", "lz4", "--off")
        expect(both, 2, "cannot be combined")

        try shell.run("compress", "db", "--off")
        let plain = try shell.run("info", "db", "--json").json()
        let after = try #require((plain["collections"] as? [[String: Any]])?.first)
        #expect(after["bodies"] as? String == "plain" && after["packed"] == nil)
    }

    @Test func `changes to collections are applied together or not at all`() throws {
        expect(try shell.divan("collections", "db", "--make", "new", "--rm", "gone"), 3, "gone")
        #expect(!(try shell.run("collections", "db").output.contains("new")))
        expect(
            try shell.divan("collections", "db", "--make", "_bad"),
            4,
            "invalid collection name '_bad'"
        )
    }

    // MARK: Expiry and purging

    @Test func `an expiration is set, shown and cleared`() throws {
        #expect(try shell.run("expire", "db", "one").output == "never\n")
        try shell.run("expire", "db", "one", "2999-12-31T18:00+01:00")
        #expect(try shell.run("expire", "db", "one").output == "2999-12-31T17:00:00.000Z\n")
        #expect(try shell.run("ls", "db", "-l").output.contains("  2999-12-31T17:00:00.000Z  1-"))
        let row = try shell.run("ls", "db", "--json").json()
        #expect(row["expires"] as? String == "2999-12-31T17:00:00.000Z")
        let shown = try shell.run("expire", "db", "one", "--json").json()
        #expect(shown["expires"] as? String == "2999-12-31T17:00:00.000Z")
        try shell.run("expire", "db", "one", "--clear")
        #expect(try shell.run("expire", "db", "one").output == "never\n")
        #expect(
            try shell.run("ls", "db", "--long").output.contains("  -                         1-")
        )
    }

    @Test(arguments: [
        ("T00:00:00.9995Z", "00:00:00.999Z"), ("T00:00:00.1239Z", "00:00:00.123Z"),
        ("T01:00:00.0005+01:00", "00:00:00.000Z"), ("T00:00:00.5Z", "00:00:00.500Z"),
    ])
    func `digits after the milliseconds are cut`(_ text: String, _ time: String) throws {
        try shell.run("expire", "db", "one", "2999-01-01" + text)
        #expect(try shell.run("expire", "db", "one").output == "2999-01-01T\(time)\n")
    }

    @Test(arguments: [("90s", 90.0), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000)])
    func `a relative expiration counts from now`(_ text: String, seconds: Double) throws {
        let before = Date()
        try shell.run("expire", "db", "one", text)
        let shown = try shell.run("expire", "db", "one").output.dropLast()
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let distance = try Date(String(shown), strategy: format).timeIntervalSince(before)
        #expect(distance > seconds - 1 && distance < seconds + 60)
    }

    @Test(arguments: ["soon", "2026-13-01", "5x", "-5d", "99999999999999999w", ""])
    func `an invalid time is rejected`(_ text: String) throws {
        expect(try shell.divan("expire", "db", "one", "--", text), 2, "invalid time '")
    }

    @Test func `purge accepts IDs, deleted documents and --expired`() throws {
        for name in ["a", "b", "c"] { try shell.run("put", "db", name, "{}") }
        try shell.run("rm", "db", "a")
        try shell.run("purge", "db", "a", "b")
        #expect(try shell.divan("revs", "db", "a").status == 3)
        // Setting a time in the past purges at once; this one passed in the meantime.
        let store = try Store.open(directory: shell.path("db.cblite2"))
        try store.write { try $0.setExpiration(1, of: "c", in: .default) }
        try store.close()
        let outcome = try shell.run("purge", "db", "--expired")
        #expect(outcome.errors == "Purged 1 document\n")
        #expect(try shell.run("ls", "db").output == "one\n")
        expect(try shell.divan("purge", "db", "one", "none"), 3, "document 'none' not found")
        #expect(try shell.run("ls", "db").output == "one\n")
        expect(try shell.divan("purge", "db"), 2, "either")
        expect(try shell.divan("purge", "db", "one", "--expired"), 2, "either")
    }

    // MARK: Checking and compacting

    @Test func `an intact database passes the check`() throws {
        try shell.write("f.txt", "blob")
        try shell.run("blob", "put", "db", "one", "f", "f.txt")
        #expect(try shell.run("check", "db").output == "Intact: 1 document and 1 blob\n")
        #expect(try shell.run("check", "db", "--json").json()["blobs"] as? Int == 1)
    }

    @Test func `an altered and a missing blob fail the check`() throws {
        try shell.write("f.txt", "first")
        try shell.write("g.txt", "second")
        try shell.run("blob", "put", "db", "one", "f", "f.txt")
        try shell.run("blob", "put", "db", "two", "g", "g.txt")
        let files = try blobFiles()
        try FileManager.default.removeItem(atPath: files[0])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files[1])
        try Data("other".utf8).write(to: URL(fileURLWithPath: files[1]))
        let outcome = try shell.divan("check", "db")
        expect(outcome, 5, "2 blobs damaged or missing")
        #expect(outcome.output.contains(": missing\n"))
        #expect(outcome.output.contains(": checksum mismatch\n"))
    }

    @Test func `a damaged document fails the check and is listed`() throws {
        try shell.run("put", "db", "two", #"{"text":"sound"}"#)
        let file = URL(fileURLWithPath: shell.path("db.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("sound".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: file)
        let outcome = try shell.divan("check", "db")
        expect(outcome, 5, "1 document damaged")
        #expect(outcome.output == "_default/two: checksum mismatch\n")
        let damages = try shell.divan("check", "db", "--json").json()["damages"] as? [String]
        #expect(damages == ["_default/two: checksum mismatch"])
        expect(try shell.divan("get", "db", "two"), 5, "two")
        #expect(try shell.run("get", "db", "one").status == 0)
    }

    @Test func `a damaged page fails the check`() throws {
        let lines = (0..<500).map { "{\"_id\":\"d\($0)\",\"t\":\"some text to fill pages\"}" }
        try shell.write("many.jsonl", lines.joined(separator: "\n"))
        try shell.run("import", "db", "many.jsonl")
        let file = shell.path("db.cblite2/db.sqlite3")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes.replaceSubrange(bytes.count - 8_192..<bytes.count - 8_096, with: Data(count: 96))
        try bytes.write(to: URL(fileURLWithPath: file))
        expect(try shell.divan("check", "db"), 5, "damaged")
    }

    @Test func `compact removes blobs without references`() throws {
        try shell.write("f.txt", "unwanted")
        try shell.run("blob", "put", "db", "one", "f", "f.txt")
        try shell.run("purge", "db", "one")
        #expect(try blobFiles().count == 1)
        let outcome = try shell.run("compact", "db")
        #expect(outcome.errors == "Compacted the database; removed 1 blob (8 B)\n")
        #expect(try blobFiles().isEmpty)
        #expect(try shell.run("compact", "db", "--json").json()["blobsRemoved"] as? Int == 0)
    }

    @Test func `compact and compress keep blobs that a damaged document can reference`() throws {
        try shell.write("f.txt", "wanted")
        try shell.run("blob", "put", "db", "two", "f", "f.txt")
        try shell.run("put", "db", "two", #"{"text":"sound"}"#, "--blob", "f=f.txt")
        let file = URL(fileURLWithPath: shell.path("db.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("sound".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: file)
        let words = "no blobs are removed, because a damaged document may reference them"
        for line in [["compact", "db"], ["compact", "db", "--dry-run"], ["compress", "db"]] {
            expect(try shell.divan(line), 0, words)
        }
        let members = try shell.run("compact", "db", "--json").json()
        #expect((members["blobsLeftFor"] as? String)?.contains("two") == true, "\(members)")
        #expect(try blobFiles().count == 1)
    }

    // MARK: Copying

    @Test func `a copy has equal documents and its own UUID`() throws {
        let outcome = try shell.run("cp", "db", "copy")
        #expect(outcome.errors.contains("Copied 1 document to "))
        #expect(try shell.run("compare", "db", "copy").output == "Equal: 1 document and 0 blobs\n")
        let uuids = try ["db", "copy"].map {
            try shell.run("info", $0, "--json").json()["uuid"] as? String
        }
        #expect(uuids[0] != uuids[1])
        expect(try shell.divan("cp", "db", "copy"), 10, "already")
        expect(try shell.divan("cp", "none", "other"), 3, "database not found")
    }

    @Test func `a JSON lines file contains all collections and their blobs`() throws {
        try shell.run("collections", "db", "--make", "geo.a")
        try shell.write("f.txt", "blob")
        try shell.run("blob", "put", "db", "two", "f", "f.txt", "-c", "geo.a")
        try shell.run("cp", "db", "all.jsonl")
        #expect(try shell.text("all.jsonl").contains(#""_collection":"geo.a","_id":"two""#))
        expect(try shell.divan("cp", "db", "all.jsonl"), 10, "already")
        try shell.run("cp", "all.jsonl", "again")
        #expect(try shell.run("get", "again", "one", "--raw").output == "{\"n\":1}\n")
        #expect(try shell.run("blob", "get", "again", "two", "-c", "geo.a").output == "blob")
        expect(try shell.divan("cp", "all.jsonl", "db"), 10, "already")
        expect(try shell.divan("cp", "a.jsonl", "b.jsonl"), 2, "must be a database")
        expect(try shell.divan("cp", "none.jsonl", "b"), 3, "No such file")
    }

    @Test func `a copy that fails leaves no database`() throws {
        try shell.write("bad.jsonl", "{\"_id\":\"a\"}\n{\"_id\":\n")
        expect(try shell.divan("cp", "bad.jsonl", "b"), 4, "bad.jsonl:2")
        #expect(!FileManager.default.fileExists(atPath: shell.path("b.cblite2")))
    }

    // MARK: What has changed since

    @Test func `an incremental export updates another database`() throws {
        for name in ["a", "b"] { try shell.run("put", "db", name, "{}") }
        try shell.run("cp", "db", "copy")
        try shell.run("put", "db", "a", #"{"n":2}"#)
        try shell.run("rm", "db", "b")
        let outcome = try shell.run("export", "db", "new.jsonl", "--since", "3")
        #expect(outcome.errors == "Exported 2 documents, up to sequence 5\n")
        #expect(try shell.text("new.jsonl").contains(#"{"_deleted":true,"_id":"b","_sequence":5}"#))
        try shell.run("import", "copy", "new.jsonl")
        #expect(try shell.run("compare", "db", "copy").output == "Equal: 2 documents and 0 blobs\n")
        let again = try shell.run("import", "copy", "new.jsonl", "--since", "5")
        #expect(again.errors.hasPrefix("Imported 0 documents"))
    }

    @Test func `documents with an unusual _sequence are imported`() throws {
        try shell.write(
            "odd.jsonl",
            #"{"_id":"x","_sequence":0}"# + "\n" + #"{"_id":"y","_sequence":-3}"#
        )
        let outcome = try shell.run("import", "db", "odd.jsonl")
        #expect(outcome.errors.hasPrefix("Imported 2 documents"))
    }

    @Test func `export can write an array or a directory of files`() throws {
        try shell.run("put", "db", "a/b ü", #"{"n":2}"#)
        let array = try shell.run("export", "db", "--array").output
        #expect(array == "[\n{\"_id\":\"a/b ü\",\"n\":2},\n{\"_id\":\"one\",\"n\":1}\n]\n")
        try shell.run("new", "empty")
        #expect(try shell.run("export", "empty", "--array").output == "[]\n")
        try FileManager.default.createDirectory(
            atPath: shell.path("folder"),
            withIntermediateDirectories: false
        )
        try shell.run("export", "db", "folder")
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.path("folder"))
        #expect(names.sorted() == ["a%2fb%20%c3%bc.json", "one.json"])
        try shell.run("import", "empty", "folder")
        let outcome = try shell.run("compare", "db", "empty")
        #expect(outcome.output == "Equal: 2 documents and 0 blobs\n")
    }

    @Test func `each document is exported to its own file for any ID`() throws {
        let long = String(repeating: "ü", count: 500)
        let ids = [
            " ", "\u{2}0", "\n", "..", "../../escape", "/", "-rf", "A", "a", "\u{C5}", "A\u{30A}",
            "\u{212B}",
            long, long + "!", "%20",
        ]
        let store = try Store.open(directory: shell.path("odd.cblite2"))
        for id in ids {
            _ = try store.save(DocumentID(unchecked: id), in: .default, body: Array("{}".utf8))
        }
        try store.close()
        _ = try shell.bash("mkdir folder")
        try shell.run("export", "odd", "folder")
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.path("folder"))
        #expect(Set(names.map { $0.lowercased() }).count == ids.count, "\(names)")
        #expect(
            names.allSatisfy { $0.utf8.count < 255 && !$0.hasPrefix("-") && !$0.hasPrefix(".") }
        )
        let found = try names.map { name in
            let data = try Data(contentsOf: URL(filePath: shell.path("folder/\(name)")))
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            return Array(try #require(object?["_id"] as? String).utf8)
        }
        #expect(Set(found) == Set(ids.map { Array($0.utf8) }))
        try shell.run("export", "odd", "folder")
        let again = try FileManager.default.contentsOfDirectory(atPath: shell.path("folder"))
        #expect(Set(again) == Set(names), "a second export writes the same files")
    }

    @Test(arguments: ["[\r\n]\r\n", "[\t]", "\t\r\n", "\r\n\t \r\n"])
    func `a file with only white space contains no document`(_ text: String) throws {
        try shell.write("blank.json", text)
        let outcome = try shell.run("import", "db", "blank.json")
        #expect(outcome.errors.hasPrefix("Imported 0 documents"), "\(outcome)")
    }
}
