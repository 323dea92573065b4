import Divan
import Foundation
import Synchronization
import Testing

/// `behaviour.md` §2: `inBatch`.
@Suite struct BatchTests {
    private struct Mishap: Error, CustomStringConvertible {
        let description = "the milk boiled over"
    }

    let home: TemporaryDatabase
    let collection: Divan.Collection

    init() throws {
        home = try TemporaryDatabase()
        collection = try home.collection
    }

    private func save(_ id: String) throws {
        try collection.save(document: MutableDocument(id: id))
    }

    private func isOpen(_ collection: Divan.Collection) -> Bool {
        do {
            _ = try collection.document(id: "x")
            return true
        } catch {
            return false
        }
    }

    @Test
    func `another database with a replicator is closed after the batch, not inside`()
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

    @Test func `a batch stores everything`() throws {
        try home.database.inBatch {
            for index in 0..<20 { try save("doc \(index)") }
        }
        #expect(collection.count == 20)
    }

    @Test func `a batch is seen through other objects of the file on its thread alone`() throws {
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

    @Test func `a collection that was deleted twice in a batch lives when that is undone`() throws {
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
    func `other threads see the old collection until a batch has replaced it`(
        isUndone: Bool
    ) throws {
        let database = home.database
        let old = try database.createCollection(name: "c")
        let hasSeenOld = Mutex(false)
        var new: Divan.Collection?
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

    @Test func `an object of a collection that is deleted is dead, however old its snapshot`()
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

    @Test func `an error undoes the batch and arrives wrapped`() throws {
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

    @Test func `batches nest`() throws {
        try home.database.inBatch {
            try save("outer")
            try home.database.inBatch { try save("inner") }
        }
        #expect(collection.count == 2)
    }

    @Test func `an error in an inner batch undoes the outer one`() throws {
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

    @Test func `an inner batch's error that was caught ends the outer one, wrapped`() throws {
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

    @Test func `failOnConflict inside a batch returns false and spares the batch`() throws {
        try save("doc")
        try home.database.inBatch {
            let rival = MutableDocument(id: "doc", data: ["n": 2])
            #expect(try !collection.save(document: rival, concurrencyControl: .failOnConflict))
            try save("other")
        }
        #expect(collection.count == 2)
    }

    @Test func `collections made in a failed batch are gone`() throws {
        expect(CBLError.unexpectedError) {
            try home.database.inBatch {
                _ = try home.database.createCollection(name: "brief")
                throw Mishap()
            }
        }
        #expect(try home.database.collection(name: "brief") == nil)
    }

    @Test func `a batch keeps other threads' writes out`() throws {
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
        #expect(done.wait(timeout: .now() + 5) == .success)
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

    @Test func `a document is after an undone batch what it was before`() throws {
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

    @Test func `a revision read inside an undone batch is in conflict with what is stored`() throws
    {
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

    @Test func `deleting and purging are undone with their batch`() throws {
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

    @Test func `what an earlier batch committed is kept when a later one is undone`() throws {
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

    @Test func `a collection whose deletion is undone lives on`() throws {
        let people = try home.database.createCollection(name: "people")
        try people.save(document: MutableDocument(id: "ada"))
        undoneBatch { try home.database.deleteCollection(name: "people") }
        #expect(try people.document(id: "ada") != nil)
        try home.database.inBatch { try home.database.deleteCollection(name: "people") }
        expect(CBLError.notOpen) { _ = try people.document(id: "ada") }
    }

    @Test func `a blob of an undone batch is stored again by the next save`() throws {
        let blob = Blob(contentType: "text/plain", data: Data(count: 10_000))
        let document = MutableDocument(id: "doc").setBlob(blob, forKey: "blob")
        undoneBatch { try collection.save(document: document) }
        try home.database.performMaintenance(type: .compact)
        try collection.save(document: document)
        let read = try collection.document(id: "doc")?.blob(forKey: "blob")
        #expect(read?.content?.count == 10_000)
    }

    @Test func `maintenance inside a batch throws, and leaves no reader behind`() throws {
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
                while !thread.isFinished { sched_yield() }
            }
            #expect(collection.count == 1)
        }
    }
}
