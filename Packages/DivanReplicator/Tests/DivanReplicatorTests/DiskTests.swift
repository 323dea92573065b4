import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization
import Testing

/// A peer whose disk fails has done nothing about what it was sent: it must come again.
///
/// Source: `errors.md` §5, §7.
@Suite struct DiskTests {
    /// Memory that refuses to be written to while it is broken.
    private final class Disk: StorageEngine {
        let isBroken = Atomic<Bool>(false)
        let isUnreadable = Atomic<Bool>(false)
        private let memory = MemoryEngine()

        let isReadOnly = false

        func read<T>(_ body: (any StorageSnapshot) throws -> T) throws -> T {
            guard !isUnreadable.load(ordering: .relaxed) else {
                throw StoreError(.io(5), at: "/home/ann/letters.cblite2")
            }
            return try memory.read(body)
        }

        func write<T>(_ body: (any StorageTransaction) throws -> T) throws -> T {
            guard !isBroken.load(ordering: .relaxed) else { throw StoreError(.io(5)) }
            return try memory.write(body)
        }

        func checkIntegrity() throws(StoreError) {}
        func compact() throws(StoreError) {}
        func optimize(isThorough: Bool) throws(StoreError) {}
        func makeDurable() throws(StoreError) {}
        func syncFully() throws(StoreError) {}
        func close() {}
    }

    @Test func `what a broken disk did not take is pushed again when it is mended`() throws {
        let disk = Disk()
        let here = try Site()
        let there = try Site(Store(engine: disk))
        for number in 0..<5 { try here.save(DocumentID(unchecked: "\(number)"), "{}") }
        disk.isBroken.store(true, ordering: .relaxed)
        let failed = Conversation.oneShot(.init(), here, there)
        #expect(failed.error?.code == 503)
        #expect(try there.contents() == [:])
        disk.isBroken.store(false, ordering: .relaxed)
        let mended = Conversation.oneShot(.init(), here, there)
        #expect(mended.failures == [])
        #expect(try there.contents() == here.contents())
    }

    @Test func `a list that could not be compared with the disk holds the checkpoint back`() throws
    {
        let disk = Disk()
        let site = try Site(Store(engine: disk))
        let options = Conversation.Options(pushes: false, isContinuous: true)
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        disk.isUnreadable.store(true, ordering: .relaxed)
        let refusal = server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        #expect(refusal?.error?.code == 503)
        disk.isUnreadable.store(false, ordering: .relaxed)
        #expect(
            server.ask("changes", ["collection": "0"], #"[[2,"b","1-bb"]]"#)?.body
                == Array("[[]]".utf8)
        )
        server.ask("changes", ["collection": "0"], "null", isNoReply: true)
        server.ask("rev", ["collection": "0", "id": "b", "rev": "1-bb", "sequence": "2"], "{}")
        #expect(try site.contents().keys.sorted() == ["b"])
        for save in server.requests where save.profile == "setCheckpoint" {
            #expect(Checkpoint(json: save.body).remote == nil)
        }
    }

    /// Whoever may connect learns that the disk is broken, and neither where it is nor whose.
    @Test func `a peer is not told where the database lies`() throws {
        let disk = Disk()
        let site = try Site(Store(engine: disk))
        var server = try Counterpart.server(site, .init(pushes: false, isContinuous: true))
        try server.answer("subChanges")
        disk.isUnreadable.store(true, ordering: .relaxed)
        let refusal = server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        #expect(refusal?.error?.message == "Input/output error (errno 5); check the file system")
        let here = SyncError(storage: StoreError(.io(5), at: "/home/ann/letters.cblite2"))
        #expect(here.description.contains("/home/ann/letters.cblite2"), "its owner is told")
    }
}
