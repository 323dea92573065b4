import DivanTestKit
import Foundation
import Testing

/// `divan wire`: two real programs communicate through the proxy, and what is shown is what they sent.
@Suite struct WireTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        let lines = (0..<30).map {
            "{\"_id\":\"d\($0)\",\"n\":\($0),\"text\":\"some words \($0)\"}\n"
        }
        try shell.write("fill.jsonl", lines.joined())
        try shell.run("import", "a", "fill.jsonl")
        try shell.write("secret", "open-sesame\n")
    }

    /// The lines of JSON in a text.
    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    @Test func `a sync through wire proxy is complete, and its recording matches`() throws {
        let server = try shell.serve("a", "--write-certificate", "a.pem")
        let proxy = try shell.start(
            "wire",
            "proxy",
            "--to",
            try server.url(),
            "--pin",
            "a.pem",
            "--record",
            "talk.pcap"
        )
        let url = try proxy.url()
        #expect(url.hasPrefix("ws://127.0.0.1:"))
        try shell.run("sync", "b", url)
        #expect(try shell.run("compare", "a", "b").output == "Equal: 30 documents and 0 blobs\n")
        // The last event of a connection.
        _ = try proxy.event {
            $0["kind"] as? String == "close" && $0["from"] as? String == "client"
        }
        #expect(proxy.stop() == 0)
        server.stop()

        let recorded = try objects(try shell.run("wire", "decode", "talk.pcap", "--json").output)
        #expect(recorded.first?["target"] as? String == "/a/_blipsync")
        let messages = recorded.filter { $0["number"] != nil }
        let profiles = Set(messages.compactMap { $0["profile"] as? String })
        #expect(
            profiles.isSuperset(of: [
                "getCollections", "subChanges", "changes", "rev", "setCheckpoint",
            ])
        )
        let revisions = messages.filter {
            $0["kind"] as? String == "request" && $0["profile"] as? String == "rev"
        }
        #expect(revisions.count == 30)
        let first = try #require(revisions.first)
        #expect((first["body"] as? String)?.contains("some words") == true)
        #expect((first["properties"] as? [String: Any])?["id"] as? String == "d0")
        for reply in messages where reply["kind"] as? String == "reply" {
            #expect(reply["profile"] != nil && reply["seconds"] != nil, "\(reply)")
        }
        #expect(recorded.filter { $0["kind"] as? String == "problem" }.isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: shell.path("talk.pcap"))
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test func `secrets are neither printed nor recorded`() throws {
        let server = try shell.serve("a", "--no-tls", "--user", "ali", "--password-file", "secret")
        let proxy = try shell.start(
            "wire",
            "proxy",
            "--to",
            try server.url(),
            "--record",
            "talk.pcap"
        )
        let pair = Data("ali:open-sesame".utf8).base64EncodedString()
        let outcome = try shell.divan(
            ["pull", "b", try proxy.url(), "--user", "ali"],
            environment: ["DIVAN_PASSWORD": "open-sesame"]
        )
        #expect(outcome.status == 0, "\(outcome)")
        let asked = try proxy.event { ($0["method"] as? String) == "GET" }
        let headers = try #require(asked["headers"] as? [[String]])
        #expect(headers.contains(["Authorization", "Basic •••"]))
        _ = try proxy.event {
            $0["kind"] as? String == "close" && $0["from"] as? String == "client"
        }
        proxy.stop()
        server.stop()
        let recording = try Data(contentsOf: URL(fileURLWithPath: shell.path("talk.pcap")))
        #expect(recording.range(of: Data(pair.utf8)) == nil)
        #expect(recording.range(of: Data("Authorization:".utf8)) != nil)
        let shown = try shell.run("wire", "decode", "talk.pcap").output
        #expect(!shown.contains(pair))
        #expect(shown.contains("Authorization: xxxxx •••"))
    }

    @Test func `a rejected connection is shown with its reason`() throws {
        let server = try shell.serve("a", "--no-tls", "--user", "ali", "--password-file", "secret")
        let proxy = try shell.start("wire", "proxy", "--to", try server.url())
        let outcome = try shell.divan("pull", "b", try proxy.url())
        #expect(outcome.status == 7)
        let refused = try proxy.event { $0["status"] as? Int == 401 }
        #expect(refused["from"] as? String == "server")
        proxy.stop()
        server.stop()
    }

    @Test func `an unreachable server is reported as a problem`() throws {
        let proxy = try shell.start("wire", "proxy", "--to", "ws://127.0.0.1:1/a")
        let outcome = try shell.divan("pull", "b", try proxy.url())
        #expect(outcome.status == 6)
        let problem = try proxy.event { $0["kind"] as? String == "problem" }
        #expect((problem["sentence"] as? String)?.contains("Connection refused") == true)
        proxy.stop()
    }

    @Test func `wire proxy prints a line for each message`() throws {
        let server = try shell.serve("a", "--no-tls")
        let proxy = try shell.start(
            "wire",
            "proxy",
            "--to",
            try server.url(),
            "--record",
            "talk.pcap",
            "--frames"
        )
        try shell.run("pull", "b", try proxy.url())
        _ = try proxy.event {
            $0["kind"] as? String == "close" && $0["from"] as? String == "client"
        }
        proxy.stop()
        server.stop()
        let shown = try shell.run("wire", "decode", "talk.pcap").output
        #expect(shown.contains("→ GET /a/_blipsync"))
        #expect(shown.contains("← 101 BLIP_3+CBMobile_3"))
        #expect(shown.contains("→ #1    getCollections"))
        #expect(shown.contains("← #1    reply to getCollections"))
        #expect(!shown.contains("frame #"))
        #expect(!shown.contains("\u{1B}["))
        let framed = try shell.run("wire", "decode", "talk.pcap", "--frames", "--body", "0").output
        #expect(framed.contains("frame #1 request"))
        #expect(!framed.contains("some words"))
        let terminal = try PseudoTerminal(shell, ["wire", "decode", "talk.pcap"])
        #expect(terminal.end() == 0)
        #expect(terminal.output.contains("\u{1B}[36m→ GET"))
        let pale = try PseudoTerminal(
            shell,
            ["wire", "decode", "talk.pcap"],
            environment: ["NO_COLOR": "1"]
        )
        #expect(pale.end() == 0)
        #expect(!pale.output.contains("\u{1B}[36m"))
    }

    @Test func `a file that is not a recording is rejected with a message`() throws {
        try shell.write("words.txt", "just some words\n")
        try shell.divan("wire", "decode", "words.txt").expectFailure(4, "neither a capture nor")
        try shell.divan("wire", "decode", "nothing.pcap").expectFailure(3, "nothing.pcap")
        try shell.write("empty", "")
        try shell.divan("wire", "decode", "empty").expectFailure(4, "neither a capture nor")
        let header = Data([0x0A, 0x0D, 0x0D, 0x0A] + [UInt8](repeating: 0, count: 40))
        try header.write(to: URL(fileURLWithPath: shell.path("new.pcapng")))
        try shell.divan("wire", "decode", "new.pcapng").expectFailure(4, "editcap -F pcap")
        try shell.divan("wire", "proxy").expectFailure(2, "--to")
        try shell.divan("wire", "proxy", "--to", "ws://x/a", "--listen", "x").expectFailure(2)
        try shell.write("there.pcap", "")
        try shell.divan(
            "wire",
            "proxy",
            "--to",
            "ws://127.0.0.1:1/a",
            "--record",
            "there.pcap"
        ).expectFailure(10, "exists")
    }
}
