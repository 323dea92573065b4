import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Documents damaged on disk: reported by name, and never sent to a peer.
@Suite struct DamagedDocumentTests {
    private let directory: TemporaryDirectory
    private let there: Database

    /// Ten documents in `here`, of which `doc-3` differs from what was saved.
    init() throws {
        directory = try TemporaryDirectory()
        let here = try Database(name: "here", config: .in(directory))
        for number in 0..<10 {
            let document = MutableDocument(id: "doc-\(number)")
            document.setString("number \(number)", forKey: "text")
            try here.defaultCollection().save(document: document)
        }
        let file = URL(filePath: try #require(here.path) + "db.sqlite3")
        // A reader that ends after the database would leave the documents in the log.
        try here.performMaintenance(type: .compact)
        try here.close()
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("number 3".utf8)))
        bytes[place.upperBound - 1] ^= 4
        try bytes.write(to: file)
        there = try Database(name: "there", config: .in(directory))
    }

    private func here() throws -> Database { try Database(name: "here", config: .in(directory)) }

    /// Runs a one-shot replication; returns the documents that failed and their codes.
    private func run(
        from source: Database,
        to target: Database,
        _ type: ReplicatorType,
        _ change: (inout CollectionConfiguration) -> Void = { _ in }
    ) async throws -> [String: Int] {
        var entry = CollectionConfiguration(collection: try source.defaultCollection())
        change(&entry)
        var configuration = ReplicatorConfiguration(
            collections: [entry],
            target: DatabaseEndpoint(database: target)
        )
        configuration.replicatorType = type
        let replicator = Replicator(config: configuration)
        let events = replicator.documentReplicationStream
        try await replicator.run()
        var failures: [String: Int] = [:]
        for await event in events {
            for document in event.documents {
                if let error = document.error { failures[document.id] = (error as NSError).code }
            }
        }
        return failures
    }

    private func checkArrivals() throws {
        let collection = try there.defaultCollection()
        #expect(collection.count == 9)
        #expect(try collection.document(id: "doc-3") == nil)
        #expect(try collection.document(id: "doc-9")?.string(forKey: "text") == "number 9")
    }

    @Test func `every read, and the integrity check, report a damaged document`() throws {
        let here = try here()
        let collection = try here.defaultCollection()
        expect(CBLError.corruptData) { _ = try collection.document(id: "doc-3") }
        expect(CBLError.corruptData) { try here.performMaintenance(type: .integrityCheck) }
        expect(CBLError.corruptData) { try collection.save(document: MutableDocument(id: "doc-3")) }
        #expect(try collection.document(id: "doc-4")?.string(forKey: "text") == "number 4")
        try collection.purge(id: "doc-3")
        try here.performMaintenance(type: .integrityCheck)
    }

    @Test func `a damaged document is not pushed, but the others are`() async throws {
        let failures = try await run(from: try here(), to: there, .push)
        #expect(failures == ["doc-3": CBLError.corruptData])
        try checkArrivals()
    }

    @Test func `with a push filter, documents that are not damaged are still pushed`() async throws
    {
        let failures = try await run(from: try here(), to: there, .push) {
            $0.pushFilter = { _, _ in true }
        }
        #expect(failures == ["doc-3": CBLError.corruptData])
        try checkArrivals()
    }

    @Test func `a damaged document is not served, but the others are`() async throws {
        _ = try await run(from: there, to: try here(), .pull)
        try checkArrivals()
    }

    @Test func `a newer revision from a peer does not overwrite a damaged one`() async throws {
        let document = MutableDocument(id: "doc-3")
        try there.defaultCollection().save(document: document)
        try there.defaultCollection().save(document: document.setInt(1, forKey: "n"))
        let failures = try await run(from: try here(), to: there, .pull)
        #expect(failures == ["doc-3": CBLError.corruptData])
    }

    @Test func `purging a damaged document and pulling it again with a reset restores it`()
        async throws
    {
        let whole = MutableDocument(id: "doc-3").setString("number 3", forKey: "text")
        try there.defaultCollection().save(document: whole)
        let here = try here()
        try here.defaultCollection().purge(id: "doc-3")
        _ = try await run(from: here, to: there, .pull)
        try here.performMaintenance(type: .integrityCheck)
        let found = try here.defaultCollection().document(id: "doc-3")
        #expect(found?.string(forKey: "text") == "number 3")
    }

    private func repair(_ here: Database) throws -> DatabaseRepair {
        let entry = CollectionConfiguration(collection: try here.defaultCollection())
        return try here.repair(
            from: ReplicatorConfiguration(
                collections: [entry],
                target: DatabaseEndpoint(database: there)
            )
        )
    }

    @Test func `a repair fetches only damaged documents and changes nothing else`() async throws {
        let whole = MutableDocument(id: "doc-3").setString("number 3", forKey: "text")
        try there.defaultCollection().save(document: whole)
        let other = MutableDocument(id: "doc-4").setString("theirs", forKey: "text")
        try there.defaultCollection().save(document: other)
        let here = try here()
        let repair = try repair(here)
        #expect(repair.restoredCount == 1)
        #expect(repair.remaining.isEmpty && repair.lostRevisions.isEmpty)
        try here.performMaintenance(type: .integrityCheck)
        let collection = try here.defaultCollection()
        #expect(try collection.document(id: "doc-3")?.string(forKey: "text") == "number 3")
        #expect(try collection.document(id: "doc-4")?.string(forKey: "text") == "number 4")
        #expect(collection.count == 10)
    }

    @Test(.timeLimit(.minutes(5)))
    func `an authenticator can use the database during a repair`() async throws {
        let whole = MutableDocument(id: "doc-3").setString("number 3", forKey: "text")
        try there.defaultCollection().save(document: whole)
        var settings = URLEndpointListenerConfiguration(collections: [try there.defaultCollection()]
        )
        settings.disableTLS = true
        settings.networkInterface = "127.0.0.1"
        let listener = URLEndpointListener(config: settings)
        try listener.start()
        defer { listener.stop() }
        let here = try here()
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: try here.defaultCollection())],
            target: try listener.endpoint()
        )
        configuration.authenticator = TokenAuthenticator { _ in
            try await here.inBackground { AccessToken("token") }
        }
        #expect(try await here.repair(from: configuration).restoredCount == 1)
    }

    @Test func `a repaired document keeps its expiration`() throws {
        let time = Date(timeIntervalSince1970: 4_000_000_000)
        let fresh = try Database(name: "fresh", config: .in(directory))
        let document = MutableDocument(id: "doc-3").setString("soon gone", forKey: "text")
        try fresh.defaultCollection().save(document: document)
        try fresh.defaultCollection().setDocumentExpiration(id: "doc-3", expiration: time)
        let path = try #require(fresh.path)
        try fresh.close()
        try Database.copy(fromPath: path, toDatabase: "whole", withConfig: .in(directory))
        let file = URL(filePath: path + "db.sqlite3")
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("soon gone".utf8)))
        bytes[place.lowerBound] ^= 4
        try bytes.write(to: file)
        let damaged = try Database(name: "fresh", config: .in(directory))
        let whole = try Database(name: "whole", config: .in(directory))
        let collection = try damaged.defaultCollection()
        let repair = try damaged.repair(
            from: ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: collection)],
                target: DatabaseEndpoint(database: whole)
            )
        )
        #expect(repair.restoredCount == 1)
        #expect(try collection.document(id: "doc-3")?.string(forKey: "text") == "soon gone")
        #expect(try collection.getDocumentExpiration(id: "doc-3") == time)
    }

    @Test func `a repair can restore a deletion and reports the lost edit`() throws {
        let document = MutableDocument(id: "doc-3")
        try there.defaultCollection().save(document: document)
        try there.defaultCollection().delete(document: document)
        let here = try here()
        let repair = try repair(here)
        #expect(repair.remaining.isEmpty)
        #expect(repair.lostRevisions.count == 1)
        #expect(repair.lostRevisions.first?.contains("doc-3") == true)
        #expect(try here.defaultCollection().count == 9)
    }

    @Test func `a document that the peer does not have stays damaged and is reported`() throws {
        let here = try here()
        let repair = try repair(here)
        #expect(repair.restoredCount == 0)
        #expect(repair.remaining.count == 1)
        #expect(repair.remaining.first?.contains("doc-3") == true)
        expect(CBLError.corruptData) { _ = try here.defaultCollection().document(id: "doc-3") }
    }
}
