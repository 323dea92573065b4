import DivanRevisions
import Testing

@testable import DivanDatabase
// The inspector is internal to the module.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// What an inspection says while others change the database.
@Suite struct InspectionTests {
    /// Lists a blob that a compaction removes before it is read.
    private struct EmptiedBlobStorage: BlobStorage {
        let removed: BlobDigest
        private let rest = BlobMemory()

        var directory: String? { nil }
        func byteCount(_ digest: BlobDigest) -> Int? { rest.byteCount(digest) }
        func source(_ digest: BlobDigest) throws(StoreError) -> any BlobSource {
            try rest.source(digest)
        }
        func sink() throws(StoreError) -> any BlobSink { try rest.sink() }
        func settle() throws(StoreError) {}
        func remove(_ digest: BlobDigest) throws(StoreError) {}
        func contents() throws(StoreError) -> (digests: [BlobDigest], unknownNames: [String]) {
            ([removed], [])
        }
    }

    @Test func `a blob removed by compacting during an inspection is not damage`() throws {
        let digest = BlobDigest(hashing: [1, 2, 3].span)
        let inspector = Inspector()
        let blobs = BlobStore(EmptiedBlobStorage(removed: digest))
        try inspector.inspectBlobs(blobs, absent: []) { [] }
        #expect(inspector.inspection.damages == [])
    }
}
