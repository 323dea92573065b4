import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Collections with compressed bodies, through the public API.
@Suite struct BodyCompressionTests {
    private static func data(_ number: Int) -> [String: Any] {
        [
            "city": ["Oslo", "Ulm", "Zürich"][number % 3], "number": number,
            "text": String(repeating: "place \(number) ", count: 20),
        ]
    }

    private static func open(_ name: String, in home: TemporaryDirectory) throws -> Database {
        var config = DatabaseConfiguration()
        config.directory = home.path
        return try Database(name: name, config: config)
    }

    private static func fill(_ collection: Collection, _ numbers: Range<Int>) throws {
        try collection.database.inBatch {
            for number in numbers {
                try collection.save(
                    document: MutableDocument(id: "d\(number)", data: data(number))
                )
            }
        }
    }

    @Test(arguments: [BodyCompression.lz4, .zstd])
    func `compressed documents are read, queried and copied correctly`(
        compression: BodyCompression
    ) throws {
        try #require(compression.isAvailable, "libzstd-dev is missing; type: make setup")
        let home = try TemporaryDirectory()
        var database = try Self.open("a", in: home)
        var collection = try database.createCollection(name: "places")
        #expect(try collection.bodyCompression() == .none)
        try Self.fill(collection, 0..<200)
        try collection.setBodyCompression(compression)
        #expect(try collection.bodyCompression() == compression)
        try database.performMaintenance(type: .compact)
        try Self.fill(collection, 200..<300)
        try database.close()

        database = try Self.open("a", in: home)
        collection = try #require(try database.collection(name: "places"))
        #expect(try collection.bodyCompression() == compression)
        #expect(try database.defaultCollection().bodyCompression() == .none)
        for number in [0, 199, 250] {
            #expect(try collection.document(id: "d\(number)")?.int(forKey: "number") == number)
        }
        let query = try database.createQuery("SELECT COUNT(*) AS n FROM places WHERE city = 'Ulm'")
        #expect(try query.execute().next()?.int(forKey: "n") == 100)
        try database.performMaintenance(type: .integrityCheck)

        try Database.copy(
            fromPath: #require(database.path),
            toDatabase: "b",
            withConfig: database.config
        )
        let copy = try Self.open("b", in: home)
        let copied = try #require(try copy.collection(name: "places"))
        #expect(try copied.document(id: "d7")?.string(forKey: "city") == "Ulm")
        try copied.setBodyCompression(.none)
        try copy.performMaintenance(type: .compact)
        #expect(try copied.bodyCompression() == .none)
        #expect(try copied.document(id: "d7")?.string(forKey: "city") == "Ulm")
        try copy.close()
        try database.close()
    }

    @Test func `compression does not change what a pull or push transfers`() async throws {
        let home = try TemporaryDirectory()
        let (plain, packed) = (try Self.open("plain", in: home), try Self.open("packed", in: home))
        let back = try Self.open("back", in: home)
        try Self.fill(plain.defaultCollection(), 0..<500)
        let collection = try packed.defaultCollection()
        try collection.setBodyCompression(.lz4)
        for (source, target) in [(plain, packed), (packed, back)] {
            var config = ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: try target.defaultCollection())],
                target: DatabaseEndpoint(database: source)
            )
            config.replicatorType = .pull
            try await Replicator(config: config).run()
        }
        for number in 0..<500 {
            let documents = try [plain, packed, back].map {
                try #require(try $0.defaultCollection().document(id: "d\(number)"))
            }
            #expect(documents[1].toJSON() == documents[0].toJSON())
            #expect(documents[2].revisionID == documents[0].revisionID)
        }
        for database in [plain, packed, back] { try database.close() }
    }

    @Test func `an in-memory database keeps the compression setting`() throws {
        let collection = try Database.inMemory(name: "m").defaultCollection()
        try collection.setBodyCompression(.lz4)
        #expect(try collection.bodyCompression() == .lz4)
    }
}
