import Divan
import DivanTestKit
import Foundation
import Testing

/// The functions of the guide to backups dump, restore, export and import.
@Suite struct ExchangeGuideTests {
    @Test func `the dumps of two days restore the database, and an exported table changes nothing`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let url = URL(filePath: folder.path, directoryHint: .isDirectory)
        let shop = try await Database.open("shop", in: url)
        let dishes = try await shop.collection("dishes")
        try await dishes.save(Document(id: "soup", ["name": "Lentil", "price": 4.5]))
        try await backUp(shop, to: url)
        let again = try await Database.open("shop-again", in: url)
        #expect(try await again.collection("dishes").get("soup")?.price?.double == 4.5)
        let export: () throws -> Void = { try exchange(dishes, in: url) }
        try export()
        #expect(try await dishes.count() == 1)
    }
}
