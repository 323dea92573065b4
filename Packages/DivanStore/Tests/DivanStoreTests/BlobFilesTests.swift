import DivanStore
import DivanTestKit
import Testing

/// Blobs in a directory, without a database.
@Suite struct BlobFilesTests {
    @Test func `blobs of a directory are there when it is opened again`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("blobs")
        let blobs = try BlobStore(directory: path, isReadOnly: false)
        let digest = try blobs.write(Array("photo".utf8))
        try blobs.settle()
        let again = try BlobStore(directory: path, isReadOnly: true)
        #expect(again.directory == path)
        #expect(try again.read(digest) == Array("photo".utf8))
        #expect(throws: StoreError(.readOnly, at: path)) { try again.write([1]) }
    }

    @Test func `a copy has every blob, and keeps those that it had`() throws {
        let home = try TemporaryDirectory()
        let (from, to) = (home.file("from"), home.file("to"))
        let source = try BlobStore(directory: from, isReadOnly: false)
        let digests = try ["one", "two"].map { try source.write(Array($0.utf8)) }
        try source.settle()
        let target = try BlobStore(directory: to, isReadOnly: false)
        let kept = try target.write([3])
        try target.settle()
        try BlobStore.copyFiles(from: (from, nil), to: (to, nil))
        let copy = try BlobStore(directory: to, isReadOnly: true)
        #expect((digests + [kept]).allSatisfy { copy.contains($0) })
        let usage = try copy.usage()
        #expect(usage.count == 3 && usage.byteCount == 7)
    }

    @Test func `a directory that does not exist has no blobs to copy`() throws {
        let home = try TemporaryDirectory()
        try BlobStore.copyFiles(from: (home.file("none"), nil), to: (home.file("to"), nil))
        #expect(home.names.isEmpty)
    }
}
