import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Blobs that arrive in several attempts.
@Suite struct PartialBlobTests {
    private let directory: TemporaryDirectory
    private let content = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> Store { try Store.open(directory: directory.file("a.cblite2")) }

    private func names(_ store: Store) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: try #require(store.blobs.directory))
    }

    @Test func `a partial blob survives closing the database and can be completed`() throws {
        let digest = BlobDigest(hashing: content.span)
        var store = try open()
        var writer: BlobWriter? = try store.blobs.writer(resuming: digest)
        #expect(writer?.byteCount == 0)
        try writer?.append(Array(content[..<100_000]).span)
        writer = nil
        #expect(!store.blobs.contains(digest))
        try store.close()

        store = try open()
        let rest = try store.blobs.writer(resuming: digest)
        #expect(rest.byteCount == 100_000)
        try rest.append(Array(content[100_000...]).span)
        #expect(try rest.finish(expected: digest) == digest)
        #expect(try store.blobs.read(digest) == content)
        #expect(try names(store).allSatisfy { !$0.hasPrefix("partial_") })
        try store.close()
    }

    @Test func `a long partial blob is continued, and a change to it is detected at the end`()
        throws
    {
        let content = Array([[UInt8]](repeating: content, count: 10).joined())
        let digest = BlobDigest(hashing: content.span)
        let store = try open()
        var writer: BlobWriter? = try store.blobs.writer(resuming: digest)
        try writer?.append(Array(content[..<2_000_000]).span)
        writer = nil
        writer = try store.blobs.writer(resuming: digest)
        #expect(writer?.byteCount == 2_000_000)
        try writer?.append([7].span)
        writer = nil
        let altered = try store.blobs.writer(resuming: digest)
        #expect(altered.byteCount == 2_000_001)
        try altered.append(Array(content[2_000_001...]).span)
        #expect(throws: StoreError.self) { try altered.finish(expected: digest) }
        writer = try store.blobs.writer(resuming: digest)
        #expect(writer?.byteCount == 0)
        try writer?.append(Array(content[..<2_000_000]).span)
        writer = nil
        let rest = try store.blobs.writer(resuming: digest)
        try rest.append(Array(content[2_000_000...]).span)
        #expect(try rest.finish(expected: digest) == digest)
        #expect(try store.blobs.read(digest) == content)
        try store.close()
    }

    @Test func `a modified partial blob fails its digest and is discarded`() throws {
        let digest = BlobDigest(hashing: content.span)
        let store = try open()
        var writer: BlobWriter? = try store.blobs.writer(resuming: digest)
        try writer?.append([1, 2, 3].span)
        writer = nil
        let rest = try store.blobs.writer(resuming: digest)
        try rest.append(content.span)
        #expect(throws: StoreError.self) { try rest.finish(expected: digest) }
        #expect(try store.blobs.writer(resuming: digest).byteCount == 0)
        try store.close()
    }

    @Test func `a blob that was not downloaded is recorded for each document that references it`()
        throws
    {
        let digest = BlobDigest(hashing: content.span)
        let store = try open()
        let other = try #require(CollectionPath("other"))
        try store.createCollection(other)
        try store.write { writer in
            try writer.noteAbsent(digest, of: "a", in: .default)
            try writer.noteAbsent(digest, of: "b\nc", in: other)
            try writer.noteAbsent(digest, of: "a", in: .default)
        }
        let names = try store.read { try $0.absentBlobNames(digest) }
        #expect(names == [.init("a", in: .default), .init("b\nc", in: other)])
        try store.write { writer in
            for number in 0..<40 {
                try writer.noteAbsent(
                    digest,
                    of: DocumentID(unchecked: "\(number)"),
                    in: .default
                )
            }
        }
        let kept = try store.read { try $0.absentBlobNames(digest) }
        #expect(kept.map(\.documentID.text) == (24..<40).reversed().map { "\($0)" })
        try store.write { try $0.noteArrived(digest) }
        #expect(try store.read { try $0.absentBlobNames(digest) } == [])
        try store.close()
    }

    @Test func `two writers of the same blob do not interfere`() throws {
        let digest = BlobDigest(hashing: content.span)
        let store = try open()
        let first = try store.blobs.writer(resuming: digest)
        try first.append(Array(content[..<10]).span)
        let second = try store.blobs.writer(resuming: digest)
        #expect(second.byteCount == 0)
        try second.append(content.span)
        #expect(try second.finish(expected: digest) == digest)
        try first.append(Array(content[10...]).span)
        #expect(try first.finish(expected: digest) == digest)
        #expect(try store.blobs.read(digest) == content)
        try store.close()
    }

    @Test func `compacting keeps only partial blobs that documents reference`() throws {
        let digest = BlobDigest(hashing: content.span)
        let unused = BlobDigest(hashing: [1].span)
        let store = try open()
        for key in [digest, unused] {
            let writer = try store.blobs.writer(resuming: key)
            try writer.append([7].span)
        }
        let body = #"{"picture":{"@type":"blob","digest":"\#(digest)","length":300000}}"#
        let revision = LocalRevision("a", body: Array(body.utf8), hasBlobs: true)
        _ = try store.save(revision, in: .default)
        let collection = try store.compact()
        #expect(collection.unknownNames.isEmpty)
        #expect(try store.blobs.writer(resuming: digest).byteCount == 1)
        #expect(try store.blobs.writer(resuming: unused).byteCount == 0)
        try store.close()
    }

    /// At the end, its writer would take another part of this name for its own.
    @Test func `compacting does not disturb a partial blob that is being written`() throws {
        let digest = BlobDigest(hashing: content.span)
        let store = try open()
        let first = try store.blobs.writer(resuming: digest)
        try first.append(Array(content[..<10]).span)
        _ = try store.compact()
        let second = try store.blobs.writer(resuming: digest)
        try second.append([7].span)
        try first.append(Array(content[10...]).span)
        #expect(try first.finish(expected: digest) == digest)
        #expect(try store.blobs.read(digest) == content)
        withExtendedLifetime(second) {}
        try store.close()
    }

    @Test func `a blob that was not downloaded is not damage, but any other missing blob is`()
        throws
    {
        let store = try open()
        let digests = [[UInt8]([1]), [2]].map { BlobDigest(hashing: $0.span) }
        for (name, digest) in zip(["a", "b"], digests) {
            let body = #"{"picture":{"@type":"blob","digest":"\#(digest)","length":1}}"#
            let id = DocumentID(unchecked: name)
            let revision = LocalRevision(id, body: Array(body.utf8), hasBlobs: true)
            _ = try store.save(revision, in: .default)
        }
        #expect(try store.inspect().damages.count == 2)
        try store.write { try $0.noteAbsent(digests[0], of: "a", in: .default) }
        #expect(
            try store.inspect().damages.map(\.part) == [
                .blob(digests[1], namedBy: .init("b", in: .default))
            ]
        )
        let name = try store.read { try $0.absentBlob(digests[0]) }
        #expect(name == .init("a", in: .default))
        try store.write { try $0.noteArrived(digests[0]) }
        #expect(try store.inspect().damages.count == 2)
        try store.close()
    }

    @Test func `compacting forgets undownloaded blobs that arrived or are no longer referenced`()
        throws
    {
        let store = try open()
        let digests = [[UInt8]([1]), [2], [3]].map { BlobDigest(hashing: $0.span) }
        for (name, digest) in zip(["a", "b", "c"], digests) {
            let body = #"{"picture":{"@type":"blob","digest":"\#(digest)","length":1}}"#
            let id = DocumentID(unchecked: name)
            let revision = LocalRevision(id, body: Array(body.utf8), hasBlobs: true)
            _ = try store.save(revision, in: .default)
            try store.write { try $0.noteAbsent(digest, of: id, in: .default) }
        }
        _ = try store.blobs.write([2])
        try store.write { _ = try $0.purge("c", in: .default) }
        try store.compact()
        let kept = try store.read { reader in try digests.map { try reader.absentBlob($0) != nil } }
        #expect(kept == [true, false, false])
        try store.close()
    }

    @Test func `an encrypted database keeps no partial blobs and accepts only complete ones`()
        throws
    {
        let digest = BlobDigest(hashing: content.span)
        let store = try Store.open(
            directory: directory.file("sealed.cblite2"),
            options: StoreOptions(sealing: try TestSealing(7))
        )
        var writer: BlobWriter? = try store.blobs.writer(resuming: digest)
        try writer?.append(Array(content[..<100_000]).span)
        writer = nil
        #expect(try names(store).isEmpty)

        let whole = try store.blobs.writer(resuming: digest)
        #expect(whole.byteCount == 0)
        try whole.append(content.span)
        #expect(try whole.finish(expected: digest) == digest)
        #expect(try store.blobs.read(digest) == content)
        try store.close()
    }

    @Test func `the key can be changed only when no partial blob is being written`() throws {
        let digest = BlobDigest(hashing: content.span)
        let store = try open()
        var writer: BlobWriter? = try store.blobs.writer(resuming: digest)
        try writer?.append(Array(content[..<10]).span)
        #expect(throws: StoreError.self) { try store.changeSealing(to: try TestSealing(7)) }
        writer = nil
        let rest = try store.blobs.writer(resuming: digest)
        try rest.append(Array(content[10...]).span)
        #expect(try rest.finish(expected: digest) == digest)

        try store.changeSealing(to: try TestSealing(7))
        #expect(try store.blobs.read(digest) == content)
        try store.close()
    }

    @Test func `a rebuilt database still knows which blobs were not downloaded`() throws {
        let digest = BlobDigest(hashing: content.span)
        let path = directory.file("a.cblite2")
        var store = try open()
        try store.write { try $0.noteAbsent(digest, of: "a", in: .default) }
        try store.close()
        _ = try Store.rebuild(
            directory: path,
            by: directory.file("b.cblite2"),
            keepingOldAt: { directory.file("old-\($0).cblite2") },
            options: StoreOptions(),
            completing: { _ in }
        )
        store = try open()
        #expect(try store.read { try $0.absentBlob(digest) } == .init("a", in: .default))
        try store.close()
    }
}
