import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// plug-ins-example with its own codec, storage engine and discovery; each peer is a process.
@Suite(.timeLimit(.minutes(5))) struct PlugInExampleTests {
    @Test func `plug-ins-example syncs with itself and with an unmodified peer`() async throws {
        let folder = try TemporaryDirectory()
        let program = Program.built("plug-ins-example")
        let kitchen = try program.start(
            [folder.path, "kitchen"],
            input: .lines,
            patience: .seconds(40)
        )
        let address = try kitchen.line { $0.hasPrefix("ws://") }
        // Found by its own discovery, over its own codec, in its own engine.
        let hall = try program.run([folder.path, "hall", "kitchen"])
        #expect(hall.status == 0, "\(hall)")
        #expect(hall.lines.first == "synced with kitchen, codec runs")
        #expect(hall.lines.last?.hasPrefix("2 documents, ") == true, "\(hall)")
        #expect(hall.lines.last?.hasSuffix(", 0 commits") == false)

        let notes = try Database.inMemory().defaultCollection()
        try notes.save(document: MutableDocument(id: "stock", data: ["text": "hello"]))
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes)],
            target: try URLEndpoint(validating: address)
        )
        config.compression = .deflate(level: 6)
        let replicator = Replicator(config: config)
        try await replicator.run()
        #expect(replicator.statistics.compression == "deflate")
        for id in ["kitchen", "hall", "stock"] {
            #expect(try notes.document(id: id)?.string(forKey: "text") == "hello")
        }
        kitchen.endInput()
        let last = try kitchen.line { $0.hasSuffix(" commits") }
        #expect(last.hasPrefix("3 documents, "), "\(last)")
        #expect(kitchen.finish().status == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.isEmpty, "the advertisement is removed")
    }
}
