import DivanTestKit
import Foundation
import Testing

/// The options of `push`, `pull` and `sync` that select documents and identify the client.
@Suite(.timeLimit(.minutes(5))) struct SyncOptionTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("new", "b", "--collections", "geo.places")
        let lines = [
            #"{"_id":"h1","type":"hotel","stars":3,"address":{"city":"Rome"}}"#,
            #"{"_id":"h2","type":"hotel","stars":5,"address":{"city":"Ghent"}}"#,
            #"{"_id":"r1","type":"route","open":true}"#,
        ]
        try shell.write("lines.jsonl", lines.joined(separator: "\n"))
        try shell.run("import", "a", "lines.jsonl")
        try shell.run("import", "a", "lines.jsonl", "-c", "geo.places")
    }

    private func pull(_ options: String...) throws -> Program.Outcome {
        let server = try shell.serve("a", "--no-tls")
        defer { server.stop() }
        return try shell.divan(["pull", "b", try server.url()] + options)
    }

    private func held() throws -> [String] {
        try ["_default", "geo.places"].map { collection in
            let names = try shell.run("ls", "b", "-c", collection).output
            return names.split(separator: "\n").joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("type=hotel", "h1 h2"), ("type!=hotel", "r1"), ("stars>=5", "h2"), ("stars<5", "h1"),
        ("type=hotel and stars>3", "h2"), ("address.city=Ghent", "h2"), ("open", "r1"),
        ("!open", "h1 h2"), (#"type="route""#, "r1"), ("stars>three", ""),
    ])
    func `a pull filter skips documents that do not match`(
        _ test: String,
        _ passed: String
    ) throws {
        let outcome = try pull("--pull-filter", test)
        outcome.expectSuccess()
        #expect(try held() == [passed, passed])
    }

    /// Integers that no double holds, and a double among them; `--where` finds the same ones.
    @Test(arguments: [
        ("v=9223372036854775808", ""), ("v=9223372036854775807", "max"),
        ("v>9007199254740992", "max odd"), ("v>=9007199254740993", "max odd"),
        ("v=9007199254740993.0", "even"), ("v!=9007199254740993", "even half max small"),
        ("v<9007199254740993", "even half small"), ("v<=-0.5", "small"), ("v<1", "half small"),
    ])
    func `filters compare numbers exactly`(_ test: String, _ passed: String) throws {
        let numbers = [
            "max": "9223372036854775807", "odd": "9007199254740993", "even": "9007199254740992",
            "half": "0.5", "small": "-9223372036854775808",
        ]
        try shell.run("new", "n")
        try shell.run("new", "near")
        try shell.run("new", "far")
        for (id, number) in numbers { try shell.run("put", "n", id, #"{"v":\#(number)}"#) }
        let server = try shell.serve("n", "--no-tls")
        try shell.run("pull", "near", try server.url(), "--pull-filter", test)
        server.stop()
        let other = try shell.serve("far", "--no-tls")
        try shell.run("push", "n", try other.url(), "--push-filter", test)
        other.stop()
        let expected = passed.split(separator: " ").map { "\($0)\n" }.joined()
        #expect(try shell.run("ls", "near").output == expected)
        #expect(try shell.run("ls", "far").output == expected)
    }

    @Test func `document events show lost access`() throws {
        let server = try shell.serve("a", "--no-tls")
        let outcome = try shell.divan("pull", "b", try server.url(), "--json")
        server.stop()
        let events = try outcome.output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
        let documents = events.filter { $0["event"] as? String == "document" }
        #expect(documents.count == 6)
        #expect(documents.allSatisfy { $0["accessRemoved"] as? Bool == false })
        #expect(events.last?["accessRemoved"] as? Int == 0)
        #expect(events.last?["pulled"] as? Int == 6)
    }

    @Test func `revoked documents are reported as access removed, not as pulled`() throws {
        let server = try RevokingServer(documentIDs: ["one", "two"])
        let url = "ws://127.0.0.1:\(server.port)/db"
        try shell.run("new", "c")
        let first = try shell.divan("pull", "c", url, "--collections", "_default")
        first.expectSuccess()
        #expect(first.output.contains("Pulled 2 documents"), "\(first.output)")
        #expect(try shell.run("ls", "c").output == "one\ntwo\n")

        let second = try shell.divan("pull", "c", url, "--json")
        second.expectSuccess()
        let events = try second.output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
        let documents = events.filter { $0["event"] as? String == "document" }
        #expect(documents.count == 2)
        #expect(documents.allSatisfy { $0["accessRemoved"] as? Bool == true })
        #expect(events.last?["accessRemoved"] as? Int == 2)
        #expect(events.last?["pulled"] as? Int == 0)
        #expect(try shell.run("ls", "c").output == "")
    }

    @Test func `an option can apply to one collection`() throws {
        _ = try pull("--pull-filter", "geo.places:type=route", "--documents", "_default.x:h1")
        #expect(try held() == ["", ""], "the prefix names no collection, so it is part of an ID")
        try pull("--documents", "geo.places:h1,h2", "--documents", "r1").expectSuccess()
        #expect(try held() == ["r1", "h1 h2 r1"])
    }

    @Test func `a push filter skips documents but not deletions`() throws {
        try shell.run("put", "b", "secret", #"{"private":true}"#)
        try shell.run("put", "b", "open", #"{"n":1}"#)
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.run("push", "b", url, "--push-filter", "!private")
        try shell.run("rm", "b", "open")
        try shell.run("push", "b", url, "--push-filter", "!private")
        server.stop()
        #expect(try shell.run("ls", "a").output == "h1\nh2\nr1\n")
    }

    @Test func `--where applies to push and pull, and is validated first`() throws {
        for (name, owner) in [("m1", "ada"), ("m2", "bo")] {
            try shell.run("put", "b", name, #"{"owner":"\#(owner)"}"#)
            try shell.run("put", "a", "their-\(name)", #"{"owner":"\#(owner)"}"#)
        }
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        try shell.divan("sync", "b", url, "--where", "owner =").expectFailure(4, "column")
        let words = ["sync", "b", url, "--collections", "_default"]
        let outcome = try shell.divan(words + ["--where", "owner = 'ada'"])
        server.stop()
        outcome.expectSuccess()
        // The condition excluded them on purpose: they do not count as failed.
        #expect(outcome.errors == "")
        #expect(outcome.output.contains("filtered out 4 documents"), "\(outcome.output)")
        let theirs = try shell.run("ls", "a").output.split(separator: "\n")
        #expect(theirs == ["h1", "h2", "m1", "r1", "their-m1", "their-m2"])
        #expect(try shell.run("ls", "b").output == "m1\nm2\ntheir-m1\n")
    }

    @Test func `a client authenticates with its certificate`() throws {
        for name in ["robot", "other"] { try shell.run("identity", "new", name, "--key", "p256") }
        let certificate = try shell.run("identity", "export", "robot").output
        try shell.write("robot.pem", certificate)
        let server = try shell.serve("a", "--client-certificate", "robot.pem")
        let url = try server.url()
        let words = ["pull", "b", url, "--accept-self-signed"]
        try shell.divan(words + ["--identity", "robot"]).expectSuccess()
        #expect(try server.event(named: "connected")["certificate"] as? String == "CN=robot")
        try shell.divan(words + ["--identity", "other"]).expectFailure(7, "certificate")
        try shell.divan(words).expectFailure(7, "certificate")
        server.stop()
    }

    @Test func `--client-ca accepts certificates that the authority signed`() throws {
        try shell.run("identity", "new", "cellar", "--authority", "--key", "p256")
        let signed = ["--issuer", "cellar", "--key", "p256"]
        try shell.divan(["identity", "new", "robot"] + signed).expectSuccess()
        try shell.divan(["identity", "new", "box", "--host", "127.0.0.1"] + signed)
            .expectSuccess()
        let authority = try shell.run("identity", "export", "cellar").output
        try shell.write("cellar.pem", authority)
        let server = try shell.serve("a", "--identity", "box", "--client-ca", "cellar.pem")
        let url = try server.url()
        try shell.run("pull", "b", url, "--identity", "robot", "--trust", "cellar.pem")
        try shell.divan("pull", "b", url, "--identity", "robot").expectFailure(7, "certificate")
        server.stop()
    }

    @Test func `progress is reported as JSON events`() throws {
        let server = try shell.serve("a", "--no-tls")
        let puller = try shell.start("pull", "b", try server.url())
        let progress = try puller.event {
            ($0["documents"] as? [String: Int])?["pulled"] == 6
        }
        #expect(progress["verb"] as? String == "pull")
        #expect(try puller.event(named: "finished")["documents"] as? Int == 6)
        puller.stop()
        server.stop()
    }

    @Test func `contradictory options are rejected before anything is sent`() throws {
        let url = "wss://127.0.0.1:1/a"
        try shell.write("x.pem", "noise")
        let common = ["pull", "b", url]
        for (words, remedy) in [
            (["--pin", "x.pem", "--accept-self-signed"], "cannot be used together"),
            (["--user", "x", "--identity", "y"], "cannot be used together"),
            (["--user", "x", "--session-file", "y"], "cannot be used together"),
            (["--cookie-name", "x"], "--session-file"),
            (["--proxy", "nonsense"], "HOST:PORT"),
            (["--proxy", "me:secret@host:80"], "DIVAN_PROXY_PASSWORD"),
            (["--heartbeat", "1"], "from 2"),
            (["--max-wait", "x"], "--max-wait"),
            (["--pull-filter", "=3"], "invalid filter '=3'"),
            (["--pull-filter", "a b c"], "invalid filter 'a b c'"),
            (["--pull-filter", "type='hotel'"], "without quotes"),
            (["--pull-filter", "stars==3"], "invalid filter 'stars==3'"),
            (["--pull-filter", "stars<>3"], "invalid filter 'stars<>3'"),
            (["--pull-filter", "open AND stars>3"], "--where"),
            (["--pull-filter", "name=a LIKE b"], "--where"),
            (["--header", "nonsense"], "NAME: VALUE"),
        ] {
            let outcome = try shell.divan(common + words)
            outcome.expectFailure(2, remedy)
            #expect(!outcome.errors.contains("secret"))
        }
        try shell.divan(common + ["--pin", "x.pem"]).expectFailure(4, "x.pem")
        try shell.divan(common + ["--pin", "y.pem"]).expectFailure(3, "y.pem")
        try shell.divan(common + ["--trust", "x.pem"]).expectFailure(4, "x.pem")
        try shell.divan(common + ["--identity", "ghost"]).expectFailure(3, "ghost")
        try shell.divan(common + ["--identity", "x.pem"]).expectFailure(4, "x.pem")
        try shell.divan("pull", "b", "ws://127.0.0.1:1/a", "--identity", "x.pem")
            .expectFailure(2, "wss://")
    }
}
