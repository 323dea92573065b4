import CouchbaseLiteSwift
import Foundation
import Testing

/// `behaviour.md` §16, where a peer or a slow listener is needed.
@Suite(.timeLimit(.minutes(5))) struct EventRuleTests {
    @Test func `an event contains either local or replicated changes, not both`() async throws {
        let peers = try Peers()
        let (here, there) = (
            try peers.here.defaultCollection(), try peers.there.defaultCollection()
        )
        try peers.there.inBatch { for number in 0..<200 { try there.put("there-\(number)", 1) } }
        let queue = DispatchQueue(label: "listener")
        let heard = Heard<[String]>()
        here.addChangeListener(queue: queue) { heard.append($0.documentIDs) }
        async let run: Void = Replicator(config: try peers.configuration(.pull)).run()
        for number in 0..<200 { try here.put("here-\(number)", 1) }
        try await run
        queue.sync {}
        let events = heard.elements
        #expect(events.joined().count == 400)
        for ids in events { #expect(Set(ids.map { $0.prefix { $0 != "-" } }).count == 1) }
    }

    @Test func `a document that a listener reads may be newer than its event, or purged`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let queue = DispatchQueue(label: "listener")
        let heard = Heard<Int?>()
        collection.addDocumentChangeListener(id: "doc", queue: queue) { change in
            heard.append(try? change.collection.value(change.documentID))
        }
        queue.suspend()
        try collection.put("doc", 1)
        try collection.put("doc", 2)
        queue.resume()
        queue.sync {}
        queue.suspend()
        try collection.put("doc", 3)
        try collection.purge(id: "doc")
        queue.resume()
        queue.sync {}
        #expect(heard.elements == [2, 2, nil, nil])
    }

    @Test func `a pull notifies listeners of every object of the database`() async throws {
        let peers = try Peers()
        try peers.there.defaultCollection().put("doc", 1)
        let twin = try Database(name: "here", config: peers.here.config)
        let changes = try twin.defaultCollection().changes()
        try await Replicator(config: try peers.configuration(.pull)).run()
        #expect(await changes.first { _ in true }?.documentIDs == ["doc"])
        #expect(try twin.defaultCollection().value("doc") == 1)
    }

    @Test func `a change contains its collection and database`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.database.createCollection(name: "c", scope: "s")
        let queue = DispatchQueue(label: "listener")
        collection.addChangeListener(queue: queue) { change in
            #expect(change.collection === collection)
            #expect(change.collection.database === home.database)
        }
        collection.addDocumentChangeListener(id: "doc", queue: queue) { change in
            #expect(change.documentID == "doc" && change.collection === collection)
        }
        try collection.put("doc", 1)
        queue.sync {}
    }

    @Test func `a listener can save documents and is notified of them too`() async throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let queue = DispatchQueue(label: "listener")
        let heard = Heard<[String]>()
        collection.addChangeListener(queue: queue) { change in
            heard.append(change.documentIDs)
            if change.documentIDs == ["a"] { try? collection.put("b", 1) }
        }
        try collection.put("a", 1)
        queue.sync {}
        queue.sync {}
        #expect(heard.elements == [["a"], ["b"]])
    }
}
