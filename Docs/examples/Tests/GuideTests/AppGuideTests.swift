import CouchbaseLiteSwift
import Foundation
import Testing

/// The functions of the guides to threads and upgrading do what these pages say.
@Suite struct AppGuideTests {
    private func collection(_ name: String = "things") throws -> Collection {
        try Database.inMemory().createCollection(name: name)
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
