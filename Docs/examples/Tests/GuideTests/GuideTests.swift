import Foundation
import Testing

/// The code of the guides is in this target word by word, and runs.
@Suite struct GuideTests {
    // MARK: The pages

    @Test(arguments: [
        ("getting-started.md", ["GettingStarted.swift"]),
        ("from-couchbase-lite.md", ["FromCouchbaseLite.swift"]),
        ("resolving-conflicts.md", ["ResolvingConflicts.swift"]),
        ("queries.md", ["Queries.swift"]),
        ("encryption.md", ["Encryption.swift"]),
        ("backup.md", ["Backup.swift", "Exchange.swift"]),
        ("blobs.md", ["Blobs.swift", "BlobsOnDemand.swift"]),
        ("smaller-databases.md", ["SmallerDatabases.swift"]),
        ("models.md", ["Models.swift"]),
        ("threads.md", ["Threads.swift"]),
        ("testing-your-app.md", ["TestingYourApp.swift"]),
        ("sync-gateway.md", ["SyncGateway.swift"]),
        ("beyond-one-machine.md", ["BeyondOneMachine.swift"]),
        ("logging-and-metrics.md", ["LoggingAndMetrics.swift"]),
        ("upgrading.md", ["Upgrading.swift"]),
        // Their code is an example program, which ExampleTests runs.
        ("an-app-from-zero.md", ["../../Sources/guestbook-example"]),
        ("one-process.md", ["../../Sources/menu-server-example"]),
        ("peer-to-peer.md", ["../../Sources/room-example", "PeerToPeer.swift"]),
    ])
    func `every Swift block of a guide is compiled in these tests`(
        _ page: String,
        _ names: [String]
    ) throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let guides = here.appendingPathComponent("../../../guides")
        let text = try String(contentsOf: guides.appendingPathComponent(page), encoding: .utf8)
        let sources = try names.flatMap {
            try files(at: here.appendingPathComponent($0).standardizedFileURL)
        }
        let shared = here.appendingPathComponent("ResolverTests.swift")
        let code = try (sources + [shared])
            .map { flush(try String(contentsOf: $0, encoding: .utf8)) }.joined()
        let blocks = blocks(of: text)
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(code.contains(flush(block)), "\(page): \(block)") }
    }

    /// A reader who copies the blocks also gets the imports, the head of the class and its properties.
    @Test func `the blocks of the app guide form its two source files`() throws {
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../..").standardizedFileURL
        let page = try String(
            contentsOf: docs.appendingPathComponent("guides/an-app-from-zero.md"),
            encoding: .utf8
        )
        let program = docs.appendingPathComponent("examples/Sources/guestbook-example")
        let sources = try ["GuestBook.swift", "main.swift"].map {
            try String(contentsOf: program.appendingPathComponent($0), encoding: .utf8)
        }
        #expect(blocks(of: page).joined(separator: "\n") == sources.joined(separator: "\n"))
    }

    /// The Swift code blocks of a page.
    private func blocks(of page: String) -> [String] {
        page.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    /// A source, or those of a program.
    private func files(at place: URL) throws -> [URL] {
        guard place.pathExtension.isEmpty else { return [place] }
        return try FileManager.default.contentsOfDirectory(
            at: place,
            includingPropertiesForKeys: nil
        )
    }

    /// The lines without their indentation: a page shows a method without its type around it.
    private func flush(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }

    @Test func `the index links to every guide`() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let guides = here.appendingPathComponent("../../../guides").standardizedFileURL
        let index = try String(
            contentsOf: guides.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let names = try FileManager.default.contentsOfDirectory(atPath: guides.path)
        for name in names where name.hasSuffix(".md") && name != "README.md" {
            #expect(index.contains("](\(name))"), "\(name)")
        }
    }
}
