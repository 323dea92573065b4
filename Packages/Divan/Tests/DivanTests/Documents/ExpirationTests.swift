import Divan
import Foundation
import Testing

/// `behaviour.md` §5.
@Suite(.timeLimit(.minutes(5))) struct ExpirationTests {
    let home: TemporaryDatabase
    let collection: Divan.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
        try collection.save(document: MutableDocument(id: "doc"))
    }

    @Test func `an expiration is kept beside the document and can be cleared`() throws {
        let date = Date(timeIntervalSinceNow: 3_600)
        #expect(try collection.getDocumentExpiration(id: "doc") == nil)
        try collection.setDocumentExpiration(id: "doc", expiration: date)
        let read = try #require(try collection.getDocumentExpiration(id: "doc"))
        #expect(abs(read.timeIntervalSince(date)) < 0.001)
        try collection.setDocumentExpiration(id: "doc", expiration: nil)
        #expect(try collection.getDocumentExpiration(id: "doc") == nil)
    }

    @Test(arguments: [0.000_4, 0.000_5, 0.000_9, 0.001, 1.999_9])
    func `fractions of a millisecond are cut, so that nothing expires late`(part: Double) throws {
        let base = Date(timeIntervalSince1970: 4_102_444_800)
        let date = base.addingTimeInterval(part)
        try collection.setDocumentExpiration(id: "doc", expiration: date)
        let read = try #require(try collection.getDocumentExpiration(id: "doc"))
        #expect((-0.000_001..<0.001).contains(date.timeIntervalSince(read)))
        let milliseconds = (read.timeIntervalSince(base) * 1_000).rounded()
        #expect(milliseconds == (part * 1_000 + 1e-6).rounded(.down))
    }

    @Test(arguments: [4_102_444_800.123, 4_102_444_800.789, 4_102_444_800.999, 253_402_300_800.007])
    func `an expiration that was read sets the same one`(seconds: Double) throws {
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

    @Test func `a new revision keeps it, and setting it is no change`() throws {
        let date = Date(timeIntervalSinceNow: 3_600)
        let document = try #require(try collection.document(id: "doc")).toMutable()
        try collection.setDocumentExpiration(id: "doc", expiration: date)
        #expect(try collection.document(id: "doc")?.sequence == document.sequence)
        try collection.save(document: document)
        #expect(try collection.getDocumentExpiration(id: "doc") != nil)
    }

    @Test func `an unknown document throws on setting and is nil on getting`() throws {
        expect(CBLError.notFound) {
            try collection.setDocumentExpiration(id: "nothing", expiration: Date())
        }
        #expect(try collection.getDocumentExpiration(id: "nothing") == nil)
    }

    /// Nobody else sees a batch before its commit, so an earlier check finds nothing.
    @Test func `an expiration that is set in a batch is kept, too`() async throws {
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

    @Test func `a past date purges at once, and listeners hear of it`() async throws {
        let documents = collection.documentChanges(id: "doc")
        let changes = collection.changes()
        try collection.setDocumentExpiration(id: "doc", expiration: Date(timeIntervalSinceNow: -9))
        #expect(await documents.first { _ in true }?.documentID == "doc")
        #expect(await changes.first { _ in true }?.documentIDs == ["doc"])
        #expect(collection.count == 0)
        expect(CBLError.notFound) { try collection.purge(id: "doc") }
    }

    @Test func `a date to come purges then, the earliest first`() async throws {
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

    @Test func `clearing it in time keeps the document`() async throws {
        try collection.save(document: MutableDocument(id: "other"))
        let changes = collection.changes()
        try collection.setDocumentExpiration(id: "doc", expiration: Date() + 0.1)
        try collection.setDocumentExpiration(id: "doc", expiration: nil)
        try collection.setDocumentExpiration(id: "other", expiration: Date() + 0.2)
        #expect(await changes.first { _ in true }?.documentIDs == ["other"])
        #expect(try collection.document(id: "doc") != nil)
    }

    @Test func `a tombstone expires too`() async throws {
        let document = try #require(try collection.document(id: "doc"))
        try collection.delete(document: document)
        let changes = collection.documentChanges(id: "doc")
        try collection.setDocumentExpiration(id: "doc", expiration: Date())
        #expect(await changes.first { _ in true } != nil)
        expect(CBLError.notFound) { try collection.purge(id: "doc") }
    }

    @Test func `what expired while closed goes soon after opening`() async throws {
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
