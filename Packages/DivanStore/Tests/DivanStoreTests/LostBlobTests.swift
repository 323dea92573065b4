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

        var calls: BlobCalls {
            var calls = BlobCalls.system
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
}
