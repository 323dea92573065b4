import CouchbaseLiteSwift
import DivanStore
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
        let engine = try JournalEngine(path: path)
        for key in ["a", "b", "c"] {
            try engine.write { try $0.setValue(Array(key.utf8), for: key, in: .metadata) }
        }
        engine.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        func keys() throws -> [String] {
            let engine = try JournalEngine(path: path)
            defer { engine.close() }
            return try engine.read { try $0.values(in: .metadata).map(\.key) }
        }
        #expect(try keys() == ["a", "b", "c"])
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var torn = whole
            let end = Int.random(in: 0..<whole.count, using: &random)
            if Bool.random(using: &random) {
                torn = torn.prefix(end)
            } else {
                // A damaged byte: nothing after it is believed.
                torn[end] ^= UInt8.random(in: 1...255, using: &random)
            }
            try torn.write(to: URL(filePath: path))
            let found = try keys()
            #expect(["a", "b", "c"].starts(with: found) && found.count < 3, "seed \(seed)")
            let engine = try JournalEngine(path: path)
            try engine.write { try $0.setValue([1], for: "z", in: .metadata) }
            engine.close()
            #expect(try keys() == found + ["z"], "seed \(seed)")
        }
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
