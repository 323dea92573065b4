import DivanPlatform
import DivanRevisions
import DivanTestKit
import Synchronization
import Testing

@testable import DivanDatabase
// The system calls are internal to the module.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Blobs that the disk did not confirm, as seen by those who did not request the sync.
@Suite struct LostBlobTests {
    private final class Disk: Sendable {
        let fails = Atomic(false)
        let failsToOpen = Atomic(false)
        let failsToRead = Atomic(false)
        let isFull = Atomic(false)

        var calls: BlobCalls {
            var calls = BlobCalls.system
            calls.open = { path, flags throws(SystemError) in
                guard self.failsToOpen.load(ordering: .relaxed) else {
                    return try BlobCalls.system.open(path, flags)
                }
                throw SystemError("open", .tooManyOpenFiles)
            }
            calls.read = { descriptor, room, offset throws(SystemError) in
                guard self.failsToRead.load(ordering: .relaxed) else {
                    return try BlobCalls.system.read(descriptor, room, offset)
                }
                throw SystemError("pread", .ioError)
            }
            calls.write = { descriptor, bytes throws(SystemError) in
                guard self.isFull.load(ordering: .relaxed), bytes.count < 128 << 10 else {
                    return try BlobCalls.system.write(descriptor, bytes)
                }
                throw SystemError("write", .noSpace)
            }
            calls.sync = { _ throws(SystemError) in
                if self.fails.load(ordering: .relaxed) { throw SystemError("fsync", .ioError) }
            }
            calls.syncAll = calls.sync
            return calls
        }
    }

    private let home: TemporaryDirectory
    private let disk = Disk()
    private let store: Store

    init() throws {
        home = try TemporaryDirectory()
        store = try Store.open(
            directory: home.file("a.cblite2"),
            options: StoreOptions(),
            calls: disk.calls
        )
    }

    /// Reopens the database, which is closed, on a disk that fails in some way.
    private func reopened() throws -> Store {
        let path = home.file("a.cblite2")
        return try Store.open(directory: path, options: StoreOptions(), calls: disk.calls)
    }

    /// Removes the final names of blobs, like a power cut between a commit and the renaming.
    private func leavePending(_ digests: [BlobDigest]) throws {
        try store.close()
        let blobs = home.file("a.cblite2/Attachments/")
        for name in digests.map(\.fileName) {
            try FileSystem.rename(blobs + name, to: blobs + "pending_" + name)
        }
    }

    private func save(_ id: DocumentID, naming digest: BlobDigest) throws -> StoreError.Code? {
        let body = #"{"file":{"@type":"blob","digest":"\#(digest)"}}"#
        let revision = LocalRevision(id, body: Array(body.utf8), hasBlobs: true)
        return try refusal { _ = try store.save(revision, in: .default) }
    }

    @Test(arguments: [1, StoreLimits.singlySyncedBlobCount + 1])
    func `a blob whose sync failed for another save cannot be referenced by a document`(
        othersCount: Int
    ) throws {
        let mine = Array("mine".utf8)
        let digest = BlobDigest(hashing: mine.span)
        let hold = store.blobs.hold(digest)
        _ = try store.blobs.write(mine)
        var theirs = digest
        for number in 0..<othersCount { theirs = try store.blobs.write(Array("\(number)".utf8)) }
        disk.fails.store(true, ordering: .relaxed)
        #expect(try save("theirs", naming: theirs) == .io(.ioError))
        disk.fails.store(false, ordering: .relaxed)
        // Nothing is left here to be synced.
        #expect(try save("mine", naming: digest) == .io(.ioError))
        #expect(try store.read { try $0.count(in: .default) } == 0)

        _ = try store.blobs.write(mine)
        #expect(try save("mine", naming: digest) == nil)
        #expect(try store.blobs.read(digest) == mine)
        withExtendedLifetime(hold) {}
        try store.checkIntegrity()
        try store.close()
    }

    @Test func `a blob that no save needs any more does not block saves of other blobs`() throws {
        let lost = try store.blobs.write(Array("lost".utf8))
        disk.fails.store(true, ordering: .relaxed)
        #expect(try save("lost", naming: lost) == .io(.ioError))
        disk.fails.store(false, ordering: .relaxed)
        let other = try store.blobs.write(Array("other".utf8))
        #expect(try save("other", naming: other) == nil)
        try store.close()
    }

    @Test(arguments: [1, StoreLimits.singlySyncedBlobCount + 1])
    func `a blob that a crash left pending is readable even if syncing fails`(
        count: Int
    ) throws {
        let contents = (0..<count).map { Array("content \($0)".utf8) }
        let digests = try contents.map { try store.blobs.write($0) }
        for (number, digest) in digests.enumerated() {
            #expect(try save(DocumentID(unchecked: "\(number)"), naming: digest) == nil)
        }
        try leavePending(digests)
        disk.fails.store(true, ordering: .relaxed)
        let again = try reopened()
        #expect(try digests.map { try again.blobs.read($0) } == contents)
        try again.close()

        disk.fails.store(false, ordering: .relaxed)
        let last = try reopened()
        #expect(try digests.map { try last.blobs.read($0) } == contents)
        #expect(try last.inspect().damages == [])
        let names = try entries(home.file("a.cblite2/Attachments"))
        #expect(names == digests.map(\.fileName).sorted())
        try last.close()
    }

    @Test func `a blob that failed to sync once is rewritten before a document references it`()
        throws
    {
        let content = Array("content".utf8)
        let digest = try store.blobs.write(content)
        #expect(try save("first", naming: digest) == nil)
        try leavePending([digest])
        let directory = home.file("a.cblite2/Attachments/")
        func number(_ name: String) -> UInt64 {
            (try? FileStatus(of: directory + name))?.inode ?? 0
        }
        let doubtful = number("pending_" + digest.fileName)
        // The system regards what it could not write as written: the next sync reports success.
        disk.fails.store(true, ordering: .relaxed)
        let again = try reopened()
        let body = Array(#"{"file":{"@type":"blob","digest":"\#(digest)"}}"#.utf8)
        let revision = LocalRevision("second", body: body, hasBlobs: true)
        let hold = try again.blobs.writeHeld(content)
        #expect(try refusal { _ = try again.save(revision, in: .default) } == .io(.ioError))
        #expect(try again.blobs.read(digest) == content)
        disk.fails.store(false, ordering: .relaxed)
        #expect(try refusal { _ = try again.save(revision, in: .default) } == nil)
        withExtendedLifetime(hold) {}
        #expect(try again.blobs.read(digest) == content)
        #expect(try entries(directory) == [digest.fileName])
        #expect(number(digest.fileName) != doubtful)
        try again.close()
    }

    @Test func `a pending blob that cannot be rewritten on a full disk does not fail other saves`()
        throws
    {
        let left = try store.blobs.write([1, 2, 3])
        #expect(try save("first", naming: left) == nil)
        try leavePending([left])
        disk.isFull.store(true, ordering: .relaxed)
        let again = try reopened()
        // Not too long for this disk.
        let other = try again.blobs.writeHeld([UInt8](repeating: 7, count: 256 << 10))
        let body = Array(#"{"file":{"@type":"blob","digest":"\#(other.digest)"}}"#.utf8)
        _ = try again.save(LocalRevision("second", body: body, hasBlobs: true), in: .default)
        try Store.copy(directory: home.file("a.cblite2"), to: home.file("copy.cblite2"))
        let copy = try Store.open(directory: home.file("copy.cblite2"))
        #expect(try copy.blobs.read(left) == [1, 2, 3])
        #expect(try copy.inspect().damages == [])
        try copy.close()

        let hold = again.blobs.hold(left)
        let naming = Array(#"{"file":{"@type":"blob","digest":"\#(left)"}}"#.utf8)
        let third = LocalRevision("third", body: naming, hasBlobs: true)
        #expect(try refusal { _ = try again.save(third, in: .default) } == .diskFull)
        disk.isFull.store(false, ordering: .relaxed)
        _ = try again.save(third, in: .default)
        withExtendedLifetime((hold, other)) {}
        let names = try entries(home.file("a.cblite2/Attachments"))
        #expect(names == [left, other.digest].map(\.fileName).sorted())
        try again.close()
    }

    @Test func `an unreadable blob does not prevent opening the database`() throws {
        let digests = try [[1], [2]].map { try store.blobs.write($0) }
        for (id, digest) in zip(["a", "b"] as [DocumentID], digests) {
            #expect(try save(id, naming: digest) == nil)
        }
        try leavePending(digests)
        disk.failsToRead.store(true, ordering: .relaxed)
        let again = try reopened()
        #expect(throws: StoreError.self) { try again.blobs.read(digests[0]) }
        #expect(try again.inspect().damages.count == 2)
        let other = try again.blobs.write([3])
        #expect(again.blobs.contains(other))
        disk.failsToRead.store(false, ordering: .relaxed)
        #expect(try again.blobs.read(digests[0]) == [1])
        // One that is no longer referred to is removed like others.
        try again.write { _ = try $0.purge("b", in: .default) }
        #expect(try again.compact().removedCount == 2)
        #expect(try again.blobs.storage.contents().digests == [digests[0]])
        try again.close()
    }

    @Test(arguments: [false, true], [1, StoreLimits.singlySyncedBlobCount + 1])
    func `a document is stored only after the names of its blobs are synced`(
        fullSync: Bool,
        count: Int
    ) throws {
        let directory = home.file("b.cblite2/Attachments")
        let opened = Mutex<Set<FileDescriptor>>([])
        let fails = Atomic(true)
        var calls = BlobCalls.system
        calls.open = { path, flags throws(SystemError) in
            let descriptor = try BlobCalls.system.open(path, flags)
            opened.withLock { opened in
                opened.remove(descriptor)
                if path == directory { opened.insert(descriptor) }
            }
            return descriptor
        }
        // The disk accepts files, but not their names.
        calls.sync = { descriptor throws(SystemError) in
            let isDirectory = opened.withLock { $0.contains(descriptor) }
            guard isDirectory, fails.load(ordering: .relaxed) else { return }
            throw SystemError("fsync", .ioError)
        }
        calls.syncAll = calls.sync
        // The second owner requests full sync: it is the same store.
        let path = home.file("b.cblite2")
        let first = try Store.open(directory: path, options: StoreOptions(), calls: calls)
        let options = StoreOptions(fullSync: fullSync)
        let other = try Store.open(directory: path, options: options)
        let digests = try (0..<count).map { try other.blobs.write(Array("content \($0)".utf8)) }
        let list = digests.map { #"{"@type":"blob","digest":"\#($0)"}"# }.joined(separator: ",")
        let revision = LocalRevision("d", body: Array(#"{"l":[\#(list)]}"#.utf8), hasBlobs: true)
        #expect(try refusal { _ = try other.save(revision, in: .default) } == .io(.ioError))
        #expect(try other.read { try $0.count(in: .default) } == 0)
        fails.store(false, ordering: .relaxed)
        for number in 0..<count { _ = try other.blobs.write(Array("content \(number)".utf8)) }
        #expect(try refusal { _ = try other.save(revision, in: .default) } == nil)
        try other.close()
        try first.close()
        try store.close()
    }

    @Test func `a damaged blob that cannot be replaced is kept`() throws {
        // Longer than what is taken in directly: the disk's error is thrown at the end.
        let content = [UInt8](repeating: 7, count: StoreLimits.takenAtOnceByteCount + 100_000)
        let digest = try store.blobs.write(content)
        try store.blobs.settle()
        let other = Store.inMemory()
        _ = try other.blobs.write(content)
        disk.isFull.store(true, ordering: .relaxed)
        #expect(throws: StoreError.self) { try store.blobs.replace(digest, from: other.blobs) }
        #expect(store.blobs.contains(digest))
        disk.isFull.store(false, ordering: .relaxed)
        try store.blobs.replace(digest, from: other.blobs)
        #expect(try store.blobs.read(digest) == content)
        try store.close()
    }

    @Test func `a sync failure already reported to another program is not missed`() throws {
        // As Linux does: once an earlier failure was reported, a descriptor opened afterwards does not report it.
        let isTold = Atomic(false)
        let deaf = Mutex<Set<FileDescriptor>>([])
        var calls = BlobCalls.system
        calls.open = { path, flags throws(SystemError) in
            let descriptor = try BlobCalls.system.open(path, flags)
            deaf.withLock {
                $0.remove(descriptor)
                if isTold.load(ordering: .relaxed) { $0.insert(descriptor) }
            }
            return descriptor
        }
        calls.syncAll = { descriptor throws(SystemError) in
            let isDeaf = deaf.withLock { $0.contains(descriptor) }
            guard isTold.load(ordering: .relaxed), !isDeaf else { return }
            throw SystemError("syncfs", .ioError)
        }
        let path = home.file("b.cblite2")
        let other = try Store.open(directory: path, options: StoreOptions(), calls: calls)
        var digest = try other.blobs.write([])
        for number in 0...StoreLimits.singlySyncedBlobCount {
            digest = try other.blobs.write(Array("content \(number)".utf8))
        }
        isTold.store(true, ordering: .relaxed)
        let body = Array(#"{"file":{"@type":"blob","digest":"\#(digest)"}}"#.utf8)
        let revision = LocalRevision("d", body: body, hasBlobs: true)
        #expect(try refusal { _ = try other.save(revision, in: .default) } == .io(.ioError))
        try other.close()
        try store.close()
    }

    @Test func `running out of file descriptors loses no blob`() throws {
        let mine = Array("mine".utf8)
        let digest = try store.blobs.write(mine)
        let other = try store.blobs.write(Array("other".utf8))
        disk.failsToOpen.store(true, ordering: .relaxed)
        #expect(try save("mine", naming: digest) == .io(.tooManyOpenFiles))
        disk.failsToOpen.store(false, ordering: .relaxed)
        #expect(store.blobs.contains(other))
        #expect(try save("mine", naming: digest) == nil)
        #expect(try store.blobs.read(digest) == mine)
        try store.close()
    }
}
