import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// One document changed on both sides: the result of a push-and-pull.
@Suite(.timeLimit(.minutes(5))) struct ReplicationConflictTests {
    /// Answers with a closure.
    private struct Resolver: ConflictResolverProtocol {
        let answer: @Sendable (Conflict) -> Document?

        func resolve(conflict: Conflict) -> Document? { answer(conflict) }
    }

    /// Two databases that share a document and have since changed it.
    private func conflictedPeers(
        here: (Collection) throws -> Void = { try $0.put("a", 10) },
        there: (Collection) throws -> Void = { try $0.put("a", 20) }
    ) async throws -> Peers {
        let peers = try Peers()
        try peers.here.defaultCollection().put("a", 1)
        try await Replicator(config: peers.configuration()).run()
        try here(peers.here.defaultCollection())
        try there(peers.there.defaultCollection())
        return peers
    }

    private func replicate(
        _ peers: Peers,
        _ answer: @escaping @Sendable (Conflict) -> Document?
    ) async throws {
        let configuration = try peers.configuration {
            $0.conflictResolver = Resolver(answer: answer)
        }
        try await Replicator(config: configuration).run()
    }

    @Test func `the longer history wins by default`() async throws {
        let peers = try await conflictedPeers(
            here: { collection in for value in 10...12 { try collection.put("a", value) } }
        )
        try await Replicator(config: peers.configuration()).run()
        #expect(try peers.here.defaultCollection().value("a") == 12)
        #expect(try peers.there.defaultCollection().value("a") == 12)
    }

    @Test func `a conflict that is left open keeps both sides until it is resolved`()
        async throws
    {
        let peers = try await conflictedPeers()
        let open = try peers.configuration { $0.conflictResolver = ConflictResolver.leaveOpen }
        try await Replicator(config: open).run()
        #expect(try peers.here.defaultCollection().value("a") == 10)
        #expect(try peers.there.defaultCollection().value("a") == 20)
        try await replicate(peers) { $0.remoteDocument }
        #expect(try peers.here.defaultCollection().value("a") == 20)
    }

    @Test func `by default both peers agree on a winner if the histories are equally long`()
        async throws
    {
        let peers = try await conflictedPeers()
        try await Replicator(config: peers.configuration()).run()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        #expect(try here.value("a") == there.value("a"))
    }

    @Test func `a deletion wins by default`() async throws {
        let peers = try await conflictedPeers(
            here: { try $0.delete(document: #require(try $0.document(id: "a"))) },
            there: { collection in for value in 20...25 { try collection.put("a", value) } }
        )
        try await Replicator(config: peers.configuration()).run()
        #expect(try peers.here.defaultCollection().value("a") == nil)
        #expect(try peers.there.defaultCollection().value("a") == nil)
    }

    @Test func `a resolver can keep the local document`() async throws {
        let peers = try await conflictedPeers()
        try await replicate(peers) { $0.localDocument }
        #expect(try peers.here.defaultCollection().value("a") == 10)
        #expect(try peers.there.defaultCollection().value("a") == 10)
    }

    @Test func `a resolver can keep the remote document`() async throws {
        let peers = try await conflictedPeers()
        let remote = try peers.there.defaultCollection().document(id: "a")?.revisionID
        try await replicate(peers) { $0.remoteDocument }
        let kept = try peers.here.defaultCollection().document(id: "a")
        #expect(kept?.int(forKey: "value") == 20)
        #expect(kept?.revisionID == remote)
    }

    @Test func `a resolver can merge both documents`() async throws {
        let peers = try await conflictedPeers()
        try await replicate(peers) { conflict in
            guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
                return nil
            }
            let sum = local.int(forKey: "value") + remote.int(forKey: "value")
            return MutableDocument(id: conflict.documentID, data: ["value": sum])
        }
        #expect(try peers.here.defaultCollection().value("a") == 30)
        #expect(try peers.there.defaultCollection().value("a") == 30)
    }

    @Test func `a merged document can contain a new blob`() async throws {
        let peers = try await conflictedPeers()
        try await replicate(peers) { conflict in
            let merged = MutableDocument(id: conflict.documentID)
            merged.setBlob(Blob(contentType: "text/plain", data: Data("x".utf8)), forKey: "note")
            return merged
        }
        for database in [peers.here, peers.there] {
            let blob = try database.defaultCollection().document(id: "a")?.blob(forKey: "note")
            #expect(blob?.content == Data("x".utf8))
        }
    }

    @Test func `a resolver can delete the document`() async throws {
        let peers = try await conflictedPeers()
        try await replicate(peers) { _ in nil }
        #expect(try peers.here.defaultCollection().value("a") == nil)
        #expect(try peers.there.defaultCollection().value("a") == nil)
    }

    @Test func `a resolver sees nil for a deleted side`() async throws {
        let peers = try await conflictedPeers(
            there: { try $0.delete(document: #require(try $0.document(id: "a"))) }
        )
        let heard = Heard<Bool>()
        try await replicate(peers) { conflict in
            heard.append(conflict.remoteDocument == nil && conflict.localDocument != nil)
            return conflict.localDocument
        }
        #expect(heard.elements == [true])
        #expect(try peers.there.defaultCollection().value("a") == 10)
    }

    @Test func `a resolved document of another collection is an error, and the conflict stays`()
        async throws
    {
        let peers = try await conflictedPeers()
        let other = try peers.here.createCollection(name: "other")
        try other.put("a", 99)
        let configuration = try peers.configuration {
            $0.conflictResolver = Resolver { _ in try? other.document(id: "a") }
        }
        let replicator = Replicator(config: configuration)
        let (heard, queue) = (Heard<ReplicatedDocument>(), DispatchQueue(label: "test"))
        replicator.addDocumentReplicationListener(withQueue: queue) { event in
            for document in event.documents where !event.isPush { heard.append(document) }
        }
        try await replicator.run()
        queue.sync {}
        #expect(heard.elements.map { ($0.error as NSError?)?.code } == [CBLError.conflict])
        #expect(try peers.here.defaultCollection().value("a") == 10)

        try await replicate(peers) { $0.remoteDocument }
        #expect(try peers.here.defaultCollection().value("a") == 20)
    }

    @Test func `a resolver is called again if the document changes meanwhile`() async throws {
        let peers = try await conflictedPeers()
        let here = try peers.here.defaultCollection()
        let heard = Heard<Int>()
        try await replicate(peers) { conflict in
            heard.append(conflict.localDocument?.int(forKey: "value") ?? -1)
            if heard.elements.count == 1 { try? here.put("a", 11) }
            return conflict.localDocument
        }
        #expect(heard.elements == [10, 11])
        #expect(try peers.there.defaultCollection().value("a") == 11)
    }

    @Test func `a push without pull reports the conflict as 10409`() async throws {
        let peers = try await conflictedPeers()
        let replicator = Replicator(config: try peers.configuration(.push))
        let (heard, queue) = (Heard<ReplicatedDocument>(), DispatchQueue(label: "test"))
        replicator.addDocumentReplicationListener(withQueue: queue) { event in
            for document in event.documents { heard.append(document) }
        }
        try await replicator.run()
        queue.sync {}
        #expect(heard.elements.map { ($0.error as NSError?)?.code } == [CBLError.httpConflict])
        #expect(try peers.there.defaultCollection().value("a") == 20)
    }
}
