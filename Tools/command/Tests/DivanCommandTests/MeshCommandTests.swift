import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan mesh`, as several processes.
@Suite(.timeLimit(.minutes(5))) struct MeshCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("identity", "new", "cellar", "--authority", "--key", "p256")
        try shell.bash("divan identity export cellar > cellar.pem").expectSuccess()
        for name in ["kitchen", "hall"] {
            try shell.run("identity", "new", name, "--issuer", "cellar", "--key", "p256")
            try shell.run("new", name)
        }
    }

    private func join(
        _ name: String,
        _ options: [String],
        _ environment: [String: String] = [:]
    ) throws -> Peer {
        let words = ["mesh", "join", name, "home", "--identity", name, "--peer-ca", "cellar.pem"]
        return try shell.start(words + ["--interface", "127.0.0.1"] + options, environment)
    }

    @Test func `two processes with a seed form a mesh and sync`() throws {
        try shell.run("put", "kitchen", "soup", "{}")
        try shell.run("put", "hall", "chair", "{}")
        let port = try LoopbackClient.freePort()
        // The first one's only seed is itself, to which it must not link.
        let seed = ["--no-discovery", "--seed", "wss://127.0.0.1:\(port)"]
        let first = try join("kitchen", seed + ["--port", "\(port)"])
        #expect(try first.event(named: "joined")["port"] as? Int == port)
        let second = try join("hall", seed)
        let own = try #require(try second.event(named: "joined")["peerID"] as? String)
        // The caller pushes and pulls; either may be reported first.
        let documents = try second.event(named: "documents")
        #expect(documents["failed"] as? Int == 0)
        _ = try second.event { event in
            event["event"] as? String == "documents"
                && event["direction"] as? String != documents["direction"] as? String
        }
        // The status is published twice a second.
        var status: [String: Any] = [:]
        while (status["peers"] as? [Any])?.isEmpty != false {
            status = try shell.divan("mesh", "status", "kitchen", "--json").json()
        }
        #expect(status["group"] as? String == "home")
        let peers = try #require(status["peers"] as? [[String: Any]])
        #expect(peers.map { $0["peerID"] as? String } == [own])
        #expect(peers[0]["name"] as? String == "hall")
        let page = try shell.run("mesh", "status", "kitchen").output
        #expect(page.contains("1 peer online, 1 link"), "\(page)")
        #expect(try shell.run("ls", "kitchen").output == "chair\nsoup\n")
        #expect(try shell.run("ls", "hall").output == "chair\nsoup\n")
        #expect(first.stop() == 0 && second.stop() == 0)
        try shell.divan("mesh", "status", "kitchen").expectFailure(3, "not joined a mesh")
    }

    @Test(
        .enabled(if: PrivateAvahi.isInstalled, "make setup installs avahi-daemon and dbus-daemon")
    )
    func `two processes find each other through Avahi`() throws {
        try shell.run("put", "kitchen", "soup", "{}")
        let avahi = try PrivateAvahi()
        let first = try join("kitchen", [], avahi.environment)
        let second = try join("hall", [], avahi.environment)
        let found = try second.event { $0["event"] as? String == "peer" }
        #expect(found["online"] as? Bool == true)
        _ = try second.event { event in
            event["event"] as? String == "documents" && event["count"] as? Int == 1
        }
        #expect(try shell.run("ls", "hall").output == "soup\n")
        #expect(first.stop() == 0)
        _ = try second.event {
            $0["event"] as? String == "peer" && $0["online"] as? Bool == false
        }
        #expect(second.stop() == 0)
    }

    @Test func `an identity, a trust and valid seeds are required`() throws {
        let words = ["mesh", "join", "kitchen", "home"]
        try shell.divan(words).expectFailure(2, "missing option '--identity'")
        let identity = words + ["--identity", "kitchen"]
        try shell.divan(identity).expectFailure(2, "'--peer-ca' or '--peer-certificate'")
        let trust = identity + ["--peer-ca", "cellar.pem"]
        try shell.divan(trust + ["--seed", "hall"]).expectFailure(2, "for '--seed'")
        let alone = try shell.divan(trust + ["--no-discovery"])
        #expect(alone.status != 0 && alone.errors.contains("neither discovery nor seeds"))
    }

    @Test func `the guide to meshes works`() throws {
        let guide = try Guide("mesh.md", runs: "sh", "sh first", "sh second", "sh result")
        let room = try Shell()
        let port = try LoopbackClient.freePort()
        let local: (String) -> String = {
            $0.replacingOccurrences(of: "4985", with: "\(port)")
                .replacingOccurrences(of: "divan mesh", with: "exec divan mesh")
        }
        try room.bash("set -e\n" + guide.script("sh")).expectSuccess()
        let first = try room.startBash(local(guide.script("sh first")))
        let second = try room.startBash(local(guide.script("sh second")))
        defer {
            for peer in [first, second] {
                peer.signal(.interrupt)
                _ = peer.finish()
            }
        }
        // The second process prints its peer as soon as it is in sync.
        while try !second.line().contains("idle") {}
        let result = try room.bash("set -e\n" + guide.script("sh result"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("mesh hall home, port "), "\(result.output)")
        #expect(result.output.contains("Lentil"), "\(result.output)")
    }
}
