import CouchbaseLiteSwift
import Foundation
import Testing

/// Documents that a listener refuses: listed with the reason until they change or arrive.
@Suite(.timeLimit(.minutes(5))) struct RefusedDocumentTests {
    private let peers: Peers

    init() throws {
        peers = try Peers()
        try peers.here.defaultCollection().put("good", 1)
        try peers.here.defaultCollection().put("bad", 13)
    }

    /// A listener that accepts every value but one.
    private func listen(refusing refused: Int = 13) throws -> URLEndpointListener {
        try peers.listen {
            $0.disableTLS = true
            $0.access = { _ in
                var access = ListenerAccess()
                access.writeFilter = { document, _ in document.int(forKey: "value") != refused }
                return access
            }
        }
    }

    @Test func `a refused document stays listed across runs until it changes`() async throws {
        let listener = try listen()
        defer { listener.stop() }
        let here = try peers.here.defaultCollection()
        let configuration = try peers.configuration(.push, target: listener.endpoint())
        #expect(await Replicator(config: configuration).finalCode() == 0)
        for _ in 0..<2 {
            let replicator = Replicator(config: configuration)
            let refused = try replicator.refusedDocuments(collection: here)
            #expect(refused.map(\.id) == ["bad"])
            let document = try #require(try here.document(id: "bad"))
            #expect(refused.first?.revisionID == document.revisionID)
            let error = try #require(refused.first).error as NSError
            #expect(error.domain == CBLError.domain && error.code == CBLError.httpForbidden)
            #expect(abs(refused.first?.date.timeIntervalSinceNow ?? 999) < 60)
            // The official meaning: acknowledged, even if by a refusal.
            #expect(try replicator.pendingDocumentIds(collection: here) == [])
            #expect(await replicator.finalCode() == 0)
        }
        try here.put("bad", 14)
        let replicator = Replicator(config: configuration)
        #expect(try replicator.refusedDocuments(collection: here).isEmpty)
        #expect(await replicator.finalCode() == 0)
        #expect(try peers.there.defaultCollection().value("bad") == 14)
        #expect(try replicator.refusedDocuments(collection: here).isEmpty)
    }

    @Test func `retrying sends refused documents that the listener now accepts`() async throws {
        let strict = try listen()
        let here = try peers.here.defaultCollection()
        let url = try strict.endpoint()
        #expect(
            await Replicator(config: try peers.configuration(.push, target: url)).finalCode() == 0
        )
        let port = try #require(strict.port)
        strict.stop()
        let mild = try peers.listen {
            $0.disableTLS = true
            $0.port = port
        }
        defer { mild.stop() }
        let replicator = Replicator(config: try peers.configuration(.push, target: url))
        #expect(await replicator.finalCode() == 0)
        #expect(try replicator.refusedDocuments(collection: here).map(\.id) == ["bad"])
        let changes = replicator.statusStream
        replicator.start(reset: false, retryingRefused: true)
        for await _ in changes {}
        #expect(try replicator.refusedDocuments(collection: here).isEmpty)
        #expect(try peers.there.defaultCollection().value("bad") == 13)
    }

    @Test func `refused documents require a replicator that pushes the collection`() throws {
        let here = try peers.here.defaultCollection()
        let pull = Replicator(config: try peers.configuration(.pull))
        let error = #expect(throws: NSError.self) {
            try pull.refusedDocuments(collection: here)
        }
        #expect(error?.code == CBLError.unsupported)
        let other = try peers.here.createCollection(name: "other")
        let push = Replicator(config: try peers.configuration(.push))
        let second = #expect(throws: NSError.self) {
            try push.refusedDocuments(collection: other)
        }
        #expect(second?.code == CBLError.notOpen)
        #expect(try push.refusedDocuments(collection: here).isEmpty)
    }
}
