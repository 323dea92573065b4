import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// The function of the guide to backups repairs a database as described.
@Suite(.timeLimit(.minutes(5))) struct BackupTests {
    private let folder: TemporaryDirectory
    private let hub: Database

    init() throws {
        folder = try TemporaryDirectory()
        hub = try Database.inMemory(name: "shop")
        let dishes = try hub.defaultCollection()
        try hub.inBatch {
            for number in 0..<500 {
                let data: [String: Any] = ["name": "is dish \(number).", "price": number]
                try dishes.save(document: MutableDocument(id: "dish-\(number)", data: data))
            }
        }
    }

    private func open() throws -> Database {
        var config = DatabaseConfiguration()
        config.directory = folder.path
        return try Database(name: "shop", config: config)
    }

    private func serveHub() throws -> URLEndpointListener {
        var config = URLEndpointListenerConfiguration(collections: [try hub.defaultCollection()])
        config.networkInterface = "127.0.0.1"
        config.disableTLS = true
        let listener = URLEndpointListener(config: config)
        try listener.start()
        return listener
    }

    /// Pulls everything, closes the database, and changes the bytes of its file.
    private func damage(at hub: URL, _ change: (inout Data) throws -> Void) async throws {
        let shop = try open()
        let all = [CollectionConfiguration(collection: try shop.defaultCollection())]
        try await Replicator(
            config: ReplicatorConfiguration(collections: all, target: URLEndpoint(url: hub))
        ).run()
        try shop.close()
        let file = URL(filePath: folder.file("shop.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        try change(&bytes)
        try bytes.write(to: file)
    }

    private func expectWhole() throws {
        let shop = try open()
        let dishes = try shop.defaultCollection()
        #expect(dishes.count == 500)
        for number in 0..<500 {
            let name = try dishes.document(id: "dish-\(number)")?.string(forKey: "name")
            #expect(name == "is dish \(number).")
        }
        try shop.close()
    }

    @Test func `a damaged document is downloaded again from the hub`() async throws {
        let listener = try serveHub()
        defer { listener.stop() }
        let url = try #require(listener.urls?.first)
        try await damage(at: url) { bytes in
            let place = try #require(bytes.range(of: Data("is dish 77.".utf8)))
            bytes[place.lowerBound] ^= 1
        }
        let shop = try open()
        #expect(throws: NSError.self) { try shop.defaultCollection().document(id: "dish-77") }
        #expect(try await repair(shop, with: url) == [])
        try shop.close()
        try expectWhole()
    }

    @Test func `a file with a damaged page is rebuilt without loss`() async throws {
        let listener = try serveHub()
        defer { listener.stop() }
        let url = try #require(listener.urls?.first)
        try await damage(at: url) { bytes in
            let place = try #require(bytes.range(of: Data("is dish 77.".utf8)))
            let page = place.lowerBound / 4_096 * 4_096
            for index in page..<page + 4_096 { bytes[index] = 0x5A }
        }
        #expect(try await repair(try open(), with: url) == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains("shop.damaged.cblite2"))
        try expectWhole()
    }
}
