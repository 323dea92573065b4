import CouchbaseLiteSwift
import DivanTestKit
import DivanTransport
import Foundation
import Synchronization
import Testing

/// Replicators and listeners over transports of the application.
@Suite(.timeLimit(.minutes(5))) struct CustomTransportTests {
    struct NoCable: Error, CustomStringConvertible {
        let description = "there is no cable"
    }

    /// An endpoint whose transports are pairs in memory; the other end is served by the listener.
    private func endpoint(
        to listener: TransportListener,
        agreeing choose: @escaping @Sendable ([String]) -> String? = { _ in nil }
    ) -> TransportEndpoint {
        TransportEndpoint(uid: "cable") { loop, subprotocols in
            let pair = InProcessPair(subprotocol: choose(subprotocols), firstLoop: loop)
            try listener.accept(pair.second)
            return pair.first
        }
    }

    private func listener(
        _ peers: Peers,
        _ change: (inout TransportListenerConfiguration) -> Void = { _ in }
    ) throws -> TransportListener {
        var config = TransportListenerConfiguration(
            collections: [try peers.there.defaultCollection()]
        )
        change(&config)
        return TransportListener(config: config)
    }

    @Test func `documents are synced in both directions over a custom transport`() async throws {
        let peers = try Peers()
        let listener = try listener(peers)
        try peers.here.defaultCollection().put("a", 1)
        try peers.there.defaultCollection().put("b", 2)
        let configuration = try peers.configuration(target: endpoint(to: listener))
        #expect(await Replicator(config: configuration).finalCode() == 0)
        #expect(try peers.there.defaultCollection().value("a") == 1)
        #expect(try peers.here.defaultCollection().value("b") == 2)
    }

    @Test func `a custom codec is used if the transport agrees on its subprotocol`() async throws {
        let peers = try Peers()
        let (near, far) = (TallyCodec(), TallyCodec())
        let listener = try listener(peers) { $0.compression = .codec(far) }
        let text = String(repeating: "word ", count: 400)
        try peers.here.defaultCollection()
            .save(document: MutableDocument(id: "a", data: ["text": text]))
        var configuration = try peers.configuration(
            target: endpoint(to: listener) { $0.first { $0.hasSuffix("+TALLY") } }
        )
        configuration.compression = .codec(near)
        let replicator = Replicator(config: configuration)
        #expect(await replicator.finalCode() == 0)
        #expect(replicator.statistics.compression == "tally")
        #expect(far.byteCounts.decompressed > 2_000)
        #expect(near.byteCounts.compressed > 2_000)
    }

    @Test func `a read-only listener accepts no documents`() async throws {
        let peers = try Peers()
        let listener = try listener(peers) { $0.readOnly = true }
        try peers.here.defaultCollection().put("a", 1)
        try peers.there.defaultCollection().put("b", 2)
        let configuration = try peers.configuration(target: endpoint(to: listener))
        _ = await Replicator(config: configuration).finalCode()
        #expect(try peers.there.defaultCollection().value("a") == nil)
    }

    @Test func `an error of the application stops the replicator`() async throws {
        let peers = try Peers()
        let endpoint = TransportEndpoint(uid: "cable") { _, _ in throw NoCable() }
        var configuration = try peers.configuration(target: endpoint)
        configuration.maxAttempts = 1
        let replicator = Replicator(config: configuration)
        #expect(await replicator.finalCode() != 0)
        #expect(replicator.status.error?.localizedDescription.contains("no cable") == true)
    }

    @Test func `a database with an open connection can be closed`() async throws {
        let peers = try Peers()
        let listener = try listener(peers)
        var configuration = try peers.configuration(target: endpoint(to: listener))
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        _ = await replicator.start(until: .idle)
        #expect(listener.connectionCount == 1)
        try peers.there.close()
        #expect(listener.connectionCount == 0)
        let pair = InProcessPair(subprotocol: nil)
        let error = #expect(throws: NSError.self) { try listener.accept(pair.second) }
        #expect(error?.code == CBLError.notOpen)
        try peers.here.close()
    }

    @Test func `a listener with an invalid codec accepts no transport`() throws {
        let peers = try Peers()
        let listener = try listener(peers) { $0.compression = .codec(TallyCodec("lz4")) }
        let pair = InProcessPair(subprotocol: nil)
        let error = #expect(throws: NSError.self) { try listener.accept(pair.second) }
        #expect(error?.code == CBLError.invalidParameter)
        #expect(listener.connectionCount == 0)
    }
}
