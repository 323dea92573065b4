import DivanTestKit
import Foundation
import Testing

/// `divan dump` and `divan restore`: what is restored, and what is refused.
@Suite struct DumpTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "db", "--collections", "shop.menu,empty")
        try shell.write("photo.png", String(repeating: "a picture ", count: 100))
        try shell.run("put", "db", "soup", #"{"n":1}"#, "--blob", "photo=photo.png")
        try shell.run(
            "put",
            "db",
            "soup",
            #"{"n":2,"z":[1.5,null,"ü"]}"#,
            "--blob",
            "photo=photo.png"
        )
        try shell.run("put", "db", "gone", "{}")
        try shell.run("rm", "db", "gone")
        try shell.run("put", "db", "tea", #"{"hot":true}"#, "-c", "shop.menu")
    }

    /// The lines of a dump except the first and the last, which name the database.
    private func inside(_ file: String) throws -> [Substring] {
        let lines = try shell.text(file).split(separator: "\n")
        return Array(lines.dropFirst().dropLast())
    }

    private func restoring(_ text: String, _ name: String = "again") throws -> Program.Outcome {
        try shell.divan(["restore", name, "-"], input: text)
    }

    private func expectNothing(_ name: String = "again") throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.directory)
        #expect(!names.contains { $0.hasPrefix(name + ".") }, "\(names)")
    }

    @Test func `a dump restores revisions, tombstones and blobs`() throws {
        try shell.run("expire", "db", "soup", "2100-01-01T00:00:00Z")
        let dumped = try shell.divan("dump", "db", "db.dump", "--json")
        #expect(dumped.output.contains("\"documents\":3"), "\(dumped)")
        let restored = try shell.run("restore", "again", "db.dump")
        #expect(restored.errors.contains("Restored 3 documents"))
        try shell.run("dump", "again", "again.dump")
        #expect(try inside("again.dump") == inside("db.dump"))
        #expect(try shell.run("compare", "db", "again").output.hasPrefix("Equal: "))
        #expect(try shell.run("check", "again").status == 0)
        for words in [["revs", "soup"], ["expire", "soup"], ["collections"]] {
            let (verb, rest) = (words[0], Array(words.dropFirst()))
            let before = try shell.divan([verb, "db"] + rest).output
            #expect(try shell.divan([verb, "again"] + rest).output == before)
        }
        try shell.run("put", "again", "soup", "{}")
        #expect(try shell.run("revs", "again", "soup").output.contains("3-"))
    }

    @Test func `indexes of every kind are restored from the last section`() throws {
        try shell.run("index", "make", "db", "byN", "n", "LOWER(name)", "--where", "n > 1")
        try shell.run("index", "make", "db", "items", "--array", "tags[].`odd name`")
        try shell.run("index", "make", "db", "gone", "x")
        try shell.run("dump", "db", "monday")
        try shell.run("index", "rm", "db", "gone")
        let words = ["story", "--text", "--language", "en", "--ignore-accents", "-c", "shop.menu"]
        try shell.divan(["index", "make", "db", "words"] + words).expectSuccess()
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        let restored = try shell.run("restore", "again", "monday", "tuesday")
        #expect(restored.errors.contains("3 documents and 1 blob, 3 indexes"), "\(restored)")
        for collection in ["_default", "shop.menu"] {
            let before = try shell.run("index", "ls", "db", "--json", "-c", collection).output
            let behind = try shell.run("index", "ls", "again", "--json", "-c", collection).output
            #expect(behind == before && !before.isEmpty)
        }
        // The same words make the same index, which need not be made anew.
        try shell.divan(["index", "make", "again", "words"] + words).expectSuccess()
        try shell.run("dump", "db", "now")
        try shell.run("dump", "again", "again.dump")
        #expect(try inside("again.dump") == inside("now"))
        #expect(try shell.run("check", "again").status == 0)
    }

    @Test func `an invalid index is skipped and reported`() throws {
        try shell.run("index", "make", "db", "byN", "n")
        try shell.run("dump", "db", "db.dump")
        let text = try shell.text("db.dump").replacingOccurrences(
            of: #","sha256":"[0-9a-f]*""#,
            with: "",
            options: .regularExpression
        )
        for (kind, source) in [
            ("value", "n,"), ("value", "n WHERE"), ("array", "n"), ("array", " OF "),
            ("value", "n); DROP TABLE c_1; --"), ("vector", "n"),
        ] {
            let changed = text.replacingOccurrences(
                of: #""name":"byN","of":"n","type":"value""#,
                with: #""name":"byN","of":"\#(source)","type":"\#(kind)""#
            )
            #expect(changed != text)
            let outcome = try restoring(changed)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.errors.contains("index byN of _default: "), "\(outcome)")
            #expect(try shell.run("ls", "again").output.contains("soup"))
            #expect(try shell.run("index", "ls", "again").output.isEmpty)
            try shell.bash("rm -r again.cblite2").expectSuccess()
        }
        try restoring(text.replacingOccurrences(of: #""of":"n""#, with: #""of":7"#))
            .expectFailure(4, "not a string")
    }

    @Test func `changes can be appended to a dump or written to another file`() throws {
        try shell.run("dump", "db", "monday")
        _ = try shell.bash("cp monday all")
        try shell.run("put", "db", "soup", #"{"n":3}"#)
        try shell.run("rm", "db", "tea", "-c", "shop.menu")
        try shell.run("collections", "db", "--rm", "empty", "--yes")
        try shell.run("put", "db", "new", "{}")
        try shell.run("dump", "db", "tuesday", "--since", "monday")
        #expect(try inside("tuesday").filter { $0.contains("\"doc\":") }.count == 3)
        try shell.bash("divan dump db --since all >> all").expectSuccess()
        try shell.run("restore", "two", "monday", "tuesday")
        try shell.run("restore", "one", "all")
        for name in ["one", "two"] {
            #expect(try shell.run("compare", "db", name).output.hasPrefix("Equal: "))
            try shell.run("dump", name, "\(name).dump")
        }
        try shell.run("dump", "db", "now")
        #expect(try inside("one.dump") == inside("now"))
        #expect(try inside("two.dump") == inside("now"))
        try shell.bash("divan dump db --since all >> all").expectSuccess()
        try shell.run("restore", "three", "all")
    }

    @Test func `an incremental dump is rejected without its predecessor`() throws {
        try shell.run("dump", "db", "a")
        try shell.run("put", "db", "x", "{}")
        try shell.run("dump", "db", "b", "--since", "a")
        try shell.run("put", "db", "y", "{}")
        try shell.run("dump", "db", "c", "--since", "b")
        try shell.divan("restore", "again", "b").expectFailure(4, "give that dump before it")
        try shell.divan("restore", "again", "a", "c").expectFailure(4, "does not continue")
        try shell.divan("restore", "again", "a", "a").expectFailure(4, "does not continue")
        try shell.divan("dump", "db", "a", "--since", "a").expectFailure(2, ">> a")
        try expectNothing()
        try shell.run("restore", "again", "a", "b", "c")
        try shell.divan("dump", "again", "d", "--since", "c")
            .expectFailure(4, "of a different database")
        try shell.divan("dump", "db", "d", "--since", "photo.png").expectFailure(4, "photo.png")
    }

    @Test func `a truncated dump does not create a database`() throws {
        try shell.run("dump", "db", "db.dump")
        let text = try shell.text("db.dump")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for count in 1..<(lines.count - 1) {
            let outcome = try restoring(lines[..<count].joined(separator: "\n") + "\n")
            #expect(outcome.status == 4 && outcome.errors.contains("is truncated"), "\(outcome)")
        }
        for part in 1...8 {
            let outcome = try restoring(String(text.prefix(text.count * part / 9)))
            #expect(outcome.status == 4, "\(outcome)")
        }
        let twice = text + lines[0] + "\n"
        let outcome = try restoring(twice)
        #expect(outcome.status == 4)
        try restoring("").expectFailure(4, "the input contains no dump")
        try expectNothing()
    }

    @Test func `a complete dump before a truncated one is reported`() throws {
        _ = try shell.bash("divan dump db all; divan put db x {}; divan dump db --since all >> all")
        let text = try shell.text("all")
        let lines = text.split(separator: "\n")
        let whole = try #require(lines.firstIndex { $0.contains("\"end\":1") }) + 1
        let cut = lines[..<(whole + 2)].joined(separator: "\n") + "\n"
        try restoring(cut).expectFailure(4, "the first \(whole) lines are a complete dump")
        let kept = lines[..<whole].joined(separator: "\n") + "\n"
        try restoring(kept).expectSuccess()
    }

    @Test func `duplicate, missing and changed lines are reported`() throws {
        try shell.run("dump", "db", "db.dump")
        let lines = try shell.text("db.dump").split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("\"doc\":\"soup\"") })
        var twice = lines
        twice.insert(lines[place], at: place)
        try restoring(twice.joined(separator: "\n") + "\n")
            .expectFailure(4, ":\(place + 2): ", "duplicated or out of order")
        var fewer = lines
        fewer.remove(at: place)
        try restoring(fewer.joined(separator: "\n") + "\n").expectFailure(4, "missing")
        var changed = lines
        changed[place] = changed[place].replacingOccurrences(of: "\"n\":2", with: "\"n\":7")
        try #require(changed[place] != lines[place])
        try restoring(changed.joined(separator: "\n") + "\n").expectFailure(4, "sha256")
        changed[changed.count - 1] = try withoutDigest(changed[changed.count - 1])
        try restoring(changed.joined(separator: "\n") + "\n").expectSuccess()
        #expect(try shell.run("get", "again", "soup", "--raw").output.contains("\"n\":7"))
    }

    private func withoutDigest(_ line: String) throws -> String {
        let range = try #require(
            line.range(of: #","sha256":"[0-9a-f]{64}""#, options: .regularExpression)
        )
        return line.replacingCharacters(in: range, with: "")
    }

    /// Replacements in the line of a document, and words of the error.
    private static let mistakes: [(text: String, by: String, words: String)] = [
        (#""rev":"2-"#, #""rev":"2-zz"#, "not a tree revision ID"),
        (#""rev":"2-"#, #""rev":"0-"#, "not a tree revision ID"),
        (#""parent":1"#, #""parent":0"#, "do not form a tree"),
        (#""parent":1"#, #""parent":9"#, "\"parent\""),
        (#""parent":1"#, #""parent":-1"#, "\"parent\""),
        (#""doc":"soup""#, #""doc":"_soup""#, "not a document ID"),
        (#""doc":"soup""#, #""doc":7"#, "not a document ID"),
        (#""collection":"_default._default""#, #""collection":"a.b""#, "has no line"),
        (#""collection":"_default._default""#, #""collection":"a.b.c""#, "not a collection name"),
        (#""body":{"#, #""body":[{"#, "JSON"),
        (#""body":{"#, #""bodi":{"#, "no body"),
        (#""sequence":"#, #""sequence":-"#, "\"sequence\""),
        (#""sequence":"#, #""sequence":99999999999999999999"#, "\"sequence\""),
        (#""revisions":["#, #""revisions":[[],"#, "not an object"),
        (#""revisions":["#, #""remotes":[7],"revisions":["#, ""),
    ]

    @Test(arguments: mistakes.indices)
    func `an invalid document is rejected with its line`(_ index: Int) throws {
        let mistake = Self.mistakes[index]
        try shell.run("dump", "db", "db.dump")
        var lines = try shell.text("db.dump").split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("\"doc\":\"soup\"") })
        let range = try #require(lines[place].range(of: mistake.text))
        lines[place].replaceSubrange(range, with: mistake.by)
        lines[lines.count - 1] = try withoutDigest(lines[lines.count - 1])
        let outcome = try restoring(lines.joined(separator: "\n") + "\n")
        guard !mistake.words.isEmpty else { return outcome.expectSuccess() }
        outcome.expectFailure(4, "standard input:\(place + 1): ", mistake.words)
        try expectNothing()
    }

    @Test func `a blob with changed content is rejected`() throws {
        try shell.run("dump", "db", "db.dump")
        let text = try shell.text("db.dump").replacingOccurrences(
            of: "\"data\":\"YS",
            with: "\"data\":\"YT"
        )
        try restoring(text).expectFailure(4, "content of blob")
        try expectNothing()
    }

    @Test func `an endless line does not exhaust memory`() throws {
        let outcome = try shell.bash(
            """
            { divan dump db | head -n 1; head -c 100000000 /dev/zero | tr '\\0' '['; } |
                divan restore again - || test $? = 4
            """
        )
        outcome.expectSuccess()
        #expect(outcome.errors.contains("64 MiB"), "\(outcome)")
        try expectNothing()
    }

    @Test func `large blobs are restored, and expired documents are not`() throws {
        _ = try shell.bash("head -c 3000000 /dev/urandom >large; : >nothing")
        try shell.run("blob", "put", "db", "soup", "large", "large")
        try shell.run("blob", "put", "db", "soup", "nothing", "nothing")
        try shell.run("put", "db", "old", "{}")
        try shell.run("dump", "db", "db.dump")
        let text = try shell.text("db.dump")
        #expect(text.split(separator: "\n").count { $0.contains("\"offset\":") } == 3)
        try shell.run("restore", "again", "db.dump")
        try shell.run("blob", "get", "again", "soup", "large", "copy")
        #expect(try shell.bash("cmp large copy").status == 0)
        var lines = text.split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("\"doc\":\"old\"") })
        lines[place] = lines[place].replacingOccurrences(
            of: "{\"collection\"",
            with: "{\"expires\":1,\"collection\""
        )
        lines[lines.count - 1] = try withoutDigest(lines[lines.count - 1])
        let outcome = try restoring(lines.joined(separator: "\n") + "\n", "later")
        #expect(outcome.errors.contains("1 expired document"), "\(outcome)")
        #expect(try shell.run("ls", "later").output == "soup\n")
    }

    @Test func `files of a killed restore do not block the next one`() throws {
        try shell.run("dump", "db", "db.dump")
        try shell.run("new", "half")
        _ = try shell.bash("mv half.cblite2 again.cblite2.restoring")
        try shell.run("restore", "again", "db.dump")
        #expect(try shell.run("compare", "db", "again").output.hasPrefix("Equal: "))
        try shell.divan("restore", "again", "db.dump").expectFailure(10, "already")
    }
}
