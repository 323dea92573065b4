import CouchbaseLiteSwift
import Dispatch
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// A program that uses the library is visible from the shell, if it wants that; this process is one.
@Suite(.timeLimit(.minutes(5))) struct LibraryStatusTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    private func open(_ name: String, publishes: Bool = true) throws -> Database {
        var config = DatabaseConfiguration()
        config.directory = shell.path("")
        config.publishesStatus = publishes
        return try Database(name: name, config: config)
    }

    private func statuses(_ name: String) throws -> [[String: Any]] {
        try shell.divan("status", name, "--json").output.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    /// Asks until a page satisfies a condition; each poll is a process, and there are hundreds at most.
    private func look(_ words: String..., until condition: (String) -> Bool) throws -> String {
        for _ in 0..<600 {
            let page = try shell.divan(words).output
            if condition(page) { return page }
        }
        Issue.record("never said by divan \(words.joined(separator: " "))")
        return ""
    }

    @Test func `status and top show the listeners and replicators of an app while they run`()
        async throws
    {
        let (here, there) = (try open("here"), try open("there"))
        defer {
            try? here.close()
            try? there.close()
        }
        try there.defaultCollection().save(document: MutableDocument(id: "soup"))
        var sharing = URLEndpointListenerConfiguration(collections: [try there.defaultCollection()])
        sharing.networkInterface = "127.0.0.1"
        sharing.disableTLS = true
        let listener = URLEndpointListener(config: sharing)
        try listener.start()
        let url = try #require(listener.urls?.first)
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try here.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        replicator.start()

        _ = try look("status", "here") { $0.contains("  idle; running for ") }
        let status = try #require(try statuses("here").first)
        #expect(status["verb"] as? String == "sync")
        #expect(status["pid"] as? Int == Int(CurrentProcess.id))
        #expect((status["documents"] as? [String: Int])?["pulled"] == 1)
        let program = try #require(status["program"] as? String)
        let page = try shell.run("status", "here").output
        #expect(page.contains("(\(program), process \(CurrentProcess.id))"), "\(page)")
        _ = try look("status", "there") { $0.contains("1 peer connected") }
        let serving = try #require(try statuses("there").first)
        let peers = try #require(serving["peers"] as? [[String: Any]])
        #expect(peers.first?["connection"] as? String == status["connection"] as? String)
        let top = try shell.run("top", "here", "there").output
        #expect(top.contains("sync    here ") && top.contains("serve   there "), "\(top)")
        let board = shell.path("here.cblite2/.status")
        for name in try FileManager.default.contentsOfDirectory(atPath: board) {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(board)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }

        try here.close()
        #expect(try statuses("here").isEmpty)
        listener.stop()
        try there.close()
        #expect(try statuses("there").isEmpty)
    }

    @Test func `an app publishes no status by default`() throws {
        let database = try open("quiet", publishes: false)
        defer { try? database.close() }
        var sharing = URLEndpointListenerConfiguration(
            collections: [try database.defaultCollection()]
        )
        sharing.networkInterface = "127.0.0.1"
        sharing.disableTLS = true
        let listener = URLEndpointListener(config: sharing)
        try listener.start()
        #expect(try statuses("quiet").isEmpty)
        #expect(try shell.run("top", "quiet").output.contains(" open"))
    }

    private final class Slow: ConflictResolverProtocol {
        let word = DispatchSemaphore(value: 0)

        func resolve(conflict: Conflict) -> Document? {
            _ = word.wait(timeout: .now() + 60)
            return conflict.remoteDocument
        }
    }

    @Test func `status and top show what a replicator waits for`() async throws {
        let (here, there) = (try open("here"), try open("there"))
        for (database, salt) in [(here, 1), (there, 2)] {
            let document = MutableDocument(id: "soup", data: ["salt": salt])
            try database.defaultCollection().save(document: document)
        }
        let resolver = Slow()
        var entry = CollectionConfiguration(collection: try here.defaultCollection())
        entry.conflictResolver = resolver
        let target = DatabaseEndpoint(database: there)
        let replicator = Replicator(
            config: ReplicatorConfiguration(collections: [entry], target: target)
        )
        replicator.start()
        let subject = "conflict resolver for soup"
        let page = try look("status", "here") { $0.contains("  waiting for \(subject)") }
        #expect(page.contains(" s\n"), "\(page)")
        let top = try look("top", "here") { $0.contains("  ! waiting for \(subject)") }
        #expect(top.contains("sync    here"), "\(top)")
        let status = try #require(try statuses("here").first)
        let waits = try #require(status["waits"] as? [[String: Any]])
        #expect(waits.contains { $0["for"] as? String == subject })
        #expect(waits.first?["document"] as? String == "soup")
        resolver.word.signal()
        _ = try look("status", "here") { !$0.contains(subject) }
        try here.close()
        try there.close()
    }
}
