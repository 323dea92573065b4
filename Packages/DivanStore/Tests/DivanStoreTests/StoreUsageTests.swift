import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// What a database takes, by collection and kind.
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

    @Test func `bodies, histories and tombstones are told apart`() throws {
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

    @Test func `a store in memory tells what it knows`() throws {
        let store = Store.inMemory()
        try fill(store)
        let usage = try store.usage()
        #expect(usage.collections.first?.documentCount == 50)
        #expect(usage.collections.first?.indexByteCount == nil)
        #expect(usage.fileByteCount == 0)
    }
}
