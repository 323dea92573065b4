import DivanRevisions
import DivanTestKit
import Glibc
import Synchronization
import Testing

// The calls of the system are the module's own.
@testable import DivanStore

/// Contents that the disk did not confirm, seen by those who did not ask it.
@Suite struct LostBlobTests {
    private final class Disk: Sendable {
        let fails = Atomic(false)
        let failsToOpen = Atomic(false)
        let failsToRead = Atomic(false)

        var calls: BlobCalls {
            var calls = BlobCalls.system
            calls.open = { path, flags in
                guard self.failsToOpen.load(ordering: .relaxed) else {
                    return BlobCalls.system.open(path, flags)
                }
                errno = EMFILE
                return -1
            }
            calls.read = { descriptor, room, offset in
                guard self.failsToRead.load(ordering: .relaxed) else {
                    return BlobCalls.system.read(descriptor, room, offset)
                }
                errno = EIO
                return -1
            }
            let fails: @Sendable () -> Int32 = {
                guard self.fails.load(ordering: .relaxed) else { return 0 }
                errno = EIO
                return -1
            }
            calls.sync = { _ in fails() }
            calls.syncAll = { _ in fails() }
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

    /// Opens the database, which is closed, once more, on a disk that fails in some way.
    private func reopened() throws -> Store {
        let path = home.file("a.cblite2")
        return try Store.open(directory: path, options: StoreOptions(), calls: disk.calls)
    }

    /// Takes the names of contents away, as a power cut between a commit and the renaming does.
    private func leavePending(_ digests: [BlobDigest]) throws {
        try store.close()
        let blobs = home.file("a.cblite2/Attachments/")
        for name in digests.map(\.fileName) {
            #expect(rename(blobs + name, blobs + "pending_" + name) == 0)
        }
    }

    private func save(_ id: DocumentID, naming digest: BlobDigest) throws -> StoreError.Code? {
        let body = #"{"file":{"@type":"blob","digest":"\#(digest)"}}"#
        let revision = LocalRevision(id, body: Array(body.utf8), hasBlobs: true)
        return try refusal { _ = try store.save(revision, in: .default) }
    }

    @Test(arguments: [1, StoreLimits.singlySyncedBlobCount + 1])
    func `a content that another one's failure took along is not named by a document`(
        othersCount: Int
    ) throws {
        let mine = Array("mine".utf8)
        let digest = BlobDigest(hashing: mine.span)
        let hold = store.blobs.hold(digest)
        _ = try store.blobs.write(mine)
        var theirs = digest
        for number in 0..<othersCount { theirs = try store.blobs.write(Array("\(number)".utf8)) }
        disk.fails.store(true, ordering: .relaxed)
        #expect(try save("theirs", naming: theirs) == .io(EIO))
        disk.fails.store(false, ordering: .relaxed)
        // Nothing is here to be brought to the disk any more.
        #expect(try save("mine", naming: digest) == .io(EIO))
        #expect(try store.read { try $0.count(in: .default) } == 0)

        _ = try store.blobs.write(mine)
        #expect(try save("mine", naming: digest) == nil)
        #expect(try store.blobs.read(digest) == mine)
        withExtendedLifetime(hold) {}
        try store.checkIntegrity()
        try store.close()
    }

    @Test func `a content that nobody waits for any more keeps no other from being named`() throws {
        let lost = try store.blobs.write(Array("lost".utf8))
        disk.fails.store(true, ordering: .relaxed)
        #expect(try save("lost", naming: lost) == .io(EIO))
        disk.fails.store(false, ordering: .relaxed)
        let other = try store.blobs.write(Array("other".utf8))
        #expect(try save("other", naming: other) == nil)
        try store.close()
    }

    @Test(arguments: [1, StoreLimits.singlySyncedBlobCount + 1])
    func `what a crash left without a name is there also where the disk does not confirm it`(
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

    @Test func `a content that cannot be read keeps no database from being opened`() throws {
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
        // One that nobody names any more goes like others.
        try again.write { _ = try $0.purge("b", in: .default) }
        #expect(try again.compact().removedCount == 2)
        #expect(try again.blobs.shelf.contents().digests == [digests[0]])
        try again.close()
    }

    @Test func `a process without descriptors loses no content`() throws {
        let mine = Array("mine".utf8)
        let digest = try store.blobs.write(mine)
        let other = try store.blobs.write(Array("other".utf8))
        disk.failsToOpen.store(true, ordering: .relaxed)
        #expect(try save("mine", naming: digest) == .io(EMFILE))
        disk.failsToOpen.store(false, ordering: .relaxed)
        #expect(store.blobs.contains(other))
        #expect(try save("mine", naming: digest) == nil)
        #expect(try store.blobs.read(digest) == mine)
        try store.close()
    }
}
