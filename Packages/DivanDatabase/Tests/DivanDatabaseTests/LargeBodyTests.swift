import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

@testable import DivanDatabase
// A salvage is internal to the module.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Bodies that are longer than a parser accepts by default, and shorter than what can be stored.
@Suite struct LargeBodyTests {
    /// A body with `member` and a text that makes it too long for the parser's default limit.
    private func body(_ member: String) -> [UInt8] {
        let filler = [UInt8](repeating: UInt8(ascii: "x"), count: JSONLimits.default.byteCount)
        return Array("{\(member),\"text\":\"".utf8) + filler + Array("\"}".utf8)
    }

    @Test func `a document larger than 64 MiB passes the check, keeps its blob and is recovered`()
        throws
    {
        let home = try TemporaryDirectory()
        let directory = home.file("a.cblite2")
        let store = try Store.open(directory: directory)
        let digest = try store.blobs.write([1, 2, 3])
        let body = body(#""blob":{"@type":"blob","digest":"\#(digest)"}"#)
        _ = try store.save(LocalRevision("a", body: body, hasBlobs: true), in: .default)
        try store.checkIntegrity()
        #expect(try store.compact().removedCount == 0)
        try store.close()

        let salvage = try Store.rebuild(
            directory: directory,
            by: home.file("new.cblite2"),
            keepingOldAt: { home.file("old-\($0).cblite2") },
            options: StoreOptions(),
            completing: { _ in }
        )
        #expect(salvage.losses == [] && salvage.documentCount == 1)
        #expect(QueryValue.container(body).json?["blob"]?["@type"] == "blob")
    }

    @Test func `a reserved key is found in a document larger than 64 MiB`() throws {
        let store = Store.inMemory()
        let revision = LocalRevision("a", body: body(#""_id":"b""#))
        let code = try refusal { _ = try store.save(revision, in: .default) }
        #expect(code == .forbiddenKey(documentID: "a", key: "_id"))
        try store.close()
    }
}
