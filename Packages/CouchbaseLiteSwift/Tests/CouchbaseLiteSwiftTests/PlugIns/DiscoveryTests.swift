import CouchbaseLiteSwift
import DivanDiscovery
import DivanTestKit
import Foundation
import Testing

/// Listeners that a custom discovery advertises, and replicators that find them with it.
@Suite(.timeLimit(.minutes(5))) struct CustomDiscoveryTests {
    private func listen(
        _ peers: Peers,
        _ board: InProcessDiscovery,
        as name: String = "kitchen",
        _ change: (inout URLEndpointListenerConfiguration) -> Void = { _ in }
    ) throws -> URLEndpointListener {
        try peers.listen {
            $0.advertisement = ListenerAdvertisement(name: name, through: board)
            change(&$0)
        }
    }

    private func replicator(
        _ peers: Peers,
        _ board: InProcessDiscovery,
        patience: TimeInterval = 30,
        _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        var endpoint = DiscoveredEndpoint(name: "kitchen", through: board)
        endpoint.patience = patience
        var configuration = try peers.configuration(target: endpoint)
        configuration.maxAttempts = 1
        change(&configuration)
        return Replicator(config: configuration)
    }

    @Test func `a replicator finds an advertised listener by its name`() async throws {
        let peers = try Peers()
        let board = InProcessDiscovery()
        let listener = try listen(peers, board) { $0.advertisement?.attributes = ["room": "2"] }
        let peer = try #require(board.peers.first)
        #expect(listener.advertisedName == "kitchen")
        #expect(peer.port == listener.port)
        #expect(peer.attributes["database"] == "there")
        #expect(peer.attributes["scheme"] == "wss")
        #expect(peer.attributes["room"] == "2")
        let certificate = try #require(listener.tlsIdentity?.certs.first)
        #expect(peer.attributes["fingerprint"] == certificate.sha256Fingerprint)

        try peers.here.defaultCollection().put("a", 1)
        let replicator = try replicator(peers, board) { $0.pinnedServerCertificate = certificate }
        #expect(await replicator.finalCode() == 0)
        #expect(replicator.serverCertificate == certificate)
        #expect(try peers.there.defaultCollection().value("a") == 1)
        #expect(board.browserCount == 0)

        // The next run finds it again, although its port has changed.
        listener.stop()
        #expect(board.peers.isEmpty)
        #expect(listener.advertisedName == nil)
        let second = try listen(peers, board)
        defer { second.stop() }
        try peers.there.defaultCollection().put("b", 2)
        #expect(await replicator.finalCode() == 0)
        #expect(try peers.here.defaultCollection().value("b") == 2)
    }

    @Test func `a replicator waits for a peer that appears later`() async throws {
        let peers = try Peers()
        let board = InProcessDiscovery()
        let replicator = try replicator(peers, board)
        async let code = replicator.finalCode()
        var searches = board.searches.makeAsyncIterator()
        _ = await searches.next()
        let listener = try listen(peers, board) { $0.disableTLS = true }
        defer { listener.stop() }
        #expect(board.peers.first?.attributes["scheme"] == "ws")
        #expect(await code == 0)
    }

    @Test func `a peer that is not found is an unknown host`() async throws {
        let peers = try Peers()
        let board = InProcessDiscovery()
        let other = try listen(peers, board, as: "Kitchen")
        defer { other.stop() }
        let replicator = try replicator(peers, board, patience: 0.2)
        #expect(await replicator.finalCode() == CBLError.unknownHost)
        #expect(board.browserCount == 0)
    }

    @Test func `a replicator can be stopped while it searches`() async throws {
        let peers = try Peers()
        let board = InProcessDiscovery()
        let replicator = try replicator(peers, board)
        let statuses = replicator.statusStream
        replicator.start()
        replicator.stop()
        for await _ in statuses {}
        #expect(replicator.status.activity == .stopped)
        #expect(board.browserCount == 0)
        try peers.here.close()
    }

    @Test func `a search that fails stops the replicator`() async throws {
        let peers = try Peers()
        let replicator = try replicator(peers, InProcessDiscovery(failure: .noDaemon(code: -26)))
        #expect(await replicator.finalCode() == CBLError.unknownHost)
    }

    @Test(
        arguments: [
            ("", nil, CBLError.invalidParameter), ("a\nb", nil, CBLError.invalidParameter),
            ("kitchen", DiscoveryError.noDaemon(code: -26), CBLError.unsupported),
        ] as [(String, DiscoveryError?, Int)]
    )
    func `a listener that cannot be advertised does not start`(
        name: String,
        failure: DiscoveryError?,
        code: Int
    ) throws {
        let peers = try Peers()
        var configuration = URLEndpointListenerConfiguration(
            collections: [try peers.there.defaultCollection()]
        )
        configuration.disableTLS = true
        configuration.advertisement = ListenerAdvertisement(
            name: name,
            through: InProcessDiscovery(failure: failure)
        )
        let listener = URLEndpointListener(config: configuration)
        let error = #expect(throws: NSError.self) { try listener.start() }
        #expect(error?.code == code)
        #expect(listener.port == nil)
        try peers.there.close()
    }
}
