import CouchbaseLiteSwift
import Dispatch
import Foundation
import Testing

/// Replication of single documents: events, filters, pending documents.
@Suite(.timeLimit(.minutes(5))) struct DocumentReplicationTests {
    /// Runs a replicator and returns its document events as `push|pull id flags code`.
    private func events(_ configuration: ReplicatorConfiguration) async -> [String] {
        let replicator = Replicator(config: configuration)
        let (heard, queue) = (Heard<String>(), DispatchQueue(label: "test"))
        replicator.addDocumentReplicationListener(withQueue: queue) { event in
            for document in event.documents {
                let code = (document.error as NSError?)?.code ?? 0
                heard.append(
                    "\(event.isPush ? "push" : "pull") \(document.id) "
                        + "\(document.flags.rawValue) \(code)"
                )
            }
        }
        _ = await replicator.statuses()
        queue.sync {}
        return heard.elements.sorted()
    }

    @Test func `each document is reported once with its direction`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try here.put("a", 1)
        try here.put("gone", 1)
        try here.delete(document: #require(try here.document(id: "gone")))
        try there.put("b", 1)
        let events = await events(try peers.configuration())
        #expect(events == ["pull b 0 0", "push a 0 0", "push gone 1 0"])
    }

    @Test func `documents excluded by a push filter are not reported`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        for number in 1...4 { try here.put("\(number)", number) }
        let configuration = try peers.configuration(.push) {
            $0.pushFilter = { document, _ in document.int(forKey: "value") % 2 == 0 }
        }
        let replicator = Replicator(config: configuration)
        #expect(try replicator.pendingDocumentIds(collection: here) == ["2", "4"])
        #expect(await events(configuration) == ["push 2 0 0", "push 4 0 0"])
        #expect(try peers.there.defaultCollection().count == 2)
        #expect(try replicator.pendingDocumentIds(collection: here).isEmpty)
    }

    @Test func `a push filter gets deletions with the deleted flag`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        try here.put("a", 1)
        try await Replicator(config: peers.configuration(.push)).run()
        try here.delete(document: #require(try here.document(id: "a")))
        let configuration = try peers.configuration(.push) {
            $0.pushFilter = { _, flags in !flags.contains(.deleted) }
        }
        try await Replicator(config: configuration).run()
        #expect(try peers.there.defaultCollection().value("a") == 1)
    }

    @Test func `a document rejected by a pull filter is reported with 10403`() async throws {
        let peers = try Peers()
        let there = try peers.there.defaultCollection()
        try there.put("wanted", 1)
        try there.put("unwanted", 2)
        let configuration = try peers.configuration(.pull) {
            $0.pullFilter = { document, _ in document.id == "wanted" }
        }
        let events = await events(configuration)
        #expect(events == ["pull unwanted 0 \(CBLError.httpForbidden)", "pull wanted 0 0"])
        #expect(try peers.here.defaultCollection().count == 1)
    }

    @Test func `document IDs limit both push and pull`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        for id in ["1", "2", "3"] {
            try here.put("here-\(id)", 1)
            try there.put("there-\(id)", 1)
        }
        let configuration = try peers.configuration { $0.documentIDs = ["here-2", "there-3"] }
        #expect(await events(configuration) == ["pull there-3 0 0", "push here-2 0 0"])
    }

    @Test func `an empty list of document IDs includes all documents`() async throws {
        let peers = try Peers()
        try peers.here.defaultCollection().put("here", 1)
        try peers.there.defaultCollection().put("there", 1)
        let configuration = try peers.configuration { $0.documentIDs = [] }
        #expect(await events(configuration) == ["pull there 0 0", "push here 0 0"])
    }

    @Test func `documents are pending until the peer acknowledges them`() async throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        for id in ["a", "b", "purged"] { try here.put(id, 1) }
        try here.purge(id: "purged")
        let replicator = Replicator(config: try peers.configuration())
        #expect(try replicator.pendingDocumentIds(collection: here) == ["a", "b"])
        #expect(try replicator.isDocumentPending("a", collection: here))

        try await replicator.run()
        #expect(try replicator.pendingDocumentIds(collection: here).isEmpty)

        try here.delete(document: #require(try here.document(id: "b")))
        #expect(try replicator.pendingDocumentIds(collection: here) == ["b"])
        #expect(try !replicator.isDocumentPending("a", collection: here))
    }

    @Test func `pulled documents are not pending`() async throws {
        let peers = try Peers()
        try peers.there.defaultCollection().put("a", 1)
        let replicator = Replicator(config: try peers.configuration())
        try await replicator.run()
        let here = try peers.here.defaultCollection()
        #expect(try here.value("a") == 1)
        #expect(try replicator.pendingDocumentIds(collection: here).isEmpty)
    }

    @Test func `pending documents require a push and a collection of the configuration`() throws {
        let peers = try Peers()
        let here = try peers.here.defaultCollection()
        let other = try peers.here.createCollection(name: "other")
        let cases: [(ReplicatorType, Collection, Int)] = [
            (.pull, here, CBLError.unsupported), (.push, other, CBLError.notOpen),
        ]
        for (type, collection, code) in cases {
            let replicator = Replicator(config: try peers.configuration(type))
            do {
                _ = try replicator.pendingDocumentIds(collection: collection)
                Issue.record("no error for \(type)")
            } catch let error as NSError {
                #expect(error.code == code)
            }
        }
    }
}
