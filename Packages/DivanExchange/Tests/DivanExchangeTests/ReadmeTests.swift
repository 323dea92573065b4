import CouchbaseLiteSwift
import DivanExchange
import DivanTestKit
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    @Test("The example of the README dumps, restores, exports and imports")
    func example() throws {
        let folder = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = folder.path
        let database = try Database(name: "shop", config: config)
        defer { try? database.close() }
        try database.defaultCollection().save(
            document: MutableDocument(id: "tea", data: ["price": 3])
        )
        let path = folder.path + "/shop.dump"
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let written = try database.dump(
            to: { try file.write(contentsOf: Data($0)) },
            progress: { _ in if Task.isCancelled { throw CancellationError() } }  // stops the dump
        )
        print(written.missingBlobs, written.damaged.names)
        try Database.restore(from: [ByteSource(path: path)], toDatabase: "copy", withConfig: config)

        var lines: [UInt8] = []
        try database.exportDocuments { lines += $0 }  // all collections, without blobs
        let source = ByteSource(name: "lines", bytes: lines)
        let imported = try database.importDocuments(from: source)
        print(imported.savedCount, imported.unchangedCount)
        #expect(written.documentCount == 1)
        #expect(imported.savedCount == 0)
        #expect(imported.unchangedCount == 1)
        #expect(String(decoding: lines, as: UTF8.self) == "{\"_id\":\"tea\",\"price\":3}\n")
        let copy = try Database(name: "copy", config: config)
        defer { try? copy.close() }
        #expect(try copy.defaultCollection().document(id: "tea")?.int(forKey: "price") == 3)
    }
}
