import CouchbaseLiteSwift
import Foundation
import Testing

/// Collections that are deleted during replication.
@Suite(.timeLimit(.minutes(5))) struct DeletedCollectionTests {
    /// What ends a continuous replication if `change` is made once it is idle.
    private func end(
        of replicator: Replicator,
        after change: () throws -> Void
    ) async throws -> NSError? {
        let changes = replicator.statusStream
        _ = await replicator.start(until: .idle)
        try change()
        var last: Replicator.Status?
        for await status in changes { last = status }
        return last?.error as NSError?
    }

    private func peers() throws -> (Peers, here: [Collection], there: [Collection]) {
        let peers = try Peers()
        let names = ["hotels", "rooms"]
        return (
            peers, here: try names.map { try peers.here.createCollection(name: $0) },
            there: try names.map { try peers.there.createCollection(name: $0) }
        )
    }

    @Test(arguments: [ReplicatorType.push, .pull, .pushAndPull])
    func `deleting a replicated collection ends the replication with notOpen`(
        type: ReplicatorType
    ) async throws {
        let (peers, here, _) = try peers()
        var configuration = try peers.configuration(type, collections: here)
        configuration.continuous = true
        let error = try await end(of: Replicator(config: configuration)) {
            try peers.here.deleteCollection(name: "rooms")
        }
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.notOpen)
        #expect(error?.localizedDescription.contains("rooms") == true)
    }

    @Test func `deleting another collection does not affect the replication`() async throws {
        let (peers, here, _) = try peers()
        _ = try peers.here.createCollection(name: "other")
        var configuration = try peers.configuration(collections: here)
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        _ = await replicator.start(until: .idle)
        try peers.here.deleteCollection(name: "other")
        try here[0].put("a", 1)
        let arrived = try #require(try peers.there.collection(name: "hotels"))
        try await arrived.wait { try arrived.value("a") == 1 }
        #expect(replicator.status.error == nil)
        replicator.stop()
    }

    @Test func `a client ends with 10404 if the listener's collection is deleted`() async throws {
        let (peers, here, there) = try peers()
        let listener = try peers.listen(collections: there) { $0.disableTLS = true }
        var configuration = try peers.configuration(
            target: listener.endpoint(),
            collections: here
        )
        configuration.continuous = true
        configuration.maxAttemptWaitTime = 1
        let error = try await end(of: Replicator(config: configuration)) {
            try peers.there.deleteCollection(name: "rooms")
        }
        #expect(error?.code == 10_404, "\(String(describing: error))")
        listener.stop()
    }
}
