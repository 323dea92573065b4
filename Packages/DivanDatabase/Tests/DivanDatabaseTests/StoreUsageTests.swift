import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// The space that a database takes, by collection and kind.
@Suite struct StoreUsageTests {
    private func fill(_ store: Store) throws {
        for number in 0..<50 {
            let body = Array(
                #"{"n":\#(number),"text":"\#(String(repeating: "x", count: 500))"}"#.utf8
            )
            try store.write { writer in
                _ = try writer.save(
                    DocumentID(unchecked: "doc-\(number)"),
                    in: .default,
                    body: body
                )
            }
        }
    }

    @Test func `bodies, histories and tombstones are counted separately`() throws {
        let folder = try TemporaryDirectory()
        let store = try Store.open(
            directory: folder.file("db.cblite2"),
            options: StoreOptions(create: true)
        )
        defer { try? store.close() }
        try fill(store)
        let first = try #require(try store.usage().collections.first)
        #expect(first.documentCount == 50 && first.tombstoneCount == 0)
        #expect(first.bodyByteCount > 25_000 && first.largestBodyByteCount > 500)
        #expect(first.indexByteCount ?? 1 > 0)
        try fill(store)
        _ = try store.write { writer in
            let id = DocumentID(unchecked: "doc-0")
            let current = try writer.document(id, in: .default)
            return try writer.save(
                id,
                in: .default,
                body: Array("{}".utf8),
                isTombstone: true,
                parent: .revision(current?.revisionID)
            )
        }
        let usage = try store.usage()
        let second = try #require(usage.collections.first)
        #expect(second.documentCount == 49 && second.tombstoneCount == 1)
        #expect(second.historyByteCount > first.historyByteCount)
        #expect(usage.fileByteCount + usage.logByteCount > 25_000)
        #expect(usage.blobs.count == 0 && usage.unusedBlobs.count == 0)
    }

    @Test func `a damaged document is counted separately from the others`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("db.cblite2")
        let options = StoreOptions(create: true)
        let store = try Store.open(directory: path, options: options)
        try fill(store)
        let digest = try store.blobs.write([1])
        let body = #"{"file":{"@type":"blob","digest":"\#(digest)"},"text":"sound"}"#
        let revision = LocalRevision("broken", body: Array(body.utf8), hasBlobs: true)
        _ = try store.save(revision, in: .default)
        try store.close()
        var bytes = try contents(path + "/db.sqlite3")
        let place = try #require(bytes.firstRange(of: Array("sound".utf8)))
        bytes[place.lowerBound] ^= 1
        try write(bytes, to: path + "/db.sqlite3")

        let damaged = try Store.open(directory: path, options: options)
        defer { try? damaged.close() }
        let usage = try damaged.usage()
        let collection = try #require(usage.collections.first)
        #expect(collection.damagedCount == 1 && collection.documentCount == 50)
        #expect(collection.blobCount == 0 && usage.blobs.count == 1)
    }

    @Test func `a body that is not JSON is counted as damaged`() throws {
        let store = Store.inMemory()
        try fill(store)
        let revision = LocalRevision("broken", body: Array("{not JSON".utf8), hasBlobs: true)
        _ = try store.save(revision, in: .default)
        let collection = try #require(try store.usage().collections.first)
        #expect(collection.damagedCount == 1 && collection.documentCount == 50)
    }

    @Test func `an in-memory store reports document counts but no file sizes`() throws {
        let store = Store.inMemory()
        try fill(store)
        let usage = try store.usage()
        #expect(usage.collections.first?.documentCount == 50)
        #expect(usage.collections.first?.indexByteCount == nil)
        #expect(usage.fileByteCount == 0)
    }
}
