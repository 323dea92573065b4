import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Other shells work on a database while `divan serve` holds it.
@Suite(.timeLimit(.minutes(5))) struct HolderTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
    }

    private func body(_ id: String) throws -> String {
        try shell.run("get", "a", id, "--raw").output
    }

    @Test func `each command behaves the same through the process that has the database open`()
        throws
    {
        let server = try shell.serve("a", "--no-tls")
        _ = try server.url()
        let put = try shell.divan("put", "a", "soup", #"{"salt":1}"#)
        put.expectSuccess()
        #expect(put.errors.hasPrefix("Saved soup, revision 1-"), "\(put.errors)")
        try shell.divan(["put", "a", "tea"], input: #"{"salt":0}"#).expectSuccess()
        #expect(try body("tea") == "{\"salt\":0}\n")
        try shell.run("put", "a", "tea", "{\"salt\":\"\u{FFFD}\"}")
        try shell.run("put", "a", "tea", #"{"salt":0}"#)
        try shell.divan("put", "a", "bad", "[").expectFailure(4, "body")
        try shell.divan("put", "a", "soup", "{}", "--create").expectFailure(10, "exists")
        try shell.divan("rm", "a", "none").expectFailure(3, "none")
        try shell.write("more.jsonl", "{\"_id\":\"x\"}\n{\"_id\":\"y\"}\n")
        try shell.run("import", "a", "more.jsonl")
        try shell.run("rm", "a", "x")
        try shell.write("picture.jpg", "bytes")
        try shell.run("blob", "put", "a", "y", "picture", "picture.jpg")
        try shell.run("expire", "a", "y", "2040-01-01")
        try shell.run("index", "make", "a", "salty", "salt")
        try shell.run("index", "rm", "a", "salty")
        try shell.run("compact", "a")
        #expect(try shell.run("ls", "a").output == "soup\ntea\ny\n")
        server.stop()
        #expect(try shell.run("ls", "a").output == "soup\ntea\ny\n")
        try shell.run("check", "a")
    }

    /// Between the lock and the socket a database is opened, which takes longer on a busy machine.
    @Test func `a command waits for a lock holder that does not listen yet`() throws {
        // flock(1) under our name: the owner of the lock looks like a divan push.
        try FileManager.default.linkItem(
            atPath: shell.path("a.cblite2/lock"),
            toPath: shell.path("push")
        )
        let outcome = try shell.bash(
            """
            mkfifo gate locked
            (exec -a divan flock push sh -c 'echo > locked; timeout 1.5 cat gate') &
            read < locked
            divan put a soup '{}'
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try body("soup") == "{}\n")
    }

    @Test func `relative paths and the editor are those of the calling shell`() throws {
        try FileManager.default.createDirectory(
            atPath: shell.path("elsewhere"),
            withIntermediateDirectories: false
        )
        try shell.write("elsewhere/one.jsonl", "{\"_id\":\"one\"}\n")
        let server = try shell.serve("a", "--no-tls")
        _ = try server.url()
        let outcome = try shell.bash("cd elsewhere && divan import ../a one.jsonl")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let editing = try shell.bash(
            "divan edit a one",
            environment: ["EDITOR": "sed -i 's/{/{\"edited\": true/'"]
        )
        #expect(editing.status == 0, "\(editing.errors)")
        #expect(try body("one") == "{\"edited\":true}\n")
        server.stop()
    }

    @Test func `without unshare a command works only in the holder's directory`() throws {
        let server = try shell.start(
            ["serve", "a", "--interface", "127.0.0.1", "--no-tls"],
            try shell.preloading("no_unshare")
        )
        _ = try server.url()
        try shell.run("put", "a", "soup", "{}")
        try FileManager.default.createDirectory(
            atPath: shell.path("elsewhere"),
            withIntermediateDirectories: false
        )
        try shell.bash("cd elsewhere && divan put ../a tea '{}'")
            .expectFailure(1, "divan serve", "run the command in")
        server.stop()
        #expect(try shell.run("ls", "a").output == "soup\n")
    }

    @Test func `put --over does not overwrite another revision`() throws {
        try shell.run("put", "a", "soup", "{}")
        try shell.divan("put", "a", "soup", "{}", "--over", "1-00").expectFailure(
            10,
            ", not 1-00"
        )
        try shell.divan("put", "a", "new", "{}", "--over", "none").expectSuccess()
        try shell.divan("put", "a", "new", "{}", "--over", "none").expectFailure(
            10,
            "document 'new' already exists (revision 1-"
        )
    }

    @Test func `collections are created and removed through the holder without a prompt`() throws {
        let server = try shell.serve("a", "--no-tls")
        _ = try server.url()
        let made = try shell.run("mkcoll", "a", "geo.a", "geo.b")
        #expect(made.errors == "Created geo.a\nCreated geo.b\n")
        #expect(
            try shell.run("mkcoll", "a", "geo.c", "--json").json()["made"] as? String == "geo.c"
        )
        try shell.run("collections", "a", "--make", "geo.d", "--rm", "geo.c")
        try shell.run("put", "a", "soup", "{}", "-c", "geo.a")
        try shell.divan("collections", "a", "--rm", "geo.a").expectFailure(2, "1 document", "--yes")
        try shell.divan("collections", "a", "--rm", "geo.x", "--yes").expectFailure(3, "geo.x")
        try shell.divan("mkcoll", "a", "_bad").expectFailure(4, "invalid collection name '_bad'")
        let rehearsed = try shell.run("collections", "a", "--rm", "geo.a", "--dry-run")
        #expect(rehearsed.errors == "Would remove geo.a with 1 document\n")
        let removed = try shell.run("collections", "a", "--rm", "geo.a", "--yes", "--json").json()
        #expect(removed["removed"] as? String == "geo.a")
        let names = try shell.run("collections", "a", "--json").lines.filter { $0.contains("geo") }
        #expect(names.count == 2, "\(names)")
        server.stop()
        try shell.run("check", "a")
    }

    @Test func `an unsupported command reports the holder, and the socket is private`() throws {
        let server = try shell.serve("a", "--no-tls")
        _ = try server.url()
        let attributes = try FileManager.default.attributesOfItem(
            atPath: shell.path("a.cblite2/holder")
        )
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        let number = server.process.processIdentifier
        let outcome = try shell.divan("upgrade", "a")
        outcome.expectFailure(5, "in use by divan serve, process \(number), since ")
        for verb in ["push", "pull", "sync"] {
            try shell.divan(verb, "a", "ws://127.0.0.1:1/x")
                .expectFailure(
                    5,
                    "in use by divan serve, process \(number), since ",
                    "stop the server, or have the peer connect to it"
                )
        }
        try shell.divan("serve", "a", "--no-tls")
            .expectFailure(5, "in use by divan serve, process \(number), since ")
        server.stop()
        #expect(!FileManager.default.fileExists(atPath: shell.path("a.cblite2/holder")))
    }

    @Test func `a killed holder does not block other commands`() throws {
        let server = try shell.serve("a", "--no-tls")
        _ = try server.url()
        server.killHard()
        #expect(FileManager.default.fileExists(atPath: shell.path("a.cblite2/holder")))
        try shell.run("put", "a", "soup", "{}")
        let next = try shell.serve("a", "--no-tls")
        _ = try next.url()
        try shell.run("put", "a", "tea", "{}")
        next.stop()
        #expect(try shell.run("ls", "a").output == "soup\ntea\n")
    }

    @Test
    func `nothing is lost or duplicated when shells or the holder are killed`() async throws {
        let (shellCount, fileCount, documentCount) = (8, 5, 250)
        var expected: Set<Substring> = []
        for number in 0..<shellCount {
            for file in 0..<fileCount {
                let lines = (0..<documentCount).map { index in
                    "{\"_id\":\"doc-\(number)-\(file)-\(index)\",\"number\":\(index),"
                        + "\"writer\":\(number)}\n"
                }
                try shell.write("part-\(number)-\(file).jsonl", lines.joined())
                expected.formUnion(lines.map { $0.dropLast() })
            }
        }
        try shell.write("log", "")
        let seed = TestSeed.choose()
        print("seed \(seed)")
        let tally = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [shell] in try await Self.blocking { try Self.hold(shell, tally, seed) }
            }
            group.addTask { [shell] in
                defer { tally.isOver.store(true, ordering: .relaxed) }
                try await withThrowingTaskGroup(of: Void.self) { writers in
                    for number in 0..<shellCount {
                        writers.addTask {
                            try await Self.blocking {
                                var dice = SeededGenerator(seed: seed &+ UInt64(number) &+ 1)
                                for file in 0..<fileCount {
                                    let name = "part-\(number)-\(file).jsonl"
                                    try Self.write(name, shell, tally, &dice)
                                }
                            }
                        }
                    }
                    try await writers.waitForAll()
                }
            }
            try await group.waitForAll()
        }
        let bodies = try shell.run("export", "a", "-").output.split(separator: "\n")
        #expect(bodies.count == expected.count, "seed \(seed)")
        #expect(Set(bodies) == expected, "seed \(seed)")
        try expectFirstRevisions(count: expected.count, "seed \(seed)")
        #expect(tally.killedShells.load(ordering: .relaxed) > 0)
        #expect(tally.killedHolders.load(ordering: .relaxed) > 0)
        let held = try shell.text("log").split(separator: "\n")
            .count { $0.hasSuffix("ran import for another process: exit code 0") }
        #expect(held > 0, "no import went through a holder; seed \(seed)")
        try shell.run("check", "a")
    }

    /// Checks that each document was written once: its revision is the first, and no sequence was used
    /// for another.
    private func expectFirstRevisions(count: Int, _ note: Comment = "") throws {
        let revisions = try shell.run("ls", "a", "--json").lines
        #expect(revisions.count == count, note)
        let others = revisions.filter { !$0.contains("\"revision\":\"1-") }
        #expect(others.isEmpty, "\(note) \(others.prefix(3))")
        let collections = try shell.run("collections", "a", "--json").json()
        #expect(collections["sequence"] as? Int == count, note)
    }

    @Test func `a repeated import through the holder changes nothing`() throws {
        let server = try shell.serve("a", "--no-tls")
        _ = try server.url()
        try shell.write("more.jsonl", "{\"_id\":\"x\",\"n\":1}\n{\"_id\":\"y\"}\n")
        try shell.run("import", "a", "more.jsonl")
        let again = try shell.run("import", "a", "more.jsonl", "--json").json()
        #expect(again["documents"] as? Int == 0)
        #expect(again["unchanged"] as? Int == 2)
        server.stop()
        try expectFirstRevisions(count: 2)
    }

    /// Serves, and is killed repeatedly.
    private static func hold(_ shell: Shell, _ tally: Tally, _ seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        while !tally.isOver.load(ordering: .relaxed) {
            let server = try shell.start(
                ["serve", "a", "--interface", "127.0.0.1", "--no-tls"],
                ["DIVAN_LOG": "info"],
                errors: .file(shell.path("log"))
            )
            // If it finds a shell working, it ends by itself.
            let isServing = (try? server.url()) != nil
            Thread.sleep(forTimeInterval: Double.random(in: 0.2...1.5, using: &dice))
            server.killHard()
            if isServing { tally.killedHolders.add(1, ordering: .relaxed) }
        }
    }

    /// Imports a file, however many attempts it takes; every third one is killed at a random moment.
    private static func write(
        _ file: String,
        _ shell: Shell,
        _ tally: Tally,
        _ dice: inout SeededGenerator
    ) throws {
        for _ in 0..<200 {
            if Int.random(in: 0..<3, using: &dice) == 0 {
                let pause = "0.\(Int.random(in: 10...299, using: &dice))"
                let end = "sleep \(pause); kill -9 $P; wait $P || true"
                let script = "divan import a \(file) & P=$!; \(end)"
                _ = try shell.bash(script)
                tally.killedShells.add(1, ordering: .relaxed)
            }
            if try shell.divan("import", "a", file).status == 0 { return }
        }
        throw NeverSaved(file: file)
    }

    private final class Tally: Sendable {
        let killedShells = Atomic(0)
        let killedHolders = Atomic(0)
        let isOver = Atomic(false)
    }

    private struct NeverSaved: Error {
        let file: String
    }

    /// Runs code that waits for programs on its own thread.
    private static func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }
}
