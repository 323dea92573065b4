import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanTestKit
import Testing

/// Lost checkpoints, wiped databases, and other ways to start over.
@Suite struct RecoveryTests {
    private func synced() throws -> (here: Site, there: Site) {
        let (here, there) = (try Site(), try Site())
        for number in 0..<10 {
            try here.save(DocumentID(unchecked: "mine\(number)"), "{}")
            try there.save(DocumentID(unchecked: "theirs\(number)"), "{}")
        }
        _ = Conversation.oneShot(.init(), here, there)
        return (here, there)
    }

    /// Moves the contents of `site` to a database that has never met anyone.
    private func rebuilt(_ site: Site) throws -> Site {
        let copy = try Site()
        for document in try site.store.read({ try $0.documents(in: .default, after: 0, limit: 99) })
        {
            let body = String(decoding: document.body, as: UTF8.self)
            try copy.put(document.documentID, [document.revisionID.description], body)
        }
        return copy
    }

    @Test func `a peer that lost only its checkpoint is offered every document and requests none`()
        throws
    {
        let (here, there) = try synced()
        let other = try rebuilt(there)
        let run = Conversation.oneShot(.init(), here, other)
        #expect(run.transfers == [])
        #expect(run.failures == [])
        #expect(try other.contents() == here.contents())
        // And is up to date again.
        #expect(Conversation.oneShot(.init(), here, other).frameCount < 14)
    }

    @Test func `a peer that lost all its data gets everything again`() throws {
        let (here, _) = try synced()
        let empty = try Site()
        let run = Conversation.oneShot(.init(), here, empty)
        #expect(run.failures == [])
        #expect(try empty.contents() == here.contents())
    }

    /// The pull makes both copies of the checkpoint equal, and the push shares it.
    @Test func `a pull leaves documents in doubt to the following push`() throws {
        let (here, _) = try synced()
        let restored = try Site()
        try restored.save("new", "{}")
        _ = Conversation.oneShot(.init(pushes: false), here, restored)
        let push = Conversation.oneShot(.init(pulls: false), here, restored)
        #expect(push.failures == [])
        #expect(try restored.contents() == here.contents())
    }

    /// The records about the peer come from runs under the other name.
    @Test func `an interrupted first run with another checkpoint ID keeps documents in doubt`()
        throws
    {
        let (here, _) = try synced()
        var options = Conversation.Options(pulls: false)
        options.collections[0].channels = ["a"]
        options.limits.changesCount = 10
        options.limits.listsInFlightCount = 1
        var server = try Counterpart.server(here, options)
        let known = "[" + Array(repeating: "304", count: 10).joined(separator: ",") + "]"
        try server.answer("proposeChanges", known)
        server.now = .seconds(6)
        server.peer.advance(to: server.now)
        server.exchange()
        let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"]).body
        #expect(Checkpoint(json: saved).completed == SequenceSet(through: 10))
        let next = try Counterpart.server(here, options, having: saved, revision: "0-1")
        let offered = try next.next("proposeChanges").body
        #expect(String(decoding: offered, as: UTF8.self).contains("theirs9"))
    }

    /// A power cut, or a backup of that moment: both copies of the checkpoint still agree.
    @Test(arguments: [true, false])
    func `documents that the peer may have lost since the last checkpoint are offered again`(
        isSaved: Bool
    ) throws {
        let site = try Site()
        let options = Conversation.Options(pulls: false, isContinuous: true)
        try site.save("early", "{}")
        var server = try Counterpart.server(site, options)
        try server.acceptPush()
        var saved = try server.answer("setCheckpoint", "", ["rev": "0-1"]).body
        try server.acceptPush(of: "late", from: site)
        if isSaved { saved = try server.answer("setCheckpoint", "", ["rev": "0-2"]).body }
        server.peer.disconnected(at: .zero)

        var next = try Counterpart.server(site, options, having: saved, revision: "0-1")
        let offered = try next.answer("proposeChanges", "[304]").body
        let text = String(decoding: offered, as: UTF8.self)
        #expect(text.contains("late") != isSaved && !text.contains("early"), "\(text)")
        guard !isSaved else { return }
        // The peer had it after all: nothing is left in doubt.
        saved = try next.answer("setCheckpoint", "", ["rev": "0-2"]).body
        next.peer.disconnected(at: .zero)
        let last = try Counterpart.server(site, options, having: saved, revision: "0-2")
        #expect(try last.next("proposeChanges").body == Array("[]".utf8))
    }

    /// The peer may have confirmed the checkpoint before what it received afterwards was on its disk.
    @Test func `documents pushed while a checkpoint was being saved stay in doubt`() throws {
        let site = try Site()
        let options = Conversation.Options(pulls: false, isContinuous: true)
        try site.save("early", "{}")
        var server = try Counterpart.server(site, options)
        try server.acceptPush()
        let save = try server.take("setCheckpoint")
        try server.acceptPush(of: "late", from: site)
        server.answer(save, bytes: [], ["rev": "0-1"])
        server.peer.disconnected(at: .zero)
        let next = try Counterpart.server(site, options, having: save.body, revision: "0-1")
        let offered = try next.next("proposeChanges").body
        #expect(String(decoding: offered, as: UTF8.self).contains("late"))
    }

    @Test func `a document edited after the peer lost its checkpoint is pushed as an update`()
        throws
    {
        let (here, there) = try synced()
        let other = try rebuilt(there)
        try here.save("mine3", #"{"n":2}"#)
        try here.save("theirs4", #"{"n":2}"#)
        let run = Conversation.oneShot(.init(pulls: false), here, other)
        #expect(run.failures == [])
        #expect(run.transfers.sorted() == ["push mine3", "push theirs4"])
        #expect(try other.contents() == here.contents())
    }

    @Test func `a reset checks everything and transfers nothing`() throws {
        let (here, there) = try synced()
        let run = Conversation.oneShot(.init(isReset: true), here, there)
        #expect(run.transfers == [])
        #expect(run.failures == [])
        #expect(run.closeCode == 1000)
    }

    @Test func `a purged document comes back only after a reset`() throws {
        let (here, there) = try synced()
        try here.purge("theirs1")
        #expect(Conversation.oneShot(.init(), here, there).transfers == [])
        #expect(
            Conversation.oneShot(.init(isReset: true), here, there).transfers == ["pull theirs1"]
        )
        #expect(try here.contents() == there.contents())
    }

    @Test func `a reset does not push documents that the peer purged`() throws {
        let (here, there) = try synced()
        try there.purge("mine2")
        try there.purge("theirs3")
        try here.save("mine5", #"{"n":2}"#)
        let run = Conversation.oneShot(.init(isReset: true), here, there)
        #expect(run.transfers == ["push mine5"])
        #expect(try there.body("mine2") == nil)
        #expect(try there.body("theirs3") == nil)
    }

    @Test func `a reset pushes everything to a peer that lost its checkpoint`() throws {
        let (here, _) = try synced()
        let empty = try Site()
        let run = Conversation.oneShot(.init(isReset: true), here, empty)
        #expect(run.failures == [])
        #expect(try empty.contents() == here.contents())
    }

    @Test func `a reset after edits on both sides transfers only those edits`() throws {
        let (here, there) = try synced()
        try here.save("mine1", #"{"n":2}"#)
        try there.save("mine2", #"{"n":2}"#)
        try there.purge("mine3")
        let run = Conversation.oneShot(.init(isReset: true), here, there)
        #expect(run.transfers.sorted() == ["pull mine2", "push mine1"])
    }

    @Test func `a copied database continues from the checkpoint of the original`() throws {
        let directory = try TemporaryDirectory()
        let there = try Site()
        let original = try Store.open(directory: directory.file("a.cblite2"))
        let here = try Site(original)
        for number in 0..<20 { try here.save(DocumentID(unchecked: "doc\(number)"), "{}") }
        _ = Conversation.oneShot(.init(pulls: false), here, there)
        try Store.copy(
            directory: directory.file("a.cblite2"),
            to: directory.file("b.cblite2")
        )
        try original.close()

        let copy = try Store.open(directory: directory.file("b.cblite2"))
        let run = Conversation.oneShot(.init(pulls: false), try Site(copy), there)
        #expect(run.transfers == [])
        #expect(run.closeCode == 1000)
        // No list of twenty proposals: the checkpoint of the original was found.
        #expect(run.byteCount < 700)
        try copy.close()
    }

    /// `checkpoints.md` §4 (2): other implementations write the default port, or omit it.
    @Test(
        arguments: [
            ("ws://there/db/_blipsync", "ws://there:80/db/_blipsync", true),
            ("ws://there:80/db/_blipsync", "ws://there/db/_blipsync", true),
            ("wss://[fe80::1]/db/_blipsync", "wss://[fe80::1]:443/db/_blipsync", true),
            ("wss://there:443/db/_blipsync", "wss://there/db/_blipsync", true),
            ("ws://there:4984/db/_blipsync", "ws://there/db/_blipsync", false),
            ("wss://there/db/_blipsync", "wss://there:80/db/_blipsync", false),
            ("a-peer", "a-peer:80", false),
        ]
    )
    func `a copied database finds the checkpoint if only the default port is added or omitted`(
        original: String,
        asked: String,
        isFound: Bool
    ) throws {
        let directory = try TemporaryDirectory()
        let first = try Store.open(directory: directory.file("a.cblite2"))
        let here = try Site(first)
        try here.save("a", "{}")
        var options = Conversation.Options(pulls: false)
        options.remoteIdentity = original
        _ = Conversation.oneShot(options, here, try Site())
        try first.close()
        try Store.copy(directory: directory.file("a.cblite2"), to: directory.file("b.cblite2"))

        let copy = try Store.open(directory: directory.file("b.cblite2"))
        options.remoteIdentity = asked
        var server = Counterpart(options.active, try Site(copy))
        try server.answer("getCollections", #"[{"local":1,"rev":"1-cc"}]"#)
        let proposed = try server.take("proposeChanges").body
        #expect((proposed == Array("[]".utf8)) == isFound)
        try copy.close()
    }

    @Test func `a read-only database ends the replication with an error`() throws {
        let directory = try TemporaryDirectory()
        try Store.open(directory: directory.file("a.cblite2")).close()
        let store = try Store.open(
            directory: directory.file("a.cblite2"),
            options: StoreOptions(create: false, readOnly: true)
        )
        let run = Conversation.oneShot(.init(), try Site(store), try Site())
        #expect(run.closeCode == 1000)
        #expect(run.error?.domain == .liteCore)
        #expect(run.error?.code == 14)
        try store.close()
    }

    @Test func `two clients of one listener get each other's changes`() throws {
        let (here, there) = try synced()
        let third = try Site()
        _ = Conversation.oneShot(.init(), third, there)
        try third.save("mine1", #"{"by":"third"}"#)
        _ = Conversation.oneShot(.init(), third, there)
        _ = Conversation.oneShot(.init(), here, there)
        #expect(try here.body("mine1") == #"{"by":"third"}"#)
        #expect(try here.contents() == third.contents())
    }

    @Test func `a long history is cut to fifty ancestors and still connects`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<70 { try here.save("a", #"{"n":\#(number)}"#) }
        _ = Conversation.oneShot(.init(pulls: false), here, there)
        for number in 70..<140 { try here.save("a", #"{"n":\#(number)}"#) }
        let run = Conversation.oneShot(.init(pulls: false), here, there)
        #expect(run.failures == [])
        #expect(try there.contents() == here.contents())
    }
}

extension Counterpart {
    /// A server to which our active peer connects again, with the copy of the checkpoint that it was given.
    fileprivate static func server(
        _ site: Site,
        _ options: Conversation.Options,
        having checkpoint: [UInt8],
        revision: String
    ) throws -> Counterpart {
        var server = Counterpart(options.active, site)
        let copy = String(decoding: checkpoint, as: UTF8.self).dropLast()
        try server.answer("getCollections", #"[\#(copy),"rev":"\#(revision)"}]"#)
        return server
    }

    /// Wants the document that is offered, and confirms that it arrived.
    fileprivate mutating func acceptPush() throws {
        try answer("proposeChanges", "[]")
        try answer("rev", bytes: [])
    }

    /// Saves a document at our active peer, which pushes it.
    fileprivate mutating func acceptPush(of documentID: DocumentID, from site: Site) throws {
        try site.save(documentID, "{}")
        for change in site.takeChanges() { peer.storeChanged(change, at: .zero) }
        exchange()
        try acceptPush()
    }
}
