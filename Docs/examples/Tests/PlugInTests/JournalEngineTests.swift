import CouchbaseLiteSwift
import DivanDatabase
import DivanTestKit
import Foundation
import PlugIns
import Synchronization
import Testing

/// A storage engine with files and indexes of its own.
@Suite(.timeLimit(.minutes(5))) struct JournalEngineTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Remembers the engine that it has opened.
    private final class Engines: StorageEngineProvider {
        let name = "journal"
        let last = Mutex<JournalEngine?>(nil)

        func openEngine(in place: StorageEngineLocation) throws -> any StorageEngine {
            let engine = try JournalEngines().openEngine(in: place)
            last.withLock { $0 = engine as? JournalEngine }
            return engine
        }
    }

    private func database(_ name: String, _ engines: Engines?) throws -> Database {
        var config = DatabaseConfiguration()
        config.directory = folder.path
        config.engine = engines
        return try Database(name: name, config: config)
    }

    @Test func `a journal meets the contract`() throws {
        var count = 0
        let violations = try StorageEngineContract.violations {
            count += 1
            return try JournalEngine(path: folder.file("\(count)"))
        }
        #expect(violations == [])
    }

    @Test func `transactions survive, and an incomplete one at the end is dropped`() throws {
        let path = folder.file("torn")
        var ends: [Int] = []
        for key in ["a", "b", "c"] {
            let engine = try JournalEngine(path: path)
            try engine.write { try $0.setValue(Array(key.utf8), for: key, in: .metadata) }
            try engine.makeDurable()
            engine.close()
            ends.append(try Data(contentsOf: URL(filePath: path)).count)
        }
        let whole = try Data(contentsOf: URL(filePath: path))
        func keys() throws -> [String] {
            let engine = try JournalEngine(path: path)
            defer { engine.close() }
            return try engine.read { try $0.values(in: .metadata).map(\.key) }
        }
        #expect(try keys() == ["a", "b", "c"])
        for end in 0..<whole.count {
            try whole.prefix(end).write(to: URL(filePath: path))
            let found = try keys()
            #expect(found == Array(["a", "b", "c"].prefix(ends.count { $0 <= end })))
            let engine = try JournalEngine(path: path)
            try engine.write { try $0.setValue([1], for: "z", in: .metadata) }
            engine.close()
            #expect(try keys() == found + ["z"])
        }
    }

    @Test func `a damaged record is reported, and what follows it is kept`() throws {
        let path = folder.file("damaged")
        let engine = try JournalEngine(path: path)
        for key in ["a", "b", "c"] {
            try engine.write { try $0.setValue(Array(key.utf8), for: key, in: .metadata) }
        }
        engine.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        for index in 0..<whole.count * 2 / 3 {
            var damaged = whole
            damaged[index] ^= 64
            try damaged.write(to: URL(filePath: path))
            #expect(throws: StoreError.self) { try JournalEngine(path: path) }
            #expect(try Data(contentsOf: URL(filePath: path)) == damaged)
        }
    }

    @Test func `an index finds what a query finds without it`() throws {
        let shop = try database("mixed", Engines())
        let values: [Any] = [true, false, 0, 1, 1.0, "1", "true", NSNull(), [1], ["a": 1], -0.0]
        let collection = try shop.defaultCollection()
        for (number, value) in values.enumerated() {
            let data: [String: Any] = ["v": value]
            try collection.save(document: MutableDocument(id: "\(number)", data: data))
        }
        try collection.save(document: MutableDocument(id: "none"))
        func found(_ literal: String) throws -> [String] {
            let query = try shop.createQuery("SELECT META().id FROM _ WHERE v = \(literal)")
            return try query.execute().allResults().compactMap { $0.string(at: 0) }.sorted()
        }
        let literals = ["1", "1.0", "0", "'1'", "'true'", "true", "false", "NULL"]
        let before = try literals.map(found)
        let index = ValueIndexConfiguration(["v"])
        try collection.createIndex(withName: "byV", config: index)
        #expect(try literals.map(found) == before)
        try shop.close()
    }

    @Test func `a query reads only the documents that an index names`() throws {
        let engines = Engines()
        var shop = try database("shop", engines)
        try shop.inBatch {
            for number in 0..<500 {
                let data: [String: Any] = ["kind": number % 100, "name": "chair \(number)"]
                let chair = MutableDocument(id: "\(number)", data: data)
                try shop.defaultCollection().save(document: chair)
            }
        }
        func readCount(_ condition: String) throws -> (rows: Int, reads: Int) {
            let engine = try #require(engines.last.withLock { $0 })
            let before = engine.rowReadCount
            let query = try shop.createQuery("SELECT name FROM _ WHERE \(condition)")
            let rows = try query.execute().allResults().count
            return (rows, engine.rowReadCount - before)
        }
        #expect(try readCount("kind = 7") == (5, 500))
        let index = ValueIndexConfiguration(["kind"])
        try shop.defaultCollection().createIndex(withName: "byKind", config: index)
        #expect(try readCount("kind = 7") == (5, 5))
        #expect(try readCount("kind = 7.0 AND name LIKE '%207'") == (1, 5))
        #expect(try readCount("kind > 97") == (10, 500))
        let seven = MutableDocument(id: "7", data: ["kind": 8, "name": "stool"])
        try shop.defaultCollection().save(document: seven)
        #expect(try readCount("kind = 7") == (4, 4))
        try shop.close()
        shop = try database("shop", engines)
        #expect(try readCount("8 = kind") == (6, 6))
        try shop.defaultCollection().deleteIndex(forName: "byKind")
        #expect(try readCount("kind = 7") == (4, 500))
        try shop.close()
    }

    @Test func `a database in a journal syncs with a stock peer, and keeps what it got`()
        async throws
    {
        let (near, far) = (try database("near", Engines()), try database("far", nil))
        for (database, name) in [(near, "near"), (far, "far")] {
            for number in 0..<100 {
                let note = MutableDocument(id: "\(name)-\(number)", data: ["text": name])
                try database.defaultCollection().save(document: note)
            }
        }
        var shared = URLEndpointListenerConfiguration(collections: [try far.defaultCollection()])
        shared.disableTLS = true
        let listener = URLEndpointListener(config: shared)
        try listener.start()
        defer { listener.stop() }
        let url = try #require(URL(string: "ws://127.0.0.1:\(listener.port ?? 0)/far"))
        let collection = CollectionConfiguration(collection: try near.defaultCollection())
        let config = ReplicatorConfiguration(
            collections: [collection],
            target: URLEndpoint(url: url)
        )
        try await Replicator(config: config).run()
        #expect(try near.defaultCollection().count == 200)
        #expect(try far.defaultCollection().count == 200)
        try near.close()
        let again = try database("near", Engines())
        #expect(try again.defaultCollection().count == 200)
        #expect(
            try again.defaultCollection().document(id: "far-7")?.string(forKey: "text") == "far"
        )
        try again.close()
        try far.close()
    }
}
