import CouchbaseLiteSwift
import Foundation
import Testing

/// `behaviour.md` §5.
@Suite(.timeLimit(.minutes(5))) struct ExpirationTests {
    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
        try collection.save(document: MutableDocument(id: "doc"))
    }

    @Test func `an expiration can be set, read and cleared`() throws {
        let date = Date(timeIntervalSinceNow: 3_600)
        #expect(try collection.getDocumentExpiration(id: "doc") == nil)
        try collection.setDocumentExpiration(id: "doc", expiration: date)
        let read = try #require(try collection.getDocumentExpiration(id: "doc"))
        #expect(abs(read.timeIntervalSince(date)) < 0.001)
        try collection.setDocumentExpiration(id: "doc", expiration: nil)
        #expect(try collection.getDocumentExpiration(id: "doc") == nil)
    }

    @Test(arguments: [0.000_4, 0.000_5, 0.000_9, 0.001, 1.999_9])
    func `an expiration is rounded down to milliseconds`(part: Double) throws {
        let base = Date(timeIntervalSince1970: 4_102_444_800)
        let date = base.addingTimeInterval(part)
        try collection.setDocumentExpiration(id: "doc", expiration: date)
        let read = try #require(try collection.getDocumentExpiration(id: "doc"))
        #expect((-0.000_001..<0.001).contains(date.timeIntervalSince(read)))
        let milliseconds = (read.timeIntervalSince(base) * 1_000).rounded()
        #expect(milliseconds == (part * 1_000 + 1e-6).rounded(.down))
    }

    @Test(arguments: [4_102_444_800.123, 4_102_444_800.789, 4_102_444_800.999, 253_402_300_800.007])
    func `setting an expiration that was read keeps it unchanged`(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        try collection.setDocumentExpiration(id: "doc", expiration: date)
        let read = try #require(try collection.getDocumentExpiration(id: "doc"))
        #expect(abs(read.timeIntervalSince(date)) < 0.000_1)
        try collection.setDocumentExpiration(id: "doc", expiration: read)
        #expect(try collection.getDocumentExpiration(id: "doc") == read)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func `a date that cannot be stored is refused`(seconds: Double) throws {
        expect(CBLError.invalidParameter) {
            try collection.setDocumentExpiration(
                id: "doc",
                expiration: Date(timeIntervalSince1970: seconds)
            )
        }
        #expect(try collection.getDocumentExpiration(id: "doc") == nil)
    }

    @Test func `a new revision keeps the expiration, and setting one does not change the document`()
        throws
    {
        let date = Date(timeIntervalSinceNow: 3_600)
        let document = try #require(try collection.document(id: "doc")).toMutable()
        try collection.setDocumentExpiration(id: "doc", expiration: date)
        #expect(try collection.document(id: "doc")?.sequence == document.sequence)
        try collection.save(document: document)
        #expect(try collection.getDocumentExpiration(id: "doc") != nil)
    }

    @Test func `setting the expiration of an unknown document throws, and reading it returns nil`()
        throws
    {
        expect(CBLError.notFound) {
            try collection.setDocumentExpiration(id: "nothing", expiration: Date())
        }
        #expect(try collection.getDocumentExpiration(id: "nothing") == nil)
    }

    /// Nobody else sees a batch before its commit, so an earlier check finds nothing.
    @Test func `a document whose expiration was set in a batch expires`() async throws {
        let documents = collection.documentChanges(id: "doc")
        try home.database.inBatch {
            let soon = Date(timeIntervalSinceNow: 0.3)
            try collection.setDocumentExpiration(id: "doc", expiration: soon)
            let (looked, look) = (DispatchSemaphore(value: 0), collection)
            // As long as the check takes.
            for _ in 0..<20 {
                DispatchQueue.global().async {
                    _ = look.count
                    looked.signal()
                }
                looked.wait()
            }
        }
        for await change in documents {
            #expect(change.documentID == "doc")
            break
        }
        #expect(try collection.document(id: "doc") == nil)
    }

    @Test func `an expiration in the past purges the document at once and notifies listeners`()
        async throws
    {
        let documents = collection.documentChanges(id: "doc")
        let changes = collection.changes()
        try collection.setDocumentExpiration(id: "doc", expiration: Date(timeIntervalSinceNow: -9))
        #expect(await documents.first { _ in true }?.documentID == "doc")
        #expect(await changes.first { _ in true }?.documentIDs == ["doc"])
        #expect(collection.count == 0)
        expect(CBLError.notFound) { try collection.purge(id: "doc") }
    }

    @Test func `documents expire at their time, in order`() async throws {
        try collection.save(document: MutableDocument(id: "later"))
        let changes = collection.changes()
        let start = Date()
        try collection.setDocumentExpiration(id: "later", expiration: start + 0.3)
        try collection.setDocumentExpiration(id: "doc", expiration: start + 0.1)
        var order: [String] = []
        for await change in changes {
            order += change.documentIDs
            if order.count == 2 { break }
        }
        #expect(order == ["doc", "later"])
        #expect(Date().timeIntervalSince(start) > 0.29)
    }

    @Test func `clearing the expiration in time keeps the document`() async throws {
        try collection.save(document: MutableDocument(id: "other"))
        let changes = collection.changes()
        try collection.setDocumentExpiration(id: "doc", expiration: Date() + 0.1)
        try collection.setDocumentExpiration(id: "doc", expiration: nil)
        try collection.setDocumentExpiration(id: "other", expiration: Date() + 0.2)
        #expect(await changes.first { _ in true }?.documentIDs == ["other"])
        #expect(try collection.document(id: "doc") != nil)
    }

    @Test func `tombstones expire too`() async throws {
        let document = try #require(try collection.document(id: "doc"))
        try collection.delete(document: document)
        let changes = collection.documentChanges(id: "doc")
        try collection.setDocumentExpiration(id: "doc", expiration: Date())
        #expect(await changes.first { _ in true } != nil)
        expect(CBLError.notFound) { try collection.purge(id: "doc") }
    }

    @Test func `documents that expired while the database was closed are purged after opening`()
        async throws
    {
        try collection.setDocumentExpiration(id: "doc", expiration: Date() + 0.05)
        try home.database.close()
        let again = try home.reopened().defaultCollection()
        let changes = again.changes()
        if try again.document(id: "doc") != nil {
            _ = await changes.first { _ in true }
        }
        #expect(try again.document(id: "doc") == nil)
    }
}
