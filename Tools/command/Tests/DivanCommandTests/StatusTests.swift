import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan status`: a second process examines a running one.
@Suite(.timeLimit(.minutes(5))) struct StatusTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a", "--collections", "geo.places")
        try shell.run("new", "b", "--collections", "geo.places")
        try shell.run("put", "a", "one", "{}")
        try shell.run("put", "b", "two", "{}", "-c", "geo.places")
    }

    /// Serves `a`, and keeps `b` in sync with it.
    private func begin() throws -> (server: Peer, follower: Peer) {
        let server = try shell.serve("a", "--no-tls")
        let follower = try shell.start("sync", "b", try server.url(), "--continuous")
        try follower.wait(for: "idle")
        // The event comes after the publication.
        _ = try follower.event {
            $0["event"] as? String == "progress" && $0["activity"] as? String == "idle"
                && $0["pending"] as? Int == 0
        }
        return (server, follower)
    }

    @Test func `status shows both sides of a running replication`() throws {
        let (server, follower) = try begin()
        let status = try shell.run("status", "b", "--json").json()
        #expect(status["verb"] as? String == "sync")
        #expect(status["activity"] as? String == "idle")
        #expect(status["pid"] as? Int == Int(follower.process.processIdentifier))
        let documents = try #require(status["documents"] as? [String: Int])
        let expected = ["pulled": 1, "pushed": 1, "deleted": 0, "accessRemoved": 0, "errors": 0]
        #expect(documents == expected)
        let collections = try #require(status["collections"] as? [String: [String: Int]])
        #expect(collections["_default"]?["pulled"] == 1)
        #expect(collections["geo.places"]?["pushed"] == 1)
        #expect(status["pending"] as? Int == 0)
        let page = try shell.run("status", "b").output
        #expect(page.hasPrefix("sync b ws://127.0.0.1:"))
        #expect(page.contains("\n  documents   1 pulled, 1 pushed, "))
        #expect(page.contains("\n  idle; running for "), "\(page)")
        #expect(!page.contains(", none") && !page.contains(" of "), "\(page)")
        _ = try server.event(named: "connected")
        let serving = try shell.run("status", "a", "--json").json()
        #expect(serving["verb"] as? String == "serve")
        #expect(try shell.run("status", "a").output.contains("peer"))
        follower.stop()
        server.stop()
    }

    @Test func `status files are readable by their owner only`() throws {
        let (server, follower) = try begin()
        let board = shell.path("b.cblite2/.status")
        let names = try FileManager.default.contentsOfDirectory(atPath: board)
        #expect(names.count == 1)
        #expect(names[0].hasPrefix("\(follower.process.processIdentifier)-"))
        for (file, mode) in [(board, 0o700), ("\(board)/\(names[0])", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        follower.stop()
        server.stop()
        #expect(!FileManager.default.fileExists(atPath: board))
    }

    @Test func `an offline replication shows the time of its next retry`() throws {
        let (server, follower) = try begin()
        server.killHard()
        let event = try follower.event {
            $0["event"] as? String == "progress" && $0["activity"] as? String == "offline"
        }
        #expect((event["retryAt"] as? String)?.hasSuffix("Z") == true)
        #expect(event["error"] != nil)
        let page = try shell.run("status", "b").output
        let line = page.split(separator: "\n").first { $0.hasPrefix("  offline; running for ") }
        #expect(line?.contains("; next attempt in ") == true, "\(page)")
        follower.stop()
    }

    @Test func `status and top of a listener show a peer that does not reply`() throws {
        let (server, follower) = try begin()
        follower.process.signal(.stop)
        defer { follower.process.signal(.resume) }
        try shell.run("put", "a", "soup", "{}")
        let wait = "waiting for anonymous from 127.0.0.1: reply to changes of soup, "
        var page = ""
        // Ten seconds; each poll is a process.
        let begin = ContinuousClock.now
        while !page.contains(wait), ContinuousClock.now - begin < .seconds(60) {
            page = try shell.run("status", "a").output
        }
        #expect(page.contains(wait), "\(page)")
        let top = try shell.run("top", "a").output
        #expect(
            top.contains("! waiting for anonymous from 127.0.0.1: reply to changes of soup"),
            "\(top)"
        )
        follower.process.signal(.resume)
        while page.contains(wait), ContinuousClock.now - begin < .seconds(90) {
            page = try shell.run("status", "a").output
        }
        #expect(!page.contains(wait), "\(page)")
        follower.stop()
        server.stop()
    }

    @Test func `a killed process is not shown`() throws {
        let (server, follower) = try begin()
        follower.killHard()
        try shell.divan("status", "b").expectFailure(3, "no push, pull, sync or serve is running")
        server.stop()
        try shell.divan("status", "a").expectFailure(3, "divan pending a")
        try shell.divan("status", "missing").expectFailure(3, "missing.cblite2")
        try shell.divan("status", "a", "--interval", "1").expectFailure(2, "--interval")
    }

    @Test func `a status file that others can write is rejected`() throws {
        let board = shell.path("b.cblite2/.status")
        try FileManager.default.createDirectory(atPath: board, withIntermediateDirectories: true)
        try shell.write("b.cblite2/.status/1.json", "{}")
        try shell.divan("status", "b").expectFailure(4, "1.json", "chmod 600")
    }
}
