import CouchbaseLiteSwift
import DivanPlatform
import Foundation
import Synchronization
import Testing

/// `behaviour.md` §2: `inBatch`.
@Suite struct BatchTests {
    private struct Mishap: Error, CustomStringConvertible {
        let description = "the milk boiled over"
    }

    let home: TemporaryDatabase
    let collection: CouchbaseLiteSwift.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func save(_ id: String) throws {
        try collection.save(document: MutableDocument(id: id))
    }

    private func isOpen(_ collection: CouchbaseLiteSwift.Collection) -> Bool {
        do {
            _ = try collection.document(id: "x")
            return true
        } catch {
            return false
        }
    }

    @Test
    func `another database with an active replicator cannot be closed inside a batch`()
        async throws
    {
        let peers = try Peers()
        let home = try TemporaryDatabase("other")
        var configuration = try peers.configuration()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        _ = await replicator.start(until: .idle)
        // A running service may share its thread with a connection that waits for this batch.
        try home.database.inBatch {
            expect(CBLError.transactionNotClosed) { try peers.here.close() }
        }
        try peers.here.close()
        #expect(replicator.status.activity == .stopped)
    }

    @Test func `a batch saves all its documents`() throws {
        try home.database.inBatch {
            for index in 0..<20 { try save("doc \(index)") }
        }
        #expect(collection.count == 20)
    }

    @Test func `other objects of the same database see a batch only on the batch's thread`() throws
    {
        let other = try home.reopened().defaultCollection()
        let counts = Mutex<[UInt64]>([])
        let isCounted = DispatchSemaphore(value: 0)
        do {
            try home.database.inBatch {
                try save("mine")
                try other.save(document: MutableDocument(id: "theirs"))
                #expect(other.count == 2)
                Thread.detachNewThread { [collection] in
                    counts.withLock { $0 = [other.count, collection.count] }
                    isCounted.signal()
                }
                isCounted.wait()
                throw Mishap()
            }
        } catch let error as NSError {
            #expect(error.code == CBLError.unexpectedError)
        }
        #expect(counts.withLock { $0 } == [0, 0])
        #expect(other.count == 0)
    }

    @Test func `rolling back a batch restores a collection that was deleted twice`() throws {
        let old = try home.database.createCollection(name: "c")
        try old.save(document: MutableDocument(id: "x"))
        try? home.database.inBatch {
            try home.database.deleteCollection(name: "c")
            _ = try home.database.createCollection(name: "c")
            try home.database.deleteCollection(name: "c")
            throw Mishap()
        }
        #expect(try old.document(id: "x") != nil)
        #expect(try home.database.collection(name: "c") == old)
    }

    @Test(arguments: [true, false])
    func `other threads see the old collection until the batch that recreates it commits`(
        isUndone: Bool
    ) throws {
        let database = home.database
        let old = try database.createCollection(name: "c")
        let hasSeenOld = Mutex(false)
        var new: CouchbaseLiteSwift.Collection?
        try? database.inBatch {
            try database.deleteCollection(name: "c")
            new = try database.createCollection(name: "c")
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let found = try? database.collection(name: "c")
                hasSeenOld.withLock { $0 = found == old }
                isDone.signal()
            }
            #expect(isDone.wait(timeout: .now() + 10) == .success)
            if isUndone { throw Mishap() }
        }
        #expect(hasSeenOld.withLock { $0 })
        #expect(isOpen(old) == isUndone)
        #expect(try isOpen(#require(new)) == !isUndone)
        #expect(try database.collection(name: "c") == (isUndone ? old : new))
        if isUndone {
            let later = try database.createCollection(name: "d")
            #expect(isOpen(later))
        }
    }

    @Test
    func `a collection object from an older snapshot is invalid after the collection is deleted`()
        throws
    {
        let database = home.database
        _ = try database.createCollection(name: "c")
        let isDeleted = DispatchSemaphore(value: 0)
        let kept = try database.withSnapshot { snapshot in
            Thread.detachNewThread {
                try? database.deleteCollection(name: "c")
                isDeleted.signal()
            }
            #expect(isDeleted.wait(timeout: .now() + 10) == .success)
            return try snapshot.collections().first { $0.name == "c" }
        }
        let new = try database.createCollection(name: "c")
        #expect(try !isOpen(#require(kept)))
        #expect(kept != new)
        #expect(isOpen(new))
    }

    @Test func `an error rolls back the batch and is thrown wrapped`() throws {
        try save("before")
        do {
            try home.database.inBatch {
                try save("inside")
                #expect(collection.count == 2)
                throw Mishap()
            }
            Issue.record("nothing was thrown")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain)
            #expect(error.code == CBLError.unexpectedError)
            #expect(error.localizedFailureReason?.contains("the milk boiled over") == true)
            #expect(error.userInfo[NSUnderlyingErrorKey] is Mishap)
        }
        #expect(collection.count == 1)
    }

    @Test func `batches can be nested`() throws {
        try home.database.inBatch {
            try save("outer")
            try home.database.inBatch { try save("inner") }
        }
        #expect(collection.count == 2)
    }

    @Test func `an error in an inner batch rolls back the outer one`() throws {
        expect(CBLError.unexpectedError) {
            try home.database.inBatch {
                try save("outer")
                try home.database.inBatch {
                    try save("inner")
                    throw Mishap()
                }
            }
        }
        #expect(collection.count == 0)
    }

    @Test func `the outer batch fails even if an inner batch's error is caught`() throws {
        do {
            try home.database.inBatch {
                try? home.database.inBatch {
                    try save("inner")
                    throw Mishap()
                }
                try save("outer")
            }
            Issue.record("nothing was thrown")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain)
            #expect(error.code == CBLError.unexpectedError)
            #expect(error.localizedDescription == Mishap().localizedDescription)
            #expect(error.localizedFailureReason?.contains("was rolled back") == true)
            #expect(error.userInfo[NSUnderlyingErrorKey] is Mishap)
        }
        #expect(collection.count == 0)
    }

    @Test func `failOnConflict inside a batch returns false and the batch continues`() throws {
        try save("doc")
        try home.database.inBatch {
            let rival = MutableDocument(id: "doc", data: ["n": 2])
            #expect(try !collection.save(document: rival, concurrencyControl: .failOnConflict))
            try save("other")
        }
        #expect(collection.count == 2)
    }

    @Test func `collections created in a failed batch do not exist`() throws {
        expect(CBLError.unexpectedError) {
            try home.database.inBatch {
                _ = try home.database.createCollection(name: "brief")
                throw Mishap()
            }
        }
        #expect(try home.database.collection(name: "brief") == nil)
    }

    @Test func `a batch blocks writes from other threads`() throws {
        let database = home.database
        let done = DispatchSemaphore(value: 0)
        try database.inBatch {
            try save("batch")
            Thread.detachNewThread {
                try? database.defaultCollection().save(document: MutableDocument(id: "other"))
                done.signal()
            }
            #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(collection.count == 2)
    }

    @Test func `closing inside a batch throws`() throws {
        expect(CBLError.unexpectedError) {
            try home.database.inBatch { try home.database.close() }
        }
        #expect(home.database.path != nil)
        #expect(collection.count == 0)
    }

    @Test func `a batch on a closed database throws`() throws {
        try home.database.close()
        expect(CBLError.notOpen) { try home.database.inBatch {} }
    }

    // MARK: State after a rolled-back batch

    private func undoneBatch(_ block: () throws -> Void) {
        expect(CBLError.unexpectedError) {
            try home.database.inBatch {
                try block()
                throw Mishap()
            }
        }
    }

    @Test func `rolling back a batch restores a document's revision and sequence`() throws {
        let document = MutableDocument(id: "doc")
        undoneBatch { try collection.save(document: document) }
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(document.collection == nil)
        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict))
        let stored = document.revisionID
        undoneBatch {
            for value in 0..<3 {
                try collection.save(document: document.setInt(value, forKey: "n"))
            }
            #expect(document.revisionID != stored)
        }
        #expect(document.revisionID == stored)
        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "doc")?.int(forKey: "n") == 2)
    }

    @Test func `a revision read inside a rolled-back batch conflicts with the stored one`() throws {
        let document = MutableDocument(id: "doc")
        try collection.save(document: document)
        var copy: MutableDocument?
        undoneBatch {
            try collection.save(document: document.setInt(1, forKey: "n"))
            copy = try collection.document(id: "doc")?.toMutable()
        }
        let found = try #require(copy)
        #expect(found.revisionID != document.revisionID)
        #expect(try collection.save(document: found, concurrencyControl: .failOnConflict) == false)
    }

    @Test func `rolling back a batch undoes its deletions and purges`() throws {
        let document = MutableDocument(id: "doc")
        try collection.save(document: document)
        let stored = document.revisionID
        undoneBatch { try collection.delete(document: document) }
        #expect(document.revisionID == stored)
        undoneBatch { try collection.purge(document: document) }
        #expect(document.revisionID == stored)
        #expect(document.collection == collection)
        try collection.delete(document: document)
        #expect(collection.count == 0)
    }

    @Test func `rolling back a batch keeps what an earlier batch committed`() throws {
        let document = MutableDocument(id: "doc")
        try home.database.inBatch { try collection.save(document: document) }
        let stored = document.revisionID
        #expect(stored != nil)
        undoneBatch {
            try home.database.inBatch {
                try collection.save(document: document.setInt(1, forKey: "n"))
            }
        }
        #expect(document.revisionID == stored)
    }

    @Test func `a collection stays usable if its deletion is rolled back`() throws {
        let people = try home.database.createCollection(name: "people")
        try people.save(document: MutableDocument(id: "ada"))
        undoneBatch { try home.database.deleteCollection(name: "people") }
        #expect(try people.document(id: "ada") != nil)
        try home.database.inBatch { try home.database.deleteCollection(name: "people") }
        expect(CBLError.notOpen) { _ = try people.document(id: "ada") }
    }

    @Test func `the next save stores a blob again after its batch is rolled back`() throws {
        let blob = Blob(contentType: "text/plain", data: Data(count: 10_000))
        let document = MutableDocument(id: "doc").setBlob(blob, forKey: "blob")
        undoneBatch { try collection.save(document: document) }
        try home.database.performMaintenance(type: .compact)
        try collection.save(document: document)
        let read = try collection.document(id: "doc")?.blob(forKey: "blob")
        #expect(read?.content?.count == 10_000)
    }

    @Test func `maintenance inside a batch throws and does not break later reads`() throws {
        for type: MaintenanceType in [
            .compact, .reindex, .integrityCheck, .optimize, .fullOptimize,
        ] {
            let home = try TemporaryDatabase()
            let collection = try home.collection
            try home.database.inBatch {
                try collection.save(document: MutableDocument(id: "doc"))
                expect(CBLError.transactionNotClosed) {
                    try home.database.performMaintenance(type: type)
                }
                // A reader that starts and ends before the commit.
                let thread = Thread { _ = collection.count }
                thread.start()
                while !thread.isFinished { CurrentThread.yield() }
            }
            #expect(collection.count == 1)
        }
    }
}
