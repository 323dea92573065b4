import DivanBLIP
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanReplicator

/// A peer whose disk fails has not processed what it was sent: it must be sent again.
///
/// Source: `errors.md` §5, §7.
@Suite struct DiskTests {
    @Test func `documents refused because of a disk error are pushed again after the repair`()
        throws
    {
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

    @Test
    func
        `a list that could not be checked because of a disk error does not advance the checkpoint`()
        throws
    {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        var server = try subscribed(site)
        disk.isUnreadable.store(true, ordering: .relaxed)
        let refusal = server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        #expect(refusal?.error?.code == 503)
        expectAnotherConnection(server)
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
        disk.isUnreadable.store(false, ordering: .relaxed)
        let there = try Site()
        try there.save("a", "{}")
        let mended = Conversation.oneShot(.init(pushes: false), site, there)
        #expect(mended.transfers == ["pull a"])
    }

    /// The server for a puller, with the subscription answered.
    private func subscribed(_ site: Site) throws -> Counterpart {
        var server = try Counterpart.server(site, .init(pushes: false, isContinuous: true))
        try server.answer("subChanges")
        return server
    }

    /// Until there is another connection, nothing is requested or read again.
    private func expectAnotherConnection(_ counterpart: Counterpart) {
        #expect(counterpart.closeCode == 4001)
        #expect(counterpart.error?.isTransient == true)
        #expect(counterpart.error?.message.contains("errno 5") == true)
    }

    @Test(arguments: [true, false])
    func `a temporary read error of the changes feed ends only the connection`(
        isActive: Bool
    ) throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        let options = Conversation.Options(isContinuous: true)
        var counterpart: Counterpart
        if isActive {
            counterpart = try Counterpart.server(site, options)
            try counterpart.answer("subChanges")
        } else {
            counterpart = Counterpart.client(site, options)
            counterpart.ask("subChanges", ["collection": "0", "continuous": "true"])
        }
        #expect(counterpart.closeCode == nil)
        try site.save("a", "{}")
        disk.isUnreadable.store(true, ordering: .relaxed)
        for change in site.takeChanges() { counterpart.peer.storeChanged(change, at: .zero) }
        counterpart.exchange()
        expectAnotherConnection(counterpart)
    }

    @Test func `a resolved conflict that temporarily cannot be read is retried`() throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        try site.put("a", ["1-aa"], #"{"mine":1}"#)
        var server = try subscribed(site)
        server.ask("changes", ["collection": "0"], #"[[1,"a","1-bb"]]"#)
        server.ask("rev", ["collection": "0", "id": "a", "rev": "1-bb", "sequence": "1"], "{}")
        disk.isUnreadable.store(true, ordering: .relaxed)
        let conflict = PendingConflict(collection: .default, documentID: "a")
        server.peer.conflictResolved(conflict, error: nil, at: .zero)
        server.exchange()
        expectAnotherConnection(server)
    }

    @Test func `a replication that temporarily cannot start is retried`() throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        try site.save("a", "{}")
        let options = Conversation.Options(isContinuous: true)
        _ = try site.store.remoteID(for: options.remoteIdentity)
        disk.isUnreadable.store(true, ordering: .relaxed)
        expectAnotherConnection(Counterpart(options.active, site))
    }

    /// This requires the application to act.
    @Test func `a replication of a closed database is not retried`() throws {
        let site = try Site()
        let options = Conversation.Options(isContinuous: true)
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        try site.save("a", "{}")
        let changes = site.takeChanges()
        try site.store.close()
        for change in changes { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        #expect(server.closeCode == 1011)
        #expect(server.error?.wireCode == .liteCore(.notOpen))
    }

    /// Anyone who may connect can learn that the disk is broken, but neither where it is nor whose.
    @Test func `a peer does not get the path of the database`() throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        var server = try subscribed(site)
        disk.isUnreadable.store(true, ordering: .relaxed)
        let refusal = server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        #expect(refusal?.error?.message == "Input/output error (errno 5); check the file system")
        let here = SyncError(storage: StoreError(.io(5), at: "/home/ann/letters.cblite2"))
        #expect(here.description.contains("/home/ann/letters.cblite2"), "its owner is told")
    }

    /// The peer's revision is looked up in the store.
    @Test func `a push that needs an unreadable revision ends instead of waiting`() throws {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        for number in 0..<3 { try site.save(DocumentID(unchecked: "\(number)"), "{}") }
        var server = try Counterpart.server(site, .init(pulls: false))
        disk.isUnreadable.store(true, ordering: .relaxed)
        try server.answer("proposeChanges", "[0,409,0]")
        expectAnotherConnection(server)
    }

    @Test func `a peer revision that could not be recorded is asked for again`() throws {
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

    @Test func `a pulled revision that could not be stored is pulled again on another connection`()
        throws
    {
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

    @Test func `a blob that could not be stored is fetched again on another connection`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("a.cblite2")
        let here = try Site(try Store.open(directory: path))
        defer { try? here.store.close() }
        let there = try Site()
        let content = Array("a photo".utf8)
        let digest = try there.saveBlob("a", content)
        let options = Conversation.Options(pushes: false, isContinuous: true)
        var server = try Counterpart.server(here, options)
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        server.ask(
            "rev",
            ["collection": "0", "id": "a", "rev": "1-aa", "sequence": "1"],
            Site.blobBody(digest, content.count, "image/png")
        )
        let blobs = URL(filePath: path + "/Attachments")
        try FileManager.default.removeItem(at: blobs)
        try Data().write(to: blobs)
        try server.answer("getAttachment", bytes: content)
        #expect(server.closeCode == 4001 && server.error?.isTransient == true)
        #expect(server.events.map { $0.error == nil } == [false])
        try FileManager.default.removeItem(at: blobs)
        try FileManager.default.createDirectory(at: blobs, withIntermediateDirectories: true)
        let mended = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(mended.transfers == ["pull a"])
    }

    @Test func `an access removal that could not be stored is refused, reported and sent again`()
        throws
    {
        let disk = FailingDisk()
        let site = try Site(Store(engine: disk))
        try site.put("lost", ["1-aa"], #"{"mine":1}"#)
        var server = try subscribed(site)
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
