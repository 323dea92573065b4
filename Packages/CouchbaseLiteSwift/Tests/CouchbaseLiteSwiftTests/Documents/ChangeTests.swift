import CouchbaseLiteSwift
import Foundation
import Synchronization
import Testing

/// `behaviour.md` §16: change events.
@Suite(.timeLimit(.minutes(5))) struct ChangeTests {
    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection
    let queue = DispatchQueue(label: "listeners")

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func save(_ ids: String...) throws {
        try home.database.inBatch {
            for id in ids { try collection.save(document: MutableDocument(id: id)) }
        }
    }

    /// Removes its own listener when it is released, like a page of an application.
    private final class Page: Sendable {
        private let token: ListenerToken

        init(_ collection: CouchbaseLiteSwift.Collection) {
            token = collection.addChangeListener { _ in }
        }

        deinit { token.remove() }
    }

    @Test func `a listener can remove another listener while it is being released`() {
        let token = collection.addChangeListener { [page = Page(collection)] _ in
            withExtendedLifetime(page) {}
        }
        token.remove()
    }

    @Test func `a commit is reported as one change that lists each document once`() throws {
        let heard = Record()
        collection.addChangeListener(queue: queue) { change in
            heard.add(change.documentIDs)
            #expect(change.collection.name == "_default")
        }
        try home.database.inBatch {
            let document = MutableDocument(id: "a")
            try collection.save(document: document)
            try collection.save(document: document)
            try collection.save(document: MutableDocument(id: "b"))
        }
        #expect(heard.values(after: queue) == [["a", "b"]])
    }

    @Test func `saves, deletions and purges are all reported`() throws {
        let heard = Record()
        collection.addChangeListener(queue: queue) { heard.add($0.documentIDs) }
        let document = MutableDocument(id: "a")
        try collection.save(document: document)
        try collection.delete(document: document)
        try collection.purge(id: "a")
        #expect(heard.values(after: queue) == [["a"], ["a"], ["a"]])
    }

    @Test func `changes of a failed batch are not reported`() throws {
        let heard = Record()
        collection.addChangeListener(queue: queue) { heard.add($0.documentIDs) }
        expect(CBLError.unexpectedError) {
            try home.database.inBatch {
                try save("a")
                throw CancellationError()
            }
        }
        #expect(heard.values(after: queue).isEmpty)
    }

    @Test func `a long commit is reported in parts of one thousand documents`() throws {
        let heard = Record()
        collection.addChangeListener(queue: queue) { heard.add($0.documentIDs) }
        try home.database.inBatch {
            for index in 0..<1_005 {
                try collection.save(document: MutableDocument(id: "\(index)"))
            }
        }
        let changes = heard.values(after: queue)
        #expect(changes.map(\.count) == [1_000, 5])
        #expect(Set(changes.flatMap { $0 }).count == 1_005)
    }

    @Test
    func `a listener gets changes made through other objects, but not in other collections`()
        throws
    {
        let heard = Record()
        collection.addChangeListener(queue: queue) { heard.add($0.documentIDs) }
        let other = try home.reopened()
        try other.defaultCollection().save(document: MutableDocument(id: "there"))
        try home.database.createCollection(name: "c").save(document: MutableDocument(id: "else"))
        #expect(heard.values(after: queue) == [["there"]])
    }

    @Test func `a document listener is called only for its document, which may not exist yet`()
        throws
    {
        let heard = Record()
        collection.addDocumentChangeListener(id: "b", queue: queue) { change in
            heard.add([change.documentID])
        }
        try save("a", "b", "c")
        try save("a")
        #expect(heard.values(after: queue) == [["b"]])
    }

    @Test func `removing one of two listeners leaves the other active`() throws {
        let heard = Record()
        let listener: @Sendable (CollectionChange) -> Void = { heard.add($0.documentIDs) }
        let token = collection.addChangeListener(queue: queue, listener: listener)
        collection.addChangeListener(queue: queue, listener: listener)
        try save("a")
        #expect(heard.values(after: queue).count == 2)
        token.remove()
        token.remove()
        try save("b")
        #expect(heard.values(after: queue).count == 3)
    }

    @Test func `a queued event is not delivered after its listener is removed`() throws {
        let heard = Record()
        let token = collection.addChangeListener(queue: queue) { heard.add($0.documentIDs) }
        queue.suspend()
        try save("a")
        token.remove()
        queue.resume()
        #expect(heard.values(after: queue).isEmpty)
    }

    @Test func `a removed document listener is not called, and a new one is`() throws {
        let heard = Record()
        let token = collection.addDocumentChangeListener(id: "a", queue: queue) { _ in
            heard.add(["old"])
        }
        token.remove()
        collection.addDocumentChangeListener(id: "a", queue: queue) { _ in heard.add(["new"]) }
        try save("a")
        #expect(heard.values(after: queue) == [["new"]])
    }

    @Test func `a listener gets events in order and can read documents`() throws {
        let heard = Record()
        collection.addChangeListener(queue: queue) { change in
            let id = change.documentIDs[0]
            if (try? change.collection.document(id: id)) != nil { heard.add([id]) }
        }
        for index in 0..<50 { try save("\(index)") }
        #expect(heard.values(after: queue) == (0..<50).map { ["\($0)"] })
    }

    @Test func `a listener without a queue runs on the default queue`() async throws {
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "mine")
        let before = Database.defaultListenerQueue
        Database.defaultListenerQueue = queue
        defer { Database.defaultListenerQueue = before }
        #expect(before.label == DispatchQueue.main.label)
        let place = await withCheckedContinuation { continuation in
            let once = Mutex(false)
            collection.addChangeListener { _ in
                let isFirst = once.withLock { done in
                    defer { done = true }
                    return !done
                }
                if isFirst {
                    continuation.resume(returning: DispatchQueue.getSpecific(key: key))
                }
            }
            #expect(throws: Never.self) { try save("a") }
        }
        #expect(place == "mine")
    }

    @Test func `a stream yields all changes since its creation`() async throws {
        try save("before")
        let changes = collection.changes()
        try save("a", "b")
        try save("c")
        var heard: [[String]] = []
        for await change in changes {
            heard.append(change.documentIDs)
            if heard.count == 2 { break }
        }
        #expect(heard == [["a", "b"], ["c"]])
    }

    @Test func `closing the database ends its streams`() async throws {
        let changes = collection.changes()
        let documents = collection.documentChanges(id: "a")
        try save("a")
        try home.database.close()
        #expect(await changes.reduce(0) { count, _ in count + 1 } == 1)
        #expect(await documents.reduce(0) { count, _ in count + 1 } == 1)
        #expect(await collection.changes().reduce(0) { count, _ in count + 1 } == 0)
    }

    @Test func `deleting a collection ends its streams in every object of the database`()
        async throws
    {
        let other = try home.reopened()
        let here = try home.database.createCollection(name: "c")
        let streams = [
            here.changes(), try #require(try other.collection(name: "c")).changes(),
        ]
        let documents = here.documentChanges(id: "a")
        try home.database.deleteCollection(name: "c")
        for stream in streams { #expect(await stream.first { _ in true } == nil) }
        #expect(await documents.first { _ in true } == nil)
        let again = try home.database.createCollection(name: "c").changes()
        try home.database.createCollection(name: "c").save(document: MutableDocument(id: "a"))
        #expect(await again.first { _ in true }?.documentIDs == ["a"])
    }

    @Test func `adding a listener on a closed database returns an inactive token`() throws {
        try home.database.close()
        let token = collection.addChangeListener(queue: queue) { _ in Issue.record("heard") }
        token.remove()
        collection.addDocumentChangeListener(id: "a", queue: queue) { _ in }.remove()
    }
}

/// What listeners received.
private final class Record: Sendable {
    private let stored = Mutex<[[String]]>([])

    func add(_ ids: [String]) {
        stored.withLock { $0.append(ids) }
    }

    /// Everything received, including what was queued on `queue` before.
    func values(after queue: DispatchQueue) -> [[String]] {
        queue.sync {}
        return stored.withLock { $0 }
    }
}
