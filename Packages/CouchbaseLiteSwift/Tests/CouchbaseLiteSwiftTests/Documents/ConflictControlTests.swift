import CouchbaseLiteSwift
import Foundation
import Testing

/// `behaviour.md` §2: two objects of one document.
@Suite struct ConflictControlTests {
    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    /// Two objects read at the same revision; the first has been saved since.
    private func rivals() throws -> (first: MutableDocument, second: MutableDocument) {
        try collection.save(document: MutableDocument(id: "doc", data: ["by": "nobody"]))
        let first = try #require(try collection.document(id: "doc")).toMutable()
        let second = try #require(try collection.document(id: "doc")).toMutable()
        try collection.save(document: first.setString("first", forKey: "by"))
        second.setString("second", forKey: "by")
        return (first, second)
    }

    private var stored: String? {
        get throws { try collection.document(id: "doc")?.string(forKey: "by") }
    }

    @Test func `by default the last write wins and becomes a child of the current revision`() throws
    {
        let (_, second) = try rivals()
        try collection.save(document: second)
        #expect(try stored == "second")
        #expect(second.revisionID?.hasPrefix("3-") == true)
    }

    @Test func `last write wins over a document that was deleted in the meantime`() throws {
        let (first, second) = try rivals()
        try collection.delete(document: first)
        try collection.save(document: second)
        #expect(try stored == "second")
        #expect(second.revisionID?.hasPrefix("4-") == true)
    }

    @Test func `last write wins between two new documents with the same ID`() throws {
        try collection.save(document: MutableDocument(id: "doc", data: ["by": "first"]))
        let second = MutableDocument(id: "doc", data: ["by": "second"])
        try collection.save(document: second)
        #expect(try stored == "second")
        #expect(second.revisionID?.hasPrefix("2-") == true)
    }

    @Test func `failOnConflict does not overwrite a newer revision`() throws {
        let (_, second) = try rivals()
        let before = second.revisionID
        #expect(try !collection.save(document: second, concurrencyControl: .failOnConflict))
        #expect(try stored == "first")
        #expect(second.revisionID == before)
    }

    @Test func `failOnConflict does not overwrite an existing document with a new one`() throws {
        try collection.save(document: MutableDocument(id: "doc", data: ["by": "first"]))
        let second = MutableDocument(id: "doc", data: ["by": "second"])
        #expect(try !collection.save(document: second, concurrencyControl: .failOnConflict))
        #expect(try stored == "first")
    }

    @Test func `failOnConflict does not overwrite a deletion`() throws {
        let (first, second) = try rivals()
        try collection.delete(document: first)
        #expect(try !collection.save(document: second, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "doc") == nil)
    }

    @Test func `failOnConflict saves a document that has not been changed elsewhere`() throws {
        let (first, _) = try rivals()
        first.setString("again", forKey: "by")
        #expect(try collection.save(document: first, concurrencyControl: .failOnConflict))
        #expect(try stored == "again")
    }

    @Test func `a new document can replace a deleted one`() throws {
        let (first, _) = try rivals()
        try collection.delete(document: first)
        let fresh = MutableDocument(id: "doc", data: ["by": "fresh"])
        #expect(try collection.save(document: fresh, concurrencyControl: .failOnConflict))
        #expect(try stored == "fresh")
    }

    @Test func `deleting with failOnConflict keeps a newer revision`() throws {
        let (_, second) = try rivals()
        #expect(try !collection.delete(document: second, concurrencyControl: .failOnConflict))
        #expect(try stored == "first")
        try collection.delete(document: second)
        #expect(try stored == nil)
    }

    @Test func `the conflict handler merges on the calling thread`() throws {
        let (_, second) = try rivals()
        let thread = Thread.current
        let isSaved = try collection.save(document: second) { document, existing in
            #expect(Thread.current === thread)
            #expect(document === second)
            #expect(existing?.string(forKey: "by") == "first")
            document.setString("first and second", forKey: "by")
            return true
        }
        #expect(isSaved)
        #expect(try stored == "first and second")
        #expect(second.revisionID?.hasPrefix("3-") == true)
    }

    @Test func `a save fails if the conflict handler returns false`() throws {
        let (_, second) = try rivals()
        #expect(try !collection.save(document: second) { _, _ in false })
        #expect(try stored == "first")
    }

    @Test func `the conflict handler is not called without a conflict`() throws {
        let (first, _) = try rivals()
        let isSaved = try collection.save(document: first) { _, _ in
            Issue.record("asked without a conflict")
            return false
        }
        #expect(isSaved)
    }

    @Test func `the conflict handler sees nil for a deleted document`() throws {
        let (first, second) = try rivals()
        try collection.delete(document: first)
        let isSaved = try collection.save(document: second) { _, existing in
            #expect(existing == nil)
            return true
        }
        #expect(isSaved)
        #expect(try stored == "second")
    }

    @Test func `the conflict handler is called again if the document changes meanwhile`() throws {
        let (_, second) = try rivals()
        var calls = 0
        let isSaved = try collection.save(document: second) { document, existing in
            calls += 1
            if calls < 3, let newer = existing?.toMutable() {
                newer.setInt(calls, forKey: "call")
                #expect((try? collection.save(document: newer)) != nil)
            }
            document.setInt(existing?.int(forKey: "call") ?? -1, forKey: "seen")
            return true
        }
        #expect(isSaved)
        #expect(calls == 3)
        #expect(try collection.document(id: "doc")?.int(forKey: "seen") == 2)
    }

    @Test func `saving with a conflict handler throws if the document was purged`() throws {
        let (first, second) = try rivals()
        try collection.purge(document: first)
        expect(CBLError.notFound) {
            _ = try collection.save(document: second) { _, _ in true }
        }
    }

    @Test(arguments: [ConcurrencyControl.lastWriteWins, .failOnConflict])
    func `saving a document that was purged elsewhere throws`(
        _ control: ConcurrencyControl
    ) throws {
        let (first, second) = try rivals()
        try collection.purge(document: first)
        expect(CBLError.notFound) {
            _ = try collection.save(document: second, concurrencyControl: control)
        }
        #expect(try collection.document(id: second.id) == nil)
        // The object that purged it may save it again.
        #expect(try collection.save(document: first, concurrencyControl: control))
    }

    @Test func `saving a deleted document restores it`() throws {
        let (first, second) = try rivals()
        try collection.delete(document: first)
        try collection.save(document: second)
        #expect(try collection.document(id: second.id) != nil)
    }

    @Test func `the conflict handler runs outside any transaction`() throws {
        let (_, second) = try rivals()
        let other = home.database
        let isSaved = try collection.save(document: second) { _, _ in
            // Another thread could not write while this one held the database.
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let neighbour = MutableDocument(id: "neighbour")
                try? other.defaultCollection().save(document: neighbour)
                done.signal()
            }
            return done.wait(timeout: .now() + 60) == .success
        }
        #expect(isSaved)
        #expect(try collection.document(id: "neighbour") != nil)
    }
}
