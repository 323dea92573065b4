import DivanTestKit
import Foundation
import Testing

/// Two real programs over a real socket: one serves, the other replicates with it.
@Suite struct TwoProcessTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("new", "b")
    }

    /// Serves `a` with TLS; its certificate is written to `a.pem`.
    private func serveA(_ options: String...) throws -> (peer: Peer, url: String) {
        let words = ["serve", "a", "--interface", "127.0.0.1", "--write-certificate", "a.pem"]
        let peer = try shell.start(words + options)
        return (peer, try peer.url())
    }

    private func fill(_ database: String, _ count: Int, prefix: String = "d") throws {
        let lines = (0..<count).map {
            "{\"_id\":\"\(prefix)\($0)\",\"n\":\($0),\"text\":\"ä\($0)\"}\n"
        }
        try shell.write("fill.jsonl", lines.joined())
        try shell.run("import", database, "fill.jsonl")
    }

    private func expectEqual(_ expected: String, location: SourceLocation = #_sourceLocation) throws
    {
        let outcome = try shell.divan("compare", "a", "b")
        #expect(outcome.output == expected, sourceLocation: location)
    }

    @Test func `pull downloads all documents over TLS`() throws {
        try fill("a", 700)
        let (peer, url) = try serveA()
        let outcome = try shell.run("pull", "b", url, "--pin", "a.pem", "--report", "report.json")
        #expect(outcome.output.hasPrefix("Pulled 700 documents; "))
        peer.stop()
        try expectEqual("Equal: 700 documents and 0 blobs\n")
        let report = try Data(contentsOf: URL(fileURLWithPath: shell.path("report.json")))
        let figures = try #require(JSONSerialization.jsonObject(with: report) as? [String: Any])
        #expect(figures["documents"] as? Int == 700)
        #expect((figures["bytes"] as? Int ?? 0) > 10_000)
    }

    @Test func `push uploads all documents without TLS`() throws {
        try fill("b", 300)
        let peer = try shell.serve("a", "--no-tls")
        let outcome = try shell.run("push", "b", try peer.url())
        #expect(outcome.output.hasPrefix("Pushed 300 documents; "))
        peer.stop()
        try expectEqual("Equal: 300 documents and 0 blobs\n")
    }

    @Test func `a second sync transfers nothing`() throws {
        try fill("a", 250)
        let (peer, url) = try serveA()
        try shell.run("sync", "b", url, "--pin", "a.pem")
        let outcome = try shell.run("sync", "b", url, "--pin", "a.pem")
        #expect(outcome.output.hasPrefix("Pulled 0 documents, pushed 0 documents; "))
        peer.stop()
    }

    @Test func `blobs sync in both directions`() throws {
        let pictures = (0..<6).map { number in
            Data((0..<(number * 40_000)).map { UInt8(truncatingIfNeeded: $0 &* (number + 3)) })
        }
        for (number, picture) in pictures.enumerated() {
            let file = "p\(number).png"
            try picture.write(to: URL(fileURLWithPath: shell.path(file)))
            let database = number % 2 == 0 ? "a" : "b"
            try shell.run("put", database, "doc\(number)", "{}", "--blob", "pic=\(file)")
        }
        let (peer, url) = try serveA()
        try shell.run("sync", "b", url, "--pin", "a.pem")
        peer.stop()
        try expectEqual("Equal: 6 documents and 6 blobs\n")
    }

    @Test func `missing collections are created by a pull`() throws {
        try shell.run("put", "a", "rome", "{\"n\":1}", "-c", "geo.places")
        let (peer, url) = try serveA()
        try shell.run("pull", "b", url, "--pin", "a.pem", "--collections", "geo.places")
        peer.stop()
        #expect(try shell.run("ls", "b", "-c", "geo.places").output == "rome\n")
    }

    @Test func `pull lists the peer's collections and can sync all of them`() throws {
        try shell.run("put", "a", "rome", "{\"n\":1}", "-c", "geo.places")
        try shell.run("mkcoll", "a", "geo.rivers")
        let (peer, url) = try serveA()
        let trust = ["--pin", "a.pem"]
        let listed = try shell.divan(["pull", "b", url, "--list-collections"] + trust)
        let note = "  (not in this database)"
        #expect(listed.output == "_default\ngeo.places\(note)\ngeo.rivers\(note)\n")
        let lines = try shell.divan(["pull", "b", url, "--list-collections", "--json"] + trust)
        #expect(lines.output.hasPrefix("{\"here\":true,\"name\":\"_default\"}\n"))
        try shell.divan(["pull", "b", url, "--all-collections", "-c", "x"] + trust)
            .expectFailure(2, "--all-collections")
        try shell.divan(["push", "b", url, "--all-collections"] + trust).expectFailure(2, "push")

        // A new database gets all of them.
        try shell.divan(["pull", "b", url] + trust).expectSuccess()
        #expect(try shell.run("ls", "b", "-c", "geo.places").output == "rome\n")
        try shell.divan(["pull", "b", url, "--all-collections"] + trust).expectSuccess()
        peer.stop()
        #expect(try shell.run("ls", "b", "-c", "geo.places").output == "rome\n")
        #expect(try shell.run("lscoll", "b").output.contains("geo.rivers"))
    }

    @Test func `a peer lists only collections that the user can read`() throws {
        try shell.run("mkcoll", "a", "geo.secrets")
        let add = ["users", "add", "users.json", "bo", "-c", "geo.places"]
        try shell.divan(add + ["--password-file", try passwordFile()]).expectSuccess()
        let (peer, url) = try serveA("--users", "users.json")
        let words = ["pull", "b", url, "--pin", "a.pem", "--user", "bo", "--password-file", "pw"]
        let listed = try shell.divan(words + ["--list-collections"])
        #expect(listed.output == "geo.places  (not in this database)\n")
        // The default collection, which is empty here, does not matter.
        try shell.divan(words).expectSuccess()
        try shell.divan(words + ["--all-collections"]).expectSuccess()
        peer.stop()
        #expect(try shell.run("lscoll", "b").output.contains("geo.places"))
    }

    private func passwordFile() throws -> String {
        try shell.write("pw", "plover\n")
        return "pw"
    }

    @Test func `a deletion is pushed`() throws {
        try fill("a", 5)
        var (peer, url) = try serveA()
        try shell.run("pull", "b", url, "--pin", "a.pem")
        peer.stop()
        try shell.run("rm", "b", "d2", "d3")
        (peer, url) = try serveA()
        try shell.run("push", "b", url, "--pin", "a.pem")
        peer.stop()
        #expect(try shell.run("ls", "a").output == "d0\nd1\nd4\n")
    }

    @Test func `continuous sync receives documents that another peer pushes`() throws {
        try shell.run("new", "c")
        try shell.run("put", "c", "news", "{\"from\":\"c\"}")
        let (server, url) = try serveA()
        let follower = try shell.start("sync", "b", url, "--continuous", "--pin", "a.pem")
        try follower.wait(for: "idle")
        try shell.run("push", "c", url, "--pin", "a.pem")
        let event = try follower.event(named: "document")
        #expect(event["id"] as? String == "news")
        #expect(event["direction"] as? String == "pull")
        #expect(follower.stop() == 0)
        server.stop()
        #expect(try shell.run("get", "b", "news", "--raw").output == "{\"from\":\"c\"}\n")
    }

    @Test func `both sides are equal after a conflict`() throws {
        try shell.run("put", "a", "both", "{\"n\":0}")
        var (peer, url) = try serveA()
        try shell.run("pull", "b", url, "--pin", "a.pem")
        peer.stop()
        try shell.run("put", "a", "both", "{\"by\":\"a\"}")
        try shell.run("put", "b", "both", "{\"by\":\"b\"}")
        try shell.run("put", "b", "both", "{\"by\":\"b again\"}")
        (peer, url) = try serveA()
        let outcome = try shell.run("sync", "b", url, "--pin", "a.pem")
        #expect(outcome.errors.contains("Conflict in both: kept the local revision"))
        peer.stop()
        try expectEqual("Equal: 1 document and 0 blobs\n")
        #expect(try shell.run("get", "a", "both", "--raw").output == "{\"by\":\"b again\"}\n")
    }

    @Test func `a deletion wins over an edit`() throws {
        try shell.run("put", "a", "both", "{\"n\":0}")
        var (peer, url) = try serveA()
        try shell.run("pull", "b", url, "--pin", "a.pem")
        peer.stop()
        try shell.run("rm", "a", "both")
        try shell.run("put", "b", "both", "{\"n\":1}")
        (peer, url) = try serveA()
        try shell.run("sync", "b", url, "--pin", "a.pem")
        peer.stop()
        #expect(try shell.run("ls", "a").output.isEmpty)
        #expect(try shell.run("ls", "b").output.isEmpty)
    }

    @Test func `a puller reconnects to a restarted listener and loses nothing`() throws {
        try fill("a", 50)
        let (first, url) = try serveA()
        let port = try #require(URL(string: url)?.port)
        let follower = try shell.start("pull", "b", url, "--continuous", "--pin", "a.pem")
        try follower.wait(for: "idle")
        first.killHard()
        try follower.wait(for: "offline")
        try shell.run("put", "a", "later", "{}")
        let second = try shell.serve("a", "--port", "\(port)")
        _ = try follower.event { $0["id"] as? String == "later" }
        follower.stop()
        second.stop()
        try expectEqual("Equal: 51 documents and 0 blobs\n")
    }

    @Test func `a killed pull resumes where it stopped`() throws {
        try fill("a", 3000)
        let (peer, url) = try serveA()
        let puller = try shell.start("pull", "b", url, "--pin", "a.pem")
        _ = try puller.event(named: "document")
        puller.killHard()
        try shell.run("pull", "b", url, "--pin", "a.pem")
        peer.stop()
        try expectEqual("Equal: 3,000 documents and 0 blobs\n")
    }

    @Test func `the server identity is created once and kept`() throws {
        let (first, _) = try serveA()
        first.stop()
        let before = try String(contentsOfFile: shell.path("a.pem"), encoding: .utf8)
        let (second, url) = try serveA()
        #expect(try String(contentsOfFile: shell.path("a.pem"), encoding: .utf8) == before)
        try shell.run("pull", "b", url, "--pin", "a.pem")
        second.stop()
    }

    @Test func `Ctrl-C ends a server cleanly`() throws {
        let (peer, _) = try serveA()
        #expect(peer.stop() == 0)
        try shell.run("put", "a", "free", "{}")
    }
}
