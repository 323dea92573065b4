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
    @Test func `what a broken disk did not take is pushed again when it is mended`() throws {
        let disk = FailingDisk()
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
        let disk = FailingDisk()
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
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        var server = try Counterpart.server(site, .init(pushes: false, isContinuous: true))
        try server.answer("subChanges")
        disk.isUnreadable.store(true, ordering: .relaxed)
        let refusal = server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        #expect(refusal?.error?.message == "Input/output error (errno 5); check the file system")
        let here = SyncError(storage: StoreError(.io(5), at: "/home/ann/letters.cblite2"))
        #expect(here.description.contains("/home/ann/letters.cblite2"), "its owner is told")
    }

    /// What the peer has in its place is looked up in the store.
    @Test func `a push that cannot be judged for a broken disk ends, and does not wait`() throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        for number in 0..<3 { try site.save(DocumentID(unchecked: "\(number)"), "{}") }
        var server = try Counterpart.server(site, .init(pulls: false))
        disk.isUnreadable.store(true, ordering: .relaxed)
        try server.answer("proposeChanges", "[0,409,0]")
        #expect(server.closeCode == 1011)
        #expect(server.error?.message.contains("errno 5") == true)
    }

    @Test func `what the peer has is asked for again when it could not be noted`() throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        try site.save("a", "{}")
        var server = try Counterpart.server(site, .init(pulls: false))
        disk.isBroken.store(true, ordering: .relaxed)
        try server.answer("proposeChanges", "[304]")
        #expect(server.closeCode == 4001)
        #expect(server.error?.wireCode == .close(.init(rawValue: 4_001)))
        #expect(server.error?.isTransient == true, "another connection follows")
        #expect(server.error?.message.contains("errno 5") == true)
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
    }

    @Test func `a pulled revision that could not be stored comes with another connection`() throws {
        let disk = FailingDisk()
        let here = try Site(Store(engine: disk))
        let there = try Site()
        try there.save("a", "{}")
        var server = try Counterpart.server(here, .init(pushes: false, isContinuous: true))
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        disk.isBroken.store(true, ordering: .relaxed)
        let revision: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "1-aa", "sequence": "1",
        ]
        #expect(server.ask("rev", revision, "{}")?.error?.code == 503)
        #expect(server.closeCode == 4001 && server.error?.isTransient == true)
        disk.isBroken.store(false, ordering: .relaxed)
        #expect(Conversation.oneShot(.init(pushes: false), here, there).transfers == ["pull a"])
    }

    @Test func `a loss that could not be stored is refused, told, and comes again`() throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        try site.put("lost", ["1-aa"], #"{"mine":1}"#)
        var server = try Counterpart.server(site, .init(pushes: false, isContinuous: true))
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[5,"lost","2-bb"]]"#)
        disk.isBroken.store(true, ordering: .relaxed)
        let removal: BLIPProperties = [
            "collection": "0", "id": "lost", "rev": "2-bb", "sequence": "5",
        ]
        #expect(server.ask("rev", removal, #"{"_removed":true}"#)?.error?.code == 503)
        #expect(server.events.map(\.flags) == [.accessRemoved])
        #expect(server.events.map { $0.error == nil } == [false])
        #expect(server.closeCode == 4001)
        #expect(server.peer.waits(at: .zero).isEmpty, "nothing is waited for")
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
        disk.isBroken.store(false, ordering: .relaxed)
        #expect(try site.body("lost") != nil)
    }
}
