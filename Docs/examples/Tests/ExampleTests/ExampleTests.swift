import DivanTestKit
import Foundation
import Testing

/// The examples work as described in their README; each runs as a process.
@Suite struct ExampleTests {
    @Test func `notes-example prints every change in order`() throws {
        let notes = try ExampleProgram("notes-example")
        let lines = try notes.run(
            input: "add buy milk\nadd call Ada\ndone note-1\nlist\nrm note-2\nrm note-9\n"
        )
        #expect(
            lines == [
                "changed note-1: buy milk", "changed note-2: call Ada",
                "changed note-1: buy milk, done", "note-1: buy milk, done", "note-2: call Ada",
                "removed note-2", "no note note-9",
            ]
        )
        let later = try notes.run(input: "list\nadd sleep\nquit\n")
        #expect(later == ["note-1: buy milk, done", "changed note-3: sleep"])
    }

    @Test func `photos-example stores photos unchanged and identical photos once`() throws {
        let album = try ExampleProgram("photos-example")
        let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let files = ["beach.jpg", "copy.jpg"].map { "\(album.directory)/\($0)" }
        for file in files { try picture.write(to: URL(fileURLWithPath: file)) }
        let added = try album.run("add", files[0], files[1])
        #expect(added.count == 2)
        #expect(added[0].hasPrefix("beach.jpg: 200000 bytes, sha1-"))
        #expect(try album.run("show", "copy.jpg") == ["copy.jpg: image/jpeg, 200000 bytes"])
        #expect(try blobCount(album) == 1)
        let out = "\(album.directory)/out.jpg"
        _ = try album.run("export", "beach.jpg", out)
        #expect(try Data(contentsOf: URL(fileURLWithPath: out)) == picture)
        _ = try album.run("rm", "beach.jpg")
        #expect(try blobCount(album) == 1)
        _ = try album.run("rm", "copy.jpg")
        #expect(try blobCount(album) == 0)
        #expect(try album.run("show", "copy.jpg", status: 1) == ["no photo copy.jpg"])
    }

    @Test(arguments: [
        ("photos-example", ["add", "missing.jpg"]), ("photos-example", ["export", "x", "/sys/x"]),
    ])
    func `a missing file is reported in one line`(_ name: String, _ words: [String]) throws {
        let album = try ExampleProgram(name)
        let lines = try album.run(words, status: 1)
        #expect(lines.count == 1 && !lines[0].isEmpty)
    }

    @Test(arguments: [
        "notes-example", "photos-example", "fleet-example", "room-example", "guestbook-example",
    ])
    func `an invalid database directory is reported in one line`(_ name: String) throws {
        let words =
            [
                "notes-example": [], "room-example": ["ali", "token"],
                "guestbook-example": ["read"],
            ][name] ?? ["show", "x"]
        let outcome = try Program.built(name).run(["/dev/null/nowhere"] + words)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.lines.count == 1, "\(outcome)")
    }

    private func blobCount(_ album: ExampleProgram) throws -> Int {
        let folder = "\(album.directory)/album.cblite2/Attachments"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return names.filter { $0.hasSuffix(".blob") }.count
    }

    @Test func `fleet-example updates models and keeps changes that are made at once`() throws {
        let fleet = try ExampleProgram("fleet-example")
        #expect(try fleet.run("add", "r2") == ["r2 at 0,0, 100 %, idle"])
        let again = try fleet.run("add", "r2", status: 1)
        #expect(again.count == 1 && again[0].contains("r2"))
        #expect(try fleet.run("move", "r2", "3", "-4") == ["r2 at 3,-4, 95 %, idle"])
        #expect(try fleet.run("task", "r2", "fetch") == ["r2 at 3,-4, 95 %, fetch"])
        let raced = try fleet.run("race", "r2")
        #expect(raced.count == 1)
        for task in ["fetch", "job 0", "job 1"] { #expect(raced[0].contains(task)) }
        #expect(try fleet.run("retire", "r2") == ["no robot r2"])
        #expect(try fleet.run("task", "r2", "fetch", status: 1)[0].contains("does not exist"))
    }

    @Test func `search-example finds by words, by subject and by page`() throws {
        let search = try Program.built("search-example").run(["baked", "flour"])
        #expect(
            search.lines == [
                #"words: ["Baking bread"]"#, "subject: Baking bread", #"page: ["tea", "bread"]"#,
                #"page: ["rails"]"#,
            ]
        )
    }

    @Test func `dashboard-example shows totals when orders change`() throws {
        let dashboard = try Program.built("dashboard-example").run([])
        #expect(dashboard.lines == ["north: 2 orders, 12.5", "south: 1 orders, 7.5"])
    }

    /// The programs of `Docs/api-design.md`, each in one file.
    @Test(arguments: [
        "notes", "photos", "kiosk", "robots", "accounts", "migration", "search", "dashboard",
        "fleet",
    ])
    func `a program that shows the API has at most 60 lines`(_ name: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let sources = tests.deletingLastPathComponent().appending(path: "Sources/\(name)-example")
        let files = try FileManager.default.contentsOfDirectory(atPath: sources.path)
        #expect(files == ["main.swift"])
        for file in [
            sources.appending(path: "main.swift"),
            tests.appending(path: "DivanExampleTests/SyncTestExample.swift"),
        ] {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.count { $0 == "\n" } <= 60, "\(file.lastPathComponent)")
        }
    }

    @Test func `migration-example converts old documents and keeps unknown properties`() throws {
        let migration = try Program.built("migration-example").run([])
        let expected = #"{"born":1815,"firstName":"Ada","lastName":"Lovelace"}"#
        #expect(migration.lines == [expected])
    }
}
