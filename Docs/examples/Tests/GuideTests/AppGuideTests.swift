import CouchbaseLiteSwift
import Foundation
import Testing

/// The functions of the guides to models, threads and upgrading do what these pages say.
@Suite struct AppGuideTests {
    private func collection(_ name: String = "things") throws -> Collection {
        try Database.inMemory().createCollection(name: name)
    }

    // MARK: Models

    @Test func `a chore is saved and marked as done`() throws {
        let chores = try collection()
        try saveChore(in: chores)
        #expect(try chores.document(id: "milk")?.boolean(forKey: "isDone") == true)
    }

    @Test func `a chore that was changed meanwhile is not overwritten`() throws {
        let chores = try collection()
        try saveChore(in: chores)
        var mine = try #require(try chores.typedDocument(id: "milk", of: Chore.self))
        var theirs = try #require(try chores.typedDocument(id: "milk", of: Chore.self))
        theirs.content.title = "Buy oat milk"
        try chores.save(&theirs)
        #expect(try !finish(&mine, in: chores))
        #expect(try finish(&theirs, in: chores))
    }

    @Test func `a newer model reads older documents, and an older model keeps newer properties`()
        throws
    {
        let chores = try collection()
        try saveChore(in: chores)
        var dated = try #require(try chores.typedDocument(id: "milk", of: DatedChore.self))
        #expect(dated.content.minutes == 15 && dated.content.dueDate == nil)
        dated.content.minutes = 5
        try chores.save(&dated)

        var old = try #require(try chores.typedDocument(id: "milk", of: Chore.self))
        old.content.title = "Buy oat milk"
        try chores.save(&old)
        let again = try #require(try chores.typedDocument(id: "milk", of: DatedChore.self))
        #expect(again.content.minutes == 5 && again.content.title == "Buy oat milk")
    }

    @Test func `a default value does not help to decode a document without the property`() throws {
        let chores = try collection()
        try chores.save(document: MutableDocument(id: "milk", data: ["title": "Buy milk"]))
        let error = #expect(throws: NSError.self) {
            try chores.typedDocument(id: "milk", of: Chore.self)
        }
        #expect(error?.code == CBLError.decodingError)
    }

    @Test func `a renamed property keeps its old key in documents`() throws {
        let chores = try collection()
        try saveChore(in: chores)
        var chore = try #require(try chores.typedDocument(id: "milk", of: RenamedChore.self))
        chore.content.summary = "Buy oat milk"
        try chores.save(&chore)
        let stored = try #require(try chores.document(id: "milk"))
        #expect(stored.keys.sorted() == ["isDone", "title"])
    }

    @Test func `identical migrations on two peers cause no conflict`() async throws {
        let (here, there) = (try collection("dishes"), try collection("dishes"))
        try here.save(document: MutableDocument(id: "soup", data: ["price": 4.5]))
        try here.save(document: MutableDocument(id: "tea", data: ["cents": 250]))
        let replicator = replicator(of: here, with: there.database, resolving: NeverAsked())
        try await replicator.run()
        for dishes in [here, there] {
            try await countInCents(dishes)
            try await countInCents(dishes)
            #expect(try dishes.document(id: "soup")?.toJSON() == #"{"cents":450}"#)
        }
        let revision = try here.document(id: "soup")?.revisionID
        #expect(revision?.hasPrefix("2-") == true)
        #expect(try there.document(id: "soup")?.revisionID == revision)
        try await replicator.run()
        #expect(try here.document(id: "soup")?.revisionID == revision)
    }

    private struct NeverAsked: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            Issue.record("conflict of \(conflict.documentID)")
            return conflict.remoteDocument
        }
    }

    // MARK: Threads

    @Test func `no sale is lost when many tasks sell concurrently`() async throws {
        let till = Till(try collection())
        let counts = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<20 { tasks.addTask { try await till.sell("soup") } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.sorted() == Array(1...20))
    }

    @Test func `documents are added in one batch`() async throws {
        let dishes = try collection()
        try await add(["soup", "stew"], to: dishes)
        #expect(dishes.count == 2)
    }

    @Test @MainActor func `the view model receives changes on the main actor`() async throws {
        let dishes = try collection()
        let board = Board()
        board.follow(dishes)
        let changes = dishes.changes()
        try dishes.save(document: MutableDocument(id: "soup"))
        for await _ in changes { break }
        while board.changed.isEmpty { await Task.yield() }
        #expect(board.changed == ["soup"])
        board.leave()
    }

    @Test func `a push filter counts documents`() async throws {
        let (here, there) = (try collection("dishes"), try collection("dishes"))
        let counter = PushCounter()
        try here.save(document: MutableDocument(id: "soup"))
        let target = DatabaseEndpoint(database: there.database)
        let entry = counter.configuration(of: here)
        let config = ReplicatorConfiguration(collections: [entry], target: target)
        try await Replicator(config: config).run()
        #expect(counter.count(of: "soup") >= 1)
        #expect(there.count == 1)
    }

    // MARK: Upgrading

    @Test func `a new app version keeps a copy of the old database`() throws {
        let directory = NSTemporaryDirectory() + "divan-upgrading-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try openCarefully("shop", for: "2", in: directory)
        try first.defaultCollection().save(document: MutableDocument(id: "soup"))
        try first.close()
        #expect(!Database.exists(withName: "shop-before-2", inDirectory: directory))
        let second = try openCarefully("shop", for: "3", in: directory)
        try second.defaultCollection().save(document: MutableDocument(id: "tea"))
        try second.close()
        let before = try openCarefully("shop-before-3", for: "3", in: directory)
        #expect(try before.defaultCollection().documentIDs() == ["soup"])
        try before.close()
    }

    @Test func `a database in use is reported as such`() {
        let busy = NSError(domain: CBLError.domain, code: CBLError.busy)
        #expect(advice(forOpening: busy).contains("Another program"))
    }
}
