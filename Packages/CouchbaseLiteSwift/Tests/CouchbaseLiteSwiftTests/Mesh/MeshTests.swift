import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// The modern API of a mesh.
@Suite(.timeLimit(.minutes(5))) struct MeshTests {
    private let peers: MeshPeers

    init() throws {
        peers = try MeshPeers()
    }

    @Test func `a mesh shows its peers, syncs with them, and can be joined again`() async throws {
        let (here, there) = (try peers.database("here"), try peers.database("there"))
        let (ours, theirs) = (try peers.mesh(of: here), try peers.mesh(of: there))
        try theirs.join()
        for round in 1...2 {
            try ours.join()
            try ours.join()
            for await peer in ours.peers where peer.status.activity == .idle {
                #expect(peer.id == theirs.id && peer.isOnline && peer.link != nil)
                #expect(peer.certificate?.commonName == "peer")
                break
            }
            try here.put("a", round)
            try await there.wait(for: "a", round)
            #expect(ours.status == .joined && ours.port != nil)
            await ours.leave()
            #expect(ours.status == .left && ours.port == nil && ours.knownPeers.isEmpty)
        }
        await theirs.leave()
        for database in [here, there] { try database.close() }
    }

    @Test func `closing the database leaves the mesh`() async throws {
        let database = try peers.database("here")
        let mesh = try peers.mesh(of: database)
        let events = mesh.events
        try mesh.join()
        try database.close()
        for await event in events {
            if case .status(.left) = event { break }
        }
        #expect(mesh.status == .left)
        expect(CBLError.notOpen) { try mesh.join() }
    }

    @Test func `a filter decides which documents a peer gets, whichever peer connected`()
        async throws
    {
        let (here, there) = (try peers.database("here"), try peers.database("there"))
        let ours = try peers.mesh(of: here) { configuration in
            configuration.collections[0].pushFilter = { _, document, _ in
                document.int(forKey: "value") != 13
            }
            configuration.collections[0].pullFilter = { _, document, _ in
                document.id != "unwanted"
            }
        }
        let theirs = try peers.mesh(of: there)
        try here.put("private", 13)
        try there.put("unwanted", 1)
        for mesh in [ours, theirs] { try mesh.join() }
        try here.put("public", 2)
        try there.put("wanted", 3)
        try await there.wait(for: "public", 2)
        try await here.wait(for: "wanted", 3)
        #expect(try there.value("private") == nil)
        #expect(try here.value("unwanted") == nil)
        for mesh in [ours, theirs] { await mesh.leave() }
        for database in [here, there] { try database.close() }
    }

    @Test func `peers find each other with seeds only`() async throws {
        let (here, there) = (try peers.database("here"), try peers.database("there"))
        // Without discovery: each has a hub of its own otherwise, and both need a way to be found.
        let theirs = try peers.mesh(of: there)
        try theirs.join()
        let ours = try peers.mesh(of: here) { configuration in
            configuration.discovery = .seedsOnly
            let port = try #require(theirs.port)
            configuration.seeds = [try #require(URL(string: "wss://127.0.0.1:\(port)"))]
        }
        try ours.join()
        try here.put("a", 1)
        try await there.wait(for: "a", 1)
        for mesh in [ours, theirs] { await mesh.leave() }
        for database in [here, there] { try database.close() }
    }

    @Test
    func `an invalid group or seed, and a mesh without discovery and seeds, are refused`()
        throws
    {
        let database = try peers.database("here")
        expect(CBLError.invalidParameter) {
            _ = try peers.mesh(of: database) { $0.group = "a.b" }
        }
        expect(CBLError.invalidParameter) {
            _ = try peers.mesh(of: database) { $0.discovery = .seedsOnly }
        }
        expect(CBLError.invalidParameter) {
            _ = try peers.mesh(of: database) {
                $0.seeds = [try #require(URL(string: "ws://127.0.0.1"))]
            }
        }
        try database.close()
    }
}
