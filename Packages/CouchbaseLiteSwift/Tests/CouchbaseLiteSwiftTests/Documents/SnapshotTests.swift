import CouchbaseLiteSwift
import Foundation
import Testing

/// Reading a database as of one moment, and reading documents as stored.
@Suite struct SnapshotTests {
    let home: TemporaryDatabase
    var database: Database { home.database }

    init() throws {
        home = try TemporaryDatabase()
    }

    /// More documents than one page.
    private func fill(_ collection: CouchbaseLiteSwift.Collection, _ count: Int = 600) throws {
        try database.inBatch {
            for number in 0..<count {
                let id = "doc-\(String(1_000 + number))"
                try collection.save(document: MutableDocument(id: id, data: ["n": number]))
            }
        }
    }

    @Test func `a snapshot contains every document in order and no later changes`() throws {
        let collection = try home.collection
        try fill(collection)
        try database.withSnapshot { snapshot in
            try collection.purge(id: "doc-1599")
            try collection.save(document: MutableDocument(id: "late", data: [:]))
            var ids: [String] = []
            try snapshot.forEachDocument(of: collection) { document in
                #expect(document.int(forKey: "n") == ids.count)
                ids.append(document.id)
            }
            #expect(ids == (1_000..<1_600).map { "doc-\($0)" })
            #expect(try snapshot.count(of: collection) == 600)
            #expect(try snapshot.lastSequence(of: collection) == 600)
            #expect(try snapshot.collections() == [collection])
        }
        #expect(try collection.lastSequence == 601)
    }

    @Test func `a snapshot lists changes since a sequence, including deletions`() throws {
        let collection = try home.collection
        try fill(collection, 300)
        try collection.delete(document: try #require(try collection.document(id: "doc-1007")))
        var changes: [ChangedDocument] = []
        try database.withSnapshot { snapshot in
            try snapshot.forEachChange(of: collection, since: 20) { changes.append($0) }
        }
        #expect(changes.map(\.sequence) == Array(21...301))
        #expect(changes.last?.id == "doc-1007")
        #expect(changes.filter(\.isDeleted).count == 1)
    }

    @Test func `damaged changes are reported, and the others are still listed`() throws {
        let collection = try home.collection
        try fill(collection, 300)
        let file = URL(filePath: try #require(database.path) + "db.sqlite3")
        try database.performMaintenance(type: .compact)
        try database.close()
        var bytes = try Data(contentsOf: file)
        for number in [100, 299] {
            let place = try #require(bytes.range(of: Data(#"{"n":\#(number)}"#.utf8)))
            bytes[place.lowerBound + 5] ^= 1
        }
        try bytes.write(to: file)
        let again = try home.reopened()
        defer { try? again.close() }
        var (damaged, told) = ([String](), [String]())
        try again.withSnapshot { snapshot in
            try snapshot.forEachChange(
                of: again.defaultCollection(),
                since: 20,
                damaged: { id, _ in damaged.append(id) },
                { told.append($0.id) }
            )
        }
        #expect(damaged == ["doc-1100", "doc-1299"])
        #expect(told.count == 278 && !told.contains("doc-1100"))
    }

    @Test func `inside a batch a snapshot includes the batch's own changes`() throws {
        let collection = try home.collection
        try database.inBatch {
            try fill(collection, 3)
            let count = try database.withSnapshot { try $0.count(of: collection) }
            #expect(count == 3)
        }
    }

    @Test func `a snapshot ends with its closure and passes on its errors`() throws {
        let collection = try home.collection
        let kept = try database.withSnapshot { $0 }
        expect(CBLError.notOpen) { _ = try kept.count(of: collection) }
        #expect(throws: CancellationError.self) {
            try database.withSnapshot { _ in throw CancellationError() }
        }
        try database.close()
        expect(CBLError.notOpen) { try database.withSnapshot { _ in } }
    }

    @Test func `storedJSON returns the body as stored`() throws {
        let collection = try home.collection
        let document = try MutableDocument(id: "a", json: #"{"b":[1,2.5],"a":"é"}"#)
        #expect(document.storedJSON == nil)
        try collection.save(document: document)
        let stored = try #require(try collection.document(id: "a")?.storedJSON)
        #expect(String(decoding: stored, as: UTF8.self) == #"{"a":"é","b":[1,2.5]}"#)
    }

    @Test func `blobs with the same content are counted once`() throws {
        let collection = try home.collection
        #expect(try database.blobUsage().count == 0)
        for id in ["a", "b"] {
            let document = MutableDocument(id: id)
            document.setBlob(Blob(contentType: "text/plain", data: Data("soup".utf8)), forKey: "x")
            try collection.save(document: document)
        }
        let usage = try database.blobUsage()
        #expect((usage.count, usage.byteCount) == (1, 4))
    }

    @Test func `a database reports its revision scheme`() throws {
        #expect(database.revisionScheme == .revisionTrees)
        try database.close()
        var config = DatabaseConfiguration.in(home.directory)
        config.revisionScheme = .versionVectors
        let other = try Database(name: "db", config: config)
        #expect(other.revisionScheme == .versionVectors)
        try other.close()
    }
}
