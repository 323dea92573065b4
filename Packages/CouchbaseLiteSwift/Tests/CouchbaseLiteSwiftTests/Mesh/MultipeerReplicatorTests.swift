import CouchbaseLiteSwift
import Dispatch
import DivanTLS
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// The official API of a mesh.
@Suite(.timeLimit(.minutes(5))) struct MultipeerReplicatorTests {
    private let peers: MeshPeers
    private let queue = DispatchQueue(label: "multipeer-tests")

    init() throws {
        peers = try MeshPeers()
    }

    private func configuration(
        _ database: Database,
        identity: TLSIdentity? = nil,
        authenticator: MultipeerCertificateAuthenticator? = nil,
        _ change: (inout MultipeerCollectionConfiguration) -> Void = { _ in }
    ) throws -> MultipeerReplicatorConfiguration {
        var collection = MultipeerCollectionConfiguration(
            collection: try database.defaultCollection()
        )
        change(&collection)
        var configuration = MultipeerReplicatorConfiguration(
            peerGroupID: peers.group,
            identity: try identity ?? peers.identity(),
            authenticator: try authenticator
                ?? MultipeerCertificateAuthenticator(rootCerts: [peers.root]),
            collections: [collection]
        )
        configuration.discovery = .process
        return configuration
    }

    /// The statuses of a replicator, in order.
    private func statuses(
        _ replicator: MultipeerReplicator
    ) -> (AsyncStream<MultipeerReplicatorStatus>, ListenerToken) {
        let (stream, continuation) = AsyncStream.makeStream(of: MultipeerReplicatorStatus.self)
        let token = replicator.addStatusListener(on: queue) { continuation.yield($0) }
        return (stream, token)
    }

    private func hasStopped(_ stream: AsyncStream<MultipeerReplicatorStatus>) async {
        for await status in stream where !status.active && status.transport == nil { return }
    }

    @Test func `two replicators sync, and report peers and documents`() async throws {
        let (here, there) = (try peers.database("here"), try peers.database("there"))
        let ours = try MultipeerReplicator(config: configuration(here))
        let theirs = try MultipeerReplicator(config: configuration(there))
        let (documents, continuation) = AsyncStream.makeStream(of: PeerDocumentReplication.self)
        let token = ours.addPeerDocumentReplicationListener(on: queue) { continuation.yield($0) }
        let ends = [statuses(ours), statuses(theirs)]
        try here.put("a", 1)
        for replicator in [ours, theirs] { replicator.start() }
        try await there.wait(for: "a", 1)
        for await event in documents {
            #expect(event.peerID == theirs.peerID && event.isPush)
            #expect(event.documents.map(\.id) == ["a"] && event.documents[0].error == nil)
            #expect(event.documents[0].scope == "_default")
            break
        }
        token.remove()
        #expect(ours.neighborPeers == [theirs.peerID])
        let info = try #require(ours.peerInfo(for: theirs.peerID))
        #expect(info.online && info.replicatorTransport == .wifi && info.certificate != nil)
        let own = try #require(ours.peerInfo(for: ours.peerID))
        #expect(own.neighborPeers == [theirs.peerID] && own.transports.isEmpty)
        #expect(own.replicatorStatus.activity == .stopped && own.certificate != nil)
        #expect(ours.status(for: .wifi)?.active == true)
        for replicator in [ours, theirs] { replicator.stop() }
        for (stream, _) in ends { await hasStopped(stream) }
        for database in [here, there] { try database.close() }
    }

    @Test func `a stopped replicator has no peers, keeps its ID, and cannot be started again`()
        async throws
    {
        let database = try peers.database("here")
        let replicator = try MultipeerReplicator(config: configuration(database))
        let id = replicator.peerID
        #expect(id.bytes.count == 32 && replicator.neighborPeers.isEmpty)
        #expect(replicator.status(for: .wifi)?.active == false)
        #expect(replicator.status(for: .bluetooth) == nil)
        let (stream, token) = statuses(replicator)
        replicator.start()
        replicator.stop()
        var seen: [String] = []
        for await status in stream {
            seen.append("\(status.active) \(status.transport.map { "\($0)" } ?? "all")")
            #expect(status.error == nil)
            if !status.active, status.transport == nil { break }
        }
        #expect(seen.suffix(2) == ["false wifi", "false all"])
        #expect(replicator.peerID == id && replicator.neighborPeers.isEmpty)
        replicator.start()
        #expect(replicator.status(for: .wifi)?.active == false)
        #expect(replicator.status(for: .wifi)?.error == nil)
        token.remove()
        try database.close()
    }

    @Test func `the calling peer reports 5010 if its certificate is rejected`() async throws {
        let (here, there) = (try peers.database("here"), try peers.database("there"))
        let anyone = MultipeerCertificateAuthenticator { _, _ in true }
        let nobody = MultipeerCertificateAuthenticator { _, _ in false }
        let stranger = try MultipeerReplicator(
            config: configuration(there, authenticator: anyone)
        )
        let ours = try MultipeerReplicator(config: configuration(here, authenticator: nobody))
        let (errors, continuation) = AsyncStream.makeStream(of: (any Error).self)
        let tokens = [ours, stranger].map { replicator in
            replicator.addPeerReplicatorStatusListener(on: queue) { change in
                #expect(change.outgoing && change.status.activity == .stopped)
                if let error = change.status.error { continuation.yield(error) }
            }
        }
        let ends = [statuses(ours), statuses(stranger)]
        for replicator in [ours, stranger] { replicator.start() }
        for await error in errors {
            let error = error as NSError
            // The one that is not accepted has 5010, the one that does not accept an error of its own check.
            #expect(error.domain == CBLError.domain)
            #expect((5_006...5_015).contains(error.code), "\(error)")
            break
        }
        for token in tokens { token.remove() }
        for replicator in [ours, stranger] { replicator.stop() }
        for (stream, _) in ends { await hasStopped(stream) }
        for database in [here, there] { try database.close() }
    }

    @Test func `an identity that is valid only for clients is refused`() throws {
        let database = try peers.database("here")
        let client = try peers.identity(usages: .clientAuth)
        expect(CBLError.invalidParameter) {
            _ = try MultipeerReplicator(config: configuration(database, identity: client))
        }
        try database.close()
    }

    @Test func `a resolver gets the ID of the peer, and its result reaches both`() async throws {
        let (here, there) = (try peers.database("here"), try peers.database("there"))
        try here.put("sum", 1)
        try there.put("sum", 2)
        let resolver = SumResolver()
        let replicators = try [here, there].map { database in
            try MultipeerReplicator(
                config: configuration(database) { $0.conflictResolver = resolver }
            )
        }
        let ends = replicators.map { statuses($0) }
        for replicator in replicators { replicator.start() }
        try await here.wait(for: "sum", 3)
        try await there.wait(for: "sum", 3)
        #expect(!resolver.peerIDs.isEmpty)
        #expect(resolver.peerIDs.isSubset(of: replicators.map(\.peerID)))
        for replicator in replicators { replicator.stop() }
        for (stream, _) in ends { await hasStopped(stream) }
        for database in [here, there] { try database.close() }
    }
}

/// Adds both values, and remembers whose conflicts it resolved.
private final class SumResolver: MultipeerConflictResolver {
    private let asked = Mutex<Set<PeerID>>([])

    var peerIDs: Set<PeerID> { asked.withLock { $0 } }

    func resolve(peerID: PeerID, conflict: Conflict) -> Document? {
        asked.withLock { _ = $0.insert(peerID) }
        let both = [conflict.localDocument, conflict.remoteDocument].compactMap(\.self)
        let document = MutableDocument(id: conflict.documentID)
        document.setInt(both.reduce(0) { $0 + $1.int(forKey: "value") }, forKey: "value")
        return document
    }
}
