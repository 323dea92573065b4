import Divan
import Foundation
import Testing

/// Saving, reading and deleting documents.
@Suite struct CollectionTests {
    private let database: Database
    private let notes: DocumentCollection

    init() throws {
        database = try Database.inMemory()
        notes = try database.collection("notes")
    }

    @Test("A saved document is read with its revision")
    func saving() throws {
        let saved = try notes.save(Document(id: "1", ["title": "Milk"]))
        let read = try #require(try notes.get("1"))
        #expect(read == saved)
        #expect(read.revision == saved.revision)
        #expect(read.revision?.id.hasPrefix("1-") == true)
        #expect(try notes.count() == 1)
        #expect(try notes.contains("1"))
        #expect(try notes.get("2") == nil)
    }

    @Test("A save with an outdated revision is a conflict, and without one it wins")
    func conflicts() throws {
        let first = try notes.save(Document(id: "1", ["n": 1]))
        var mine = first
        mine.n = 2
        var theirs = first
        theirs.n = 3
        try notes.save(theirs)
        expect(.conflict) { try notes.save(mine, ifRevision: mine.revision) }
        #expect(try notes.get("1")?.n == 3)
        try notes.save(mine)
        #expect(try notes.get("1")?.n == 2)
        // `nil` stands for a document that does not exist.
        expect(.conflict) { try notes.save(mine, ifRevision: nil) }
    }

    @Test("A deleted document no longer exists, and can be saved again")
    func deletion() throws {
        let doc = try notes.save(Document(id: "1", ["n": 1]))
        let revision = try #require(doc.revision)
        try notes.save(doc)
        expect(.conflict) { try notes.delete("1", ifRevision: revision) }
        #expect(try notes.delete("1"))
        #expect(try !notes.delete("1"))
        #expect(try notes.get("1") == nil)
        #expect(try notes.count() == 0)
        let again = try notes.save(Document(id: "1", ["n": 2]), ifRevision: nil)
        #expect(again.revision?.id.hasPrefix("4-") == true)
        #expect(try notes.purge("1"))
        #expect(try !notes.purge("1"))
    }

    @Test("An update changes the stored document, or a default one")
    func updating() throws {
        expect(.notFound) { try notes.update("1") { $0.n = 1 } }
        let saved = try notes.update("1", default: Document(id: "1", ["n": 0])) { doc in
            doc.n = (doc.n ?? 0) + 1
        }
        #expect(saved.n == 1)
        try notes.update("1") { $0.n = ($0.n ?? 0) + 1 }
        #expect(try notes.get("1")?.n == 2)
    }

    @Test("An update is repeated if the document was changed in the meantime")
    func retry() throws {
        try notes.save(Document(id: "1", ["n": 0]))
        var attempts = 0
        try notes.update("1") { doc in
            attempts += 1
            if attempts < 3 { try notes.update("1") { $0.other = attempts } }
            doc.n = attempts
        }
        #expect(attempts == 3)
        #expect(try notes.get("1")?.n == 3)
        #expect(try notes.get("1")?.other == 2)
    }

    @Test("An error of the closure is rethrown unchanged, and nothing is saved")
    func ownErrors() throws {
        struct Own: Error {}
        try notes.save(Document(id: "1", ["n": 0]))
        #expect(throws: Own.self) {
            try notes.update("1") { doc in
                doc.n = 1
                throw Own()
            }
        }
        #expect(throws: Own.self) {
            try database.write { _ in
                try notes.save(Document(id: "1", ["n": 2]))
                throw Own()
            }
        }
        #expect(throws: Own.self) { try database.read { _ in throw Own() } }
        #expect(try notes.get("1")?.n == 0)
    }

    @Test("A transaction stores all of its changes")
    func transactions() throws {
        let count = try database.write { transaction in
            for number in 1...3 { try notes.save(Document(id: "\(number)", ["n": .init(number)])) }
            let rows = try transaction.query("SELECT COUNT(*) FROM notes")
            return try rows.value(as: Int.self) ?? 0
        }
        #expect(count == 3)
        #expect(try notes.ids() == ["1", "2", "3"])
        #expect(try notes.ids(prefix: "2") == ["2"])
        #expect(try notes.ids(after: "1", limit: 1) == ["2"])
        #expect(try notes.get(["3", "x", "1"]).map(\.id) == ["3", "1"])
    }

    @Test("A snapshot does not see later saves")
    func snapshots() throws {
        try notes.save(Document(id: "1", ["n": 1]))
        try database.read { snapshot in
            try notes.save(Document(id: "1", ["n": 2]))
            try notes.save(Document(id: "2"))
            #expect(try snapshot.get("1", in: notes)?.n == 1)
            #expect(try snapshot.count(in: notes) == 1)
            var ids: [String] = []
            try snapshot.forEachDocument(in: notes) { ids.append($0.id) }
            #expect(ids == ["1"])
            let sum = try snapshot.query("SELECT SUM(n) FROM notes").value(as: Int.self)
            #expect(sum == 1)
            #expect(try snapshot.all(notes.documents(of: Document.self)).map(\.id) == ["1"])
            let other = try Database.inMemory(name: "notes")
            let query = try other.collection("notes").documents(of: Document.self)
            expect(.invalidArgument) { _ = try snapshot.all(query) }
        }
        #expect(try notes.count() == 2)
    }

    @Test("A model with a UUID is read, changed and deleted by it")
    func identifiedByUUID() throws {
        let chore = Chore(title: "paint")
        try notes.save(chore)
        #expect(try notes.contains(chore.id))
        #expect(try notes.get(chore.id, as: Chore.self) == chore)
        #expect(try notes.get(chore.id)?.id == chore.id.uuidString)
        try notes.update(chore.id) { $0.note = "soon" }
        #expect(try notes.get(chore.id)?.note == "soon")
        let sanded = try notes.update(chore.id, as: Chore.self) { $0.title = "sand" }
        #expect(sanded.title == "sand")
        try notes.expire(chore.id, after: .seconds(3_600))
        #expect(try #require(try notes.expiration(of: chore.id.uuidString)) > Date())
        try notes.expire(chore.id, at: nil)
        #expect(try notes.delete(chore.id))
        try notes.save(chore)
        #expect(try notes.purge(chore.id))
        #expect(try !notes.purge(chore.id) && !notes.delete(chore.id))
    }

    @Test("A model with a UUID is read, changed and deleted by it in async code")
    func identifiedByUUIDAsync() async throws {
        let chore = Chore(title: "paint")
        try await notes.save(chore)
        #expect(try await notes.get(chore.id, as: Chore.self) == chore)
        try await notes.update(chore.id, as: Chore.self) { $0.title = "oil" }
        #expect(try await notes.get(chore.id)?.title == "oil")
        #expect(try await notes.delete(chore.id))
        #expect(try await !notes.contains(chore.id))
        try await notes.save(chore)
        try await notes.expire(chore.id, after: .seconds(3_600))
        #expect(try await notes.expiration(of: chore.id.uuidString) != nil)
        try await notes.expire(chore.id, at: nil)
        #expect(try await notes.purge(chore.id))
    }

    private struct Chore: Codable, Identifiable, Sendable, Equatable {
        var id = UUID()
        var title: String
    }

    @Test("Collections are created on first use, and named with their scope")
    func collections() throws {
        let orders = try database.collection("shop.orders")
        #expect(orders.scope == "shop")
        #expect(orders.description == "shop.orders")
        #expect(try database.collection("shop.orders") == orders)
        #expect(try database.existingCollection("shop.other") == nil)
        #expect(
            try database.collections.map(\.description) == ["_default", "notes", "shop.orders"]
        )
        try database.deleteCollection("shop.orders")
        expect(.notOpen) { try orders.save(Document()) }
        expect(.invalidArgument) { _ = try database.collection("no spaces") }
        expect(.invalidArgument) { try database.deleteCollection("_default") }
    }

    @Test("A document expires after a time")
    func expiration() async throws {
        try await notes.save(Document(id: "1"))
        let changes = notes.changes(of: "1")
        var iterator = changes.makeAsyncIterator()
        try await notes.expire("1", after: .milliseconds(1))
        let change = try await iterator.next()
        #expect(change == .some(nil))
        #expect(try await notes.get("1") == nil)
        try await notes.save(Document(id: "2"))
        try await notes.expire("2", at: Date(timeIntervalSinceNow: 3_600))
        #expect(try await notes.expiration(of: "2") != nil)
        try await notes.expire("2", at: nil)
        #expect(try await notes.expiration(of: "2") == nil)
        expect(.notFound) { try notes.expire("none", at: Date()) }
    }
}
