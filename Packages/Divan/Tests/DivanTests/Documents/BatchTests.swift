import Divan
import Foundation
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

    @Test func `a batch stores everything`() throws {
        try home.database.inBatch {
            for index in 0..<20 { try save("doc \(index)") }
        }
        #expect(collection.count == 20)
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
            #expect(error.localizedDescription.contains("the milk boiled over"))
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
}
