import DivanJSON
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

/// What is published about a database to other processes.
@Suite(.timeLimit(.minutes(5))) struct StatusPublisherTests {
    private final class Service: DatabaseService {
        var report: (@Sendable () -> JSONObject)? {
            { ["verb": "sync", "stall": "reply to rev of ada"] }
        }

        func beginStop() {}

        func waitForStop() {}
    }

    @Test func `encrypting a database while it syncs removes document IDs from its status files`()
        throws
    {
        let home = try TemporaryDirectory()
        let bundle = home.file("a.cblite2")
        try FileManager.default.createDirectory(
            atPath: bundle,
            withIntermediateDirectories: true
        )
        let isSealed = Atomic(false)
        let publisher = StatusPublisher(bundle: bundle) { !isSealed.load(ordering: .relaxed) }
        defer { publisher.finish() }
        func isNamed() -> Bool {
            let board = bundle + "/.status/"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: board)) ?? []
            return names.contains {
                (try? String(contentsOfFile: board + $0, encoding: .utf8))?.contains("ada") ?? false
            }
        }
        let service = Service()
        publisher.begin(service)
        publisher.publishChanges()
        #expect(isNamed())
        isSealed.store(true, ordering: .relaxed)
        publisher.publishChanges()
        #expect(!isNamed())
    }

    @Test func `encrypting a database deletes status files left by a killed program`() throws {
        let home = try TemporaryDirectory()
        var config = DatabaseConfiguration()
        config.directory = home.path
        let database = try Database(name: "a", config: config)
        let directory = home.file("a.cblite2/.status")
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        let left = directory + "/1999999999-1.json"  // no process has such a number
        try Data(#"{"stall":"reply to rev of ada, 12 s"}"#.utf8).write(to: URL(filePath: left))
        try database.changeEncryptionKey(.key(Data(repeating: 7, count: 32)))
        #expect(!FileManager.default.fileExists(atPath: left))
        try database.close()
    }
}
