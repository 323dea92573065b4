import DivanPlatform
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// What is reported about a restoration.
@Suite struct RestorationTests {
    /// The copies are stored by then, and the caller must learn which edits they replaced.
    @Test func `a damaged blob that cannot be removed does not keep repairs from being reported`()
        throws
    {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let digest: BlobDigest
        do {
            let store = try Store.open(directory: path)
            _ = try store.save("doc-5", in: .default, body: Array(#"{"n":5}"#.utf8))
            digest = try store.blobs.write(Array("content".utf8))
            try store.close()
        }
        let folder = path + "/Attachments/"
        try FileSystem.setPermissions(0o600, of: folder + digest.fileName)
        try Data("c0ntent".utf8).write(to: URL(filePath: folder + digest.fileName))
        try StoreConnection(path: path + "/db.sqlite3", mode: .readWrite)
            .execute("UPDATE docs_1 SET body = body || ' ' WHERE documentID = 'doc-5'")
        let source = Store.inMemory()
        _ = try source.save("doc-5", in: .default, body: Array("{}".utf8))

        let store = try Store.open(directory: path)
        defer { try? store.close() }
        let inspection = try store.inspect()
        // No file of this name can be removed.
        try FileSystem.makeDirectory(
            folder + BlobDisk.pendingPrefix + digest.fileName,
            permissions: 0o700
        )
        let restoration = try store.restore(inspection, from: source)
        #expect(restoration.restoredCount == 1)
        #expect(restoration.lostRevisions.map(\.name.documentID) == ["doc-5"])
        #expect(try store.read { try $0.document("doc-5", in: .default) } != nil)
    }
}
