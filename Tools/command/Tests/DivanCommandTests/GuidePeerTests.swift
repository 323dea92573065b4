import DivanTestKit
import Foundation
import Testing

/// The commands of guides that connect to a peer, or run until Ctrl-C, unchanged.
///
/// The peer is a process on this machine, whose address replaces the guide's.
@Suite(.timeLimit(.minutes(5))) struct GuidePeerTests {
    private let shell: Shell
    private let other: Shell

    init() throws {
        shell = try Shell()
        other = try Shell()
    }

    @Test func `the guide's queries work in the command and with --watch`() throws {
        let guide = try Guide("queries.md", runs: "sh", "sh watching")
        try shell.write(
            "chairs.jsonl",
            """
            {"_id":"oslo","name":"Oslo","price":120}
            {"_id":"bern","name":"Bern","price":340}
            {"_id":"porto","name":"Porto","price":95}

            """
        )
        try shell.run("new", "shop", "--collections", "shop.chairs")
        try shell.run("import", "shop", "chairs.jsonl", "-c", "shop.chairs")
        let outcome = try shell.bash("set -e\n" + guide.script("sh"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        for expected in ["Oslo", #"{"n":3}"#, "SCAN", "porto\n"] {
            #expect(outcome.output.contains(expected), "\(expected) in \(outcome.output)")
        }
        #expect(try shell.text("cheap.csv").contains("Porto,95"))
        #expect(try shell.run("ls", "copy").lines.count == 1)

        let watching = guide.script("sh watching")
        let terminal = try ServingTerminal(
            shell,
            "exec >&2\nexec \(watching)",
            greeting: "Watching shop"
        )
        try shell.run("put", "shop", "graz", #"{"name":"Graz"}"#, "-c", "shop.chairs")
        let row = try terminal.line { $0.contains("4") }
        #expect(!row.contains("3"))
        terminal.interrupt()
    }

    @Test func `the guide's condition limits a user and a sync`() throws {
        let guide = try Guide("queries.md", runs: "sh limited")
        let lines = guide.script("sh limited").split(separator: "\n")
        try #require(lines.count == 2)
        let log = try other.bash(
            "export DIVAN_PASSWORD=secret\n\(lines[0])\ndivan users ls users.json"
        )
        #expect(log.status == 0, "\(log.errors)")
        #expect(log.output.contains("owner = $user"), "\(log.output)")
        try other.run("new", "shop")
        try other.run("put", "shop", "hers", #"{"owner":"ada"}"#)
        try other.run("put", "shop", "his", #"{"owner":"bo"}"#)
        let server = try other.serve("shop", "--no-tls", "--users", "users.json")
        defer { server.stop() }
        try shell.write("secret.txt", "secret\n")
        try shell.run("new", "shop")
        try shell.run("put", "shop", "mine", #"{"owner":"ada"}"#)
        try shell.run("put", "shop", "draft", #"{"owner":"cy"}"#)
        let sync = lines[1].replacing("wss://jukebox.local:4984/shop", with: try server.url())
        try shell.bash(String(sync)).expectSuccess()
        #expect(try shell.run("ls", "shop").output == "draft\nhers\nmine\n")
        #expect(try other.run("ls", "shop").output == "hers\nhis\nmine\n")
    }

    @Test func `an open conflict is resolved as in the guide`() throws {
        let guide = try Guide("resolving-conflicts.md", runs: "sh")
        try other.run("new", "notes")
        try other.run("put", "notes", "monday", #"{"text":"rain"}"#)
        let server = try other.serve("notes", "--no-tls")
        defer { server.stop() }
        let url = try server.url()
        try shell.run("new", "notes")
        try shell.run("sync", "notes", url)
        try other.run("put", "notes", "monday", #"{"text":"sun"}"#)
        try shell.run("put", "notes", "monday", #"{"text":"rain","umbrella":true}"#)
        try shell.divan("sync", "notes", url, "--conflicts", "leave").expectFailure(8)
        let outcome = try shell.bash("set -e\n" + guide.script("sh"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("ancestor 1-"))
        #expect(try shell.run("conflicts", "ls", "notes").output.isEmpty)
        try shell.run("sync", "notes", url)
        #expect(
            try other.run("get", "notes", "monday", "--raw").output
                == #"{"text":"sun","umbrella":true}"# + "\n"
        )
    }

    @Test func `the guide's Sync Gateway commands work with a server that has the user`() throws {
        let guide = try Guide("sync-gateway.md", runs: "sh", "sh continuous")
        try shell.write("secret.txt", "open sesame\n")
        try other.write("secret.txt", "open sesame\n")
        try other.run("new", "notes")
        let options = ["--no-tls", "--user", "anna", "--password-file", "secret.txt"]
        let server = try other.start(
            ["serve", "notes", "--interface", "127.0.0.1"] + options
        )
        defer { server.stop() }
        let (guidesURL, url) = ("wss://sync.example.com:4984/notes", try server.url())
        let doctor = try shell.bash(guide.script("sh").replacing(guidesURL, with: url))
        #expect(doctor.status == 0, "\(doctor)")
        try shell.run("new", "notes")
        let sync = guide.script("sh continuous").replacing(guidesURL, with: url)
        let terminal = try ServingTerminal(shell, "exec \(sync)", greeting: "In sync with the peer")
        // From the beginning: it may start after the document has arrived.
        let watching = try other.start("watch", "notes", "--since", "0")
        try shell.run("put", "notes", "probe", #"{"owner":"anna"}"#)
        _ = try watching.event { $0["id"] as? String == "probe" }
        terminal.interrupt()
        watching.stop()
    }

    @Test func `the guide to troubleshooting works`() throws {
        let guide = try Guide("troubleshooting.md", runs: "sh", "sh served", "sh proxied")
        let local = guide.blocks("sh").map(\.text)
        let served = guide.script("sh served")
        let guidesURL = "ws://localhost:4984/shop"
        try #require(local.count == 3 && served.contains("url=\(guidesURL)\n"))
        let begin = try shell.bash("set -e\n" + local[0] + "\n" + local[1])
        #expect(begin.status == 0, "\(begin.errors)")
        #expect(begin.output.contains("401"))
        let server = try shell.serve("shop", "--no-tls")
        let steps = try shell.bash(
            "set -e\n" + served.replacing(guidesURL, with: try server.url())
        )
        #expect(steps.status == 0, "\(steps.errors)")
        server.stop()

        let jukebox = try shell.serve("shop", "--write-certificate", "jukebox.pem")
        let proxy = try ServingTerminal(
            shell,
            "exec "
                + guide.script("sh proxied")
                .replacing("wss://jukebox.local:4984/shop", with: try jukebox.url()),
            greeting: "Have the peer sync with ws://"
        )
        let address = try #require(proxy.greeting.firstMatch(of: /ws:[^ ;]+/)).output
        try other.run("new", "kiosk")
        try other.run("sync", "kiosk", String(address))
        proxy.interrupt()
        jukebox.stop()
        #expect(try shell.run("wire", "decode", "talk.pcap").output.contains("subChanges"))

        let end = try shell.bash("set -e\n" + local[2])
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.output.contains("Intact: 1 document"))
    }

    @Test func `the guide's studio command prints its address`() throws {
        let lines = try Guide("studio.md", runs: "console").script("console").split(separator: "\n")
        try #require(lines.count == 2)
        try shell.run("new", "travel")
        let greeting = "Open http://127.0.0.1:"
        #expect(lines[1].hasPrefix(greeting))
        _ = try ServingTerminal(shell, "exec \(lines[0].dropFirst(2))", greeting: greeting)
    }
}
