import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// A read-only database alongside the one that writes.
@Suite struct ReadOnlyTests {
    let home: TemporaryDatabase

    init() throws {
        home = try TemporaryDatabase()
        try home.collection.save(document: MutableDocument(id: "soup"))
    }

    private func reader(of name: String? = nil) throws -> Database {
        var config = DatabaseConfiguration.in(home.directory)
        config.readOnly = true
        return try Database(name: name ?? home.database.name, config: config)
    }

    @Test func `a read-only database sees each commit of the writer`() throws {
        let orders = try reader().defaultCollection()
        #expect(orders.count == 1)
        try home.collection.save(document: MutableDocument(id: "bread"))
        #expect(orders.count == 2)
        #expect(try orders.document(id: "bread") != nil)
        #expect(try orders.documentIDs() == ["bread", "soup"])
    }

    @Test func `its listeners get changes made by a writer in the same process`() throws {
        let orders = try reader().defaultCollection()
        let queue = DispatchQueue(label: "listener")
        let heard = Mutex<[String]>([])
        orders.addChangeListener(queue: queue) { change in
            heard.withLock { $0 += change.documentIDs }
        }
        try home.collection.save(document: MutableDocument(id: "bread"))
        queue.sync {}
        #expect(heard.withLock { $0 } == ["bread"])
        #expect(orders.count == 2)
    }

    @Test func `a database cannot be deleted while a read-only object has it open`() throws {
        let database = try reader()
        expect(CBLError.busy) { try home.database.delete() }
        try home.collection.save(document: MutableDocument(id: "bread"))
        #expect(try database.defaultCollection().count == 2)
        try database.close()
        try home.database.delete()
    }

    @Test func `writing to a read-only database throws notWriteable`() throws {
        let database = try reader()
        let orders = try database.defaultCollection()
        let soup = try #require(try orders.document(id: "soup"))
        expect(CBLError.notWriteable) { try orders.save(document: soup.toMutable()) }
        expect(CBLError.notWriteable) { try orders.delete(document: soup) }
        expect(CBLError.notWriteable) { try orders.purge(id: "soup") }
        expect(CBLError.notWriteable) {
            try orders.setDocumentExpiration(id: "soup", expiration: Date())
        }
        expect(CBLError.notWriteable) { _ = try database.createCollection(name: "more") }
        #expect(try home.collection.count == 1)
    }

    @Test func `a read-only database does not purge expired documents`() throws {
        let late = Date(timeIntervalSinceNow: 3_600)
        try home.collection.setDocumentExpiration(id: "soup", expiration: late)
        let read = try #require(try reader().defaultCollection().getDocumentExpiration(id: "soup"))
        #expect(abs(read.timeIntervalSince(late)) < 0.001)
    }

    @Test func `opening read-only does not create a database, and copies keep the option`() throws {
        expect(CBLError.notFound) { _ = try reader(of: "nothing") }
        #expect(!Database.exists(withName: "nothing", inDirectory: home.directory.path))
        #expect(!DatabaseConfiguration().readOnly)
        #expect(DatabaseConfiguration(config: try reader().config).readOnly)
    }
}
