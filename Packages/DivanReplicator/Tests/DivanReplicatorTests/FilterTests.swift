import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization
import Testing

/// What a replication leaves out.
@Suite struct FilterTests {
    @Test
    func `a conflict does not reveal the revision of a document that the client may not read`()
        throws
    {
        let site = try Site()
        try site.save("secret", #"{"n":1}"#)
        let revision = try #require(try site.revision("secret"))
        for isReadable in [false, true] {
            var client = Counterpart.client(site) { options in
                options.readFilters[.default] = { _ in isReadable }
            }
            let message: BLIPProperties = ["collection": "0", "id": "secret", "rev": "1-aa"]
            let error = try #require(client.ask("rev", message, "{}")?.error)
            #expect(error.code == 409)
            #expect(error.message.contains(revision) == isReadable)
        }
    }

    @Test func `proposals do not reveal the revision of a document that the client may not read`()
        throws
    {
        let (source, other) = ("rGxJD77SR0+odh7PeEHKXA", "VYU9gI0kQIWF+V5BljXDyA")
        let current = "18e9af52a2ab0000@\(source)"
        let site = try Site(.inMemory(scheme: .vectors, wallTime: { 1_800_000_000_000_000_000 }))
        let secret = RemoteRevision(
            documentID: "secret",
            revisionID: try #require(RevisionID(ofAnyScheme: current)),
            body: Array(#"{"n":1}"#.utf8)
        )
        _ = try site.store.write { try $0.insert(secret, in: .default) }
        var client = Counterpart.client(site, version: .version4) { options in
            options.readFilters[.default] = { _ in false }
            options.writeFilters[.default] = { _ in true }
        }
        let (earlier, later) = ("18e9af52a2aa0000@\(source)", "18e9af52a2ac0000@\(source)")
        let parent = "18e9af5200000000@\(other)"
        let list = [
            ["secret", current], ["secret", earlier, parent], ["secret", later, parent],
            ["secret", "18e9af52a2ac0000@\(other)", current], ["new", later],
            ["new", later, parent],
        ].map { "[" + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
        let reply = client.ask(
            "proposeChanges",
            ["collection": "0"],
            "[" + list.joined(separator: ",") + "]"
        )
        let answer = String(decoding: try #require(reply).body, as: UTF8.self)
        // 304, 403, 0 and 0 would reveal the revision.
        #expect(answer.hasPrefix("[403,403,403,403"))
        #expect(!answer.hasPrefix("[403,403,403,403,403"), "what is not here may come")
    }

    private func options(
        _ change: (inout PeerConfiguration.CollectionOptions) -> Void
    ) -> Conversation.Options {
        var collection = PeerConfiguration.CollectionOptions(.default)
        change(&collection)
        var options = Conversation.Options()
        options.collections = [collection]
        return options
    }

    @Test func `a push filter skips documents permanently and without errors`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("public", #"{"open":true}"#)
        try here.save("secret", #"{"open":false}"#)
        let filtered = options { collection in
            collection.pushFilter = { $0.body == Array(#"{"open":true}"#.utf8) }
        }
        let run = Conversation.oneShot(filtered, here, there)
        #expect(run.transfers == ["push public"])
        #expect(run.failures == [])
        #expect(try there.contents().keys.sorted() == ["public"])
        // The checkpoint has moved on: removing the filter sends nothing.
        #expect(Conversation.oneShot(.init(), here, there).transfers == [])
    }

    /// What the peer has is not left to become outdated.
    @Test func `a document is pushed if the peer is interested, or has an earlier revision`()
        throws
    {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"open":true}"#)
        try here.save("b", #"{"open":false}"#)
        let interested = options { collection in
            collection.interest = { $0.body == Array(#"{"open":true}"#.utf8) }
        }
        let run = Conversation.oneShot(interested, here, there)
        #expect(run.transfers == ["push a"] && run.failures == [])
        try here.save("a", #"{"open":false}"#)
        try here.save("b", #"{"open":0}"#)
        #expect(Conversation.oneShot(interested, here, there).transfers == ["push a"])
        #expect(try there.contents().keys.sorted() == ["a"])
    }

    @Test func `a client receives only changes that interest it, and nothing is secret`() throws {
        let site = try Site()
        try site.save("a", #"{"open":true}"#)
        try site.save("b", #"{"open":false}"#)
        var client = Counterpart.client(site) { options in
            options.interests[.default] = { $0.body == Array(#"{"open":true}"#.utf8) }
        }
        client.ask("subChanges", ["collection": "0"])
        let changes = String(decoding: try client.take("changes").body, as: UTF8.self)
        #expect(changes.contains("\"a\"") && !changes.contains("\"b\""))
        let message: BLIPProperties = ["collection": "0", "id": "b", "rev": "1-aa"]
        let error = try #require(client.ask("rev", message, "{}")?.error)
        #expect(error.message.contains(try #require(try site.revision("b"))))
    }

    /// Others on the same loop would have to wait for it.
    @Test func `a push filter that rejects most documents runs for a few lists at a time`() throws {
        let site = try Site()
        for number in 0..<100 { try site.save(DocumentID(unchecked: "doc\(number)"), "{}") }
        let askedCount = Mutex(0)
        var filtered = options { collection in
            collection.pushFilter = { shown in
                askedCount.withLock { $0 += 1 }
                return shown.documentID == "doc99"
            }
        }
        filtered.pulls = false
        filtered.limits.changesCount = 2
        filtered.limits.listsInFlightCount = 3
        var server = try Counterpart.server(site, filtered)
        // One turn, and a few more as frames are requested.
        #expect(askedCount.withLock { $0 } <= 50)
        for _ in 0..<100 where server.peer.deadline == .zero {
            server.peer.advance(to: .zero)
            server.exchange()
        }
        #expect(askedCount.withLock { $0 } == 100)
        let proposed = try server.take("proposeChanges").body
        #expect(String(decoding: proposed, as: UTF8.self).contains("doc99"))
    }

    @Test func `a pull filter rejects documents permanently and with an error`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("good", #"{"n":1}"#)
        try there.save("bad", #"{"n":2}"#)
        let filtered = options { collection in
            collection.pullFilter = { $0.documentID != "bad" }
        }
        let run = Conversation.oneShot(filtered, here, there)
        #expect(run.transfers == ["pull good"])
        #expect(run.failures.map(\.documentID) == ["bad"])
        #expect(run.failures.map(\.error?.code) == [403])
        #expect(run.closeCode == 1000)
        #expect(Conversation.oneShot(filtered, here, there).activeEvents == [])
    }

    @Test func `filters get tombstones with an empty body`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", #"{"n":1}"#)
        _ = Conversation.oneShot(.init(), here, there)
        try here.delete("a")
        let filtered = options { collection in
            collection.pushFilter = { !($0.flags == .deleted && $0.body.count <= 2) }
        }
        #expect(Conversation.oneShot(filtered, here, there).transfers == [])
        #expect(try there.body("a") == #"{"n":1}"#)
    }

    /// Couchbase Lite 3 sends one with everything that its document contained.
    @Test func `a tombstone is sent without content to a client with limited read access`() throws {
        let site = try Site()
        try site.put("gone", ["2-bb", "1-aa"], #"{"secret":1}"#, isTombstone: true)
        for isLimited in [true, false] {
            var client = Counterpart.client(site) { options in
                if isLimited { options.readFilters[.default] = { $0.flags == .deleted } }
            }
            client.ask("subChanges", ["collection": "0"])
            try client.answer("changes", "[[]]")
            let message = try client.next("rev")
            #expect(message.properties["deleted"] != nil)
            #expect(message.body == Array((isLimited ? "{}" : #"{"secret":1}"#).utf8))
        }
    }

    /// Its blobs were deleted with it.
    @Test func `blobs of a tombstone are not served to a client with limited read access`() throws {
        let site = try Site()
        let digest = try site.store.blobs.write([1, 2, 3])
        let body = Site.blobBody(digest, 3, "image/png")
        try site.put("gone", ["2-bb", "1-aa"], body, isTombstone: true, hasBlobs: true)
        var client = Counterpart.client(site) { options in
            options.readFilters[.default] = { $0.flags == .deleted }
            options.bindsBlobs = true
        }
        client.ask("subChanges", ["collection": "0"])
        try client.answer("changes", "[[]]")
        let question: BLIPProperties = [
            "collection": "0", "docID": "gone", "digest": digest.description,
        ]
        #expect(client.ask("getAttachment", question)?.error?.code == 404)
    }

    @Test func `document IDs limit both directions`() throws {
        let (here, there) = (try Site(), try Site())
        for name in ["a", "b", "c"] {
            try here.save(DocumentID(unchecked: "mine-\(name)"), "{}")
            try there.save(DocumentID(unchecked: "theirs-\(name)"), "{}")
        }
        let limited = options { $0.documentIDs = ["mine-b", "theirs-c"] }
        let run = Conversation.oneShot(limited, here, there)
        #expect(run.transfers.sorted() == ["pull theirs-c", "push mine-b"])
        #expect(run.closeCode == 1000)
    }

    @Test func `metadata keys are removed from received bodies`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("a", #"{"_exp":5,"_mine":1,"b":2}"#)
        _ = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(try here.body("a") == #"{"b":2}"#)
        #expect(try here.revision("a") == there.revision("a"))
    }
}
