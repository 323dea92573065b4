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
        let joined = try second.event(named: "joined")
        let own = try #require(joined["peerID"] as? String)
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
        try checkGraph()
        try checkDoctor(seed: "wss://127.0.0.1:\(try #require(joined["port"] as? Int))")
        #expect(try shell.run("ls", "kitchen").output == "chair\nsoup\n")
        #expect(try shell.run("ls", "hall").output == "chair\nsoup\n")
        #expect(first.stop() == 0 && second.stop() == 0)
        try shell.divan("mesh", "status", "kitchen").expectFailure(3, "not joined a mesh")
        try shell.divan("mesh", "graph", "kitchen").expectFailure(3, "not joined a mesh")
    }

    /// The graph of the kitchen, which is linked to the hall.
    private func checkGraph() throws {
        let lines = try shell.run("mesh", "graph", "kitchen", "home").output.split(separator: "\n")
        #expect(lines.count == 5, "\(lines)")
        #expect(lines.first == "mesh kitchen home: 2 of 2 peers online, 1 link")
        #expect(lines.contains("kitchen (this peer)") && lines.contains("hall"), "\(lines)")
        let graph = try shell.divan("mesh", "graph", "kitchen", "--json").json()
        #expect((graph["links"] as? [Any])?.count == 1)
        try shell.run("mesh", "graph", "kitchen", "--output", "mesh.svg")
        let picture = try String(contentsOfFile: shell.path("mesh.svg"), encoding: .utf8)
        #expect(picture.hasPrefix("<svg ") && picture.hasSuffix("</svg>\n"))
        try shell.divan("mesh", "graph", "kitchen", "hall").expectFailure(3, "the mesh hall")
        try shell.divan("mesh", "graph", "kitchen", "-f", "png").expectFailure(2, "'png'")
    }

    /// The doctor of the kitchen calls the hall while both are linked.
    private func checkDoctor(seed: String) throws {
        func doctor(_ group: String) throws -> Program.Outcome {
            let words = ["mesh", "doctor", "kitchen", group, "--identity", "kitchen"]
            let options = ["--peer-ca", "cellar.pem", "--no-discovery", "--seed", seed]
            return try shell.divan(words + options)
        }
        let found = try doctor("home")
        found.expectSuccess()
        #expect(found.output.contains("accepts this peer"), "\(found.output)")
        #expect(!found.output.contains("warn"), "\(found.output)")
        try doctor("office").expectFailure(3, "is not in the group office")
    }

    @Test func `a peer gets what it subscribes to, and the status explains the rest`() throws {
        try shell.run("put", "kitchen", "soup", #"{"hot":true}"#)
        try shell.run("put", "kitchen", "ice", #"{"hot":false}"#)
        let port = try LoopbackClient.freePort()
        let seed = ["--no-discovery", "--seed", "wss://127.0.0.1:\(port)"]
        let first = try join("kitchen", seed + ["--port", "\(port)"])
        _ = try first.event(named: "joined")
        let second = try join("hall", seed + ["--subscribe", "_default:hot = true"])
        let documents = try second.event(named: "documents")
        #expect(documents["count"] as? Int == 1)
        #expect(try shell.run("ls", "hall").output == "soup\n")
        // The status is published twice a second.
        let words = ["mesh", "status", "kitchen", "--explain"]
        var ice = ""
        while !ice.contains("hall") {
            let outcome = try shell.divan(words + ["ice"])
            if outcome.status == 0 { ice = outcome.output }
        }
        #expect(ice.contains("(hall): not sent: the peer has subscribed to hot = true"), "\(ice)")
        let soup = try shell.run("mesh", "status", "kitchen", "--explain", "soup").output
        #expect(soup.contains("(hall): sent over the link"), "\(soup)")
        try shell.divan(words + ["tea"]).expectFailure(3, "tea")
        #expect(first.stop() == 0 && second.stop() == 0)
    }

    @Test func `other commands read and write the databases of running peers`() throws {
        let port = try LoopbackClient.freePort()
        let seed = ["--no-discovery", "--seed", "wss://127.0.0.1:\(port)"]
        let first = try join("kitchen", seed + ["--port", "\(port)"])
        _ = try first.event(named: "joined")
        let second = try join("hall", seed)
        try shell.write("photo.jpg", "steam")
        let put = try shell.run("put", "kitchen", "soup", "{}", "--blob", "photo=photo.jpg")
        #expect(put.errors.hasPrefix("Saved soup"), "\(put.errors)")
        _ = try second.event { event in
            event["event"] as? String == "documents" && event["direction"] as? String == "pull"
        }
        #expect(try shell.run("get", "hall", "soup", "--raw").output.contains(#""photo":{"#))
        #expect(try shell.run("blob", "get", "hall", "soup", "photo").output == "steam")
        try shell.run("rm", "hall", "soup")
        _ = try first.event { event in
            event["event"] as? String == "documents" && event["direction"] as? String == "pull"
        }
        try shell.divan("get", "kitchen", "soup").expectFailure(3, "soup")
        let again = ["mesh", "join", "kitchen", "office", "--identity", "kitchen"]
        try shell.divan(again + ["--peer-ca", "cellar.pem"])
            .expectFailure(5, "in use by divan mesh, process ")
        #expect(first.stop() == 0 && second.stop() == 0)
        try shell.run("put", "kitchen", "tea", "{}")
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
        for value in ["hot", "garden:hot = true"] {
            try shell.divan(trust + ["--subscribe", value]).expectFailure(2, "'--subscribe'")
        }
        let invalid = try shell.divan(trust + ["--subscribe", "_default:hot ="])
        #expect(invalid.status != 0 && invalid.errors.contains("invalid subscription"))
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
        #expect(result.output.contains("hall (this peer)\n"), "\(result.output)")
        #expect(result.output.contains("Lentil"), "\(result.output)")
    }
}
