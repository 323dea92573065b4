import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanTestKit
import Testing

/// Peers that announce and never send, send unrequested data, or vanish at any moment; blobs with the wrong content;
/// databases that close during a connection.
@Suite struct BadPeerTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    private func revision(_ id: String, _ rev: String, _ sequence: String) -> BLIPProperties {
        ["collection": "0", "id": id, "rev": rev, "sequence": sequence]
    }

    // MARK: Promises

    @Test func `a pull waits for a peer that announces but never sends, and can be stopped`() throws
    {
        let site = try Site()
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        server.ask("rev", revision("b", "1-bb", "2"), "{}")
        server.now = .seconds(590)
        server.peer.advance(to: server.now)
        server.exchange()
        #expect(server.closeCode == nil, "it may be slow")
        #expect(server.peer.status.activity == .busy)

        server.peer.stop(at: server.now)
        server.exchange()
        for request in server.requests where request.profile == "setCheckpoint" {
            let text = String(decoding: request.body, as: UTF8.self)
            #expect(!text.contains("remote"), "nothing before the missing one is finished: \(text)")
        }
        server.now += .seconds(3)
        server.peer.advance(to: server.now)
        server.exchange()
        #expect(server.closeCode == 1000)
        // The next run requests the missing one again, and knows the other.
        var next = Counterpart(Conversation.Options(pushes: false).active, site)
        try next.answer("getCollections", "[{}]")
        try next.answer("subChanges")
        let reply = next.ask("changes", Self.zero, #"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        #expect(reply?.body == Array("[[]]".utf8))
    }

    @Test func `a push waits for a peer that accepts but never confirms, and can be stopped`()
        throws
    {
        let site = try Site()
        for number in 0..<1_000 { try site.save(DocumentID(unchecked: "\(number)"), "{}") }
        var server = try Counterpart.server(site, .init(pulls: false))
        #expect(server.requests.filter { $0.profile == "proposeChanges" }.count <= 5)
        server.peer.stop(at: .seconds(1))
        server.exchange()
        server.now = .seconds(10)
        server.peer.advance(to: server.now)
        server.exchange()
        #expect(server.closeCode == 1000)
    }

    @Test func `a client that never acknowledges revisions does not get all of them`() throws {
        let site = try Site()
        for number in 0..<2_000 { try site.save(DocumentID(unchecked: "\(number)"), "{}") }
        var client = Counterpart.client(site)
        client.ask("subChanges", Self.zero)
        while client.requests.contains(where: { $0.profile == "changes" && !$0.isNoReply }) {
            try client.answer(
                "changes",
                "[\([String](repeating: "[]", count: 200).joined(separator: ","))]"
            )
        }
        let sent = client.requests.filter { $0.profile == "rev" }.count
        #expect(sent <= 700, "\(sent) revisions wait for their answers")
        #expect(client.closeCode == nil)
    }

    // MARK: Not requested

    @Test func `an unrequested revision is stored but does not advance the checkpoint`() throws {
        let site = try Site()
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        #expect(server.ask("rev", revision("a", "1-aa", "77"), "{}")?.error == nil)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.revision("a") == "1-aa")
        #expect(!server.requests.contains { $0.profile == "setCheckpoint" })
        #expect(server.closeCode == 1000)
    }

    @Test func `norev for a revision that was not requested is ignored`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        server.ask("norev", revision("a", "1-aa", "5"), isNoReply: true)
        server.ask("norev", Self.zero)
        #expect(try site.body("a") == "{}")
        #expect(server.closeCode == nil)
    }

    @Test func `changes before subChanges are refused`() throws {
        var server = Counterpart(Conversation.Options().active, try Site())
        let early = server.ask("changes", [:], #"[[1,"a","1-aa"]]"#)
        #expect(early?.error?.code == 400)
        #expect(server.closeCode == nil)
    }

    @Test func `a revision sent a hundred times is stored once`() throws {
        let site = try Site()
        var client = Counterpart.client(site)
        for _ in 0..<100 {
            let properties: BLIPProperties = ["collection": "0", "id": "a", "rev": "1-aa"]
            #expect(client.ask("rev", properties, "{}")?.error == nil)
        }
        #expect(try site.contents() == ["a": "1-aa {}"])
        #expect(try site.store.read { try $0.lastSequence(in: .default) } == 1)
    }

    // MARK: Blobs

    private func blobServer(_ limit: Int? = nil) throws -> (Site, Counterpart, BlobDigest) {
        var options = Conversation.Options(pushes: false)
        if let limit { options.limits.blobByteCount = limit }
        let site = try Site()
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        let digest = BlobDigest(hashing: Array("the content".utf8).span)
        server.ask("changes", Self.zero, #"[[1,"a","1-aa"]]"#)
        server.ask("rev", revision("a", "1-aa", "1"), Site.blobBody(digest, 11, "text/plain"))
        return (site, server, digest)
    }

    @Test(arguments: ["", "the conten", "the content!", "other bytes"])
    func `a blob with the wrong content or length fails its document`(content: String) throws {
        let (site, asking, digest) = try blobServer()
        var server = asking
        try server.answer("getAttachment", bytes: Array(content.utf8))
        #expect(server.events.map(\.error?.code) == [15])
        #expect(try site.contents() == [:])
        #expect(!site.store.blobs.contains(digest))
        #expect(server.closeCode == nil)
    }

    @Test(arguments: [("HTTP", 404), ("LiteCore", 7), ("HTTP", 403), ("BLIP", 500)])
    func `a blob that the peer does not have fails its document`(domain: String, code: Int) throws {
        let (site, asking, _) = try blobServer()
        var server = asking
        try server.refuse("getAttachment", domain, code)
        #expect(server.events.count == 1)
        #expect(server.events.first?.error != nil)
        #expect(try site.contents() == [:])
    }

    @Test func `a temporary blob error leaves the document for the next run`() throws {
        let (site, asking, _) = try blobServer()
        var server = asking
        try server.refuse("getAttachment", "HTTP", 503)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(server.events.map(\.error?.code) == [503])
        #expect(try site.contents() == [:])
        var next = Counterpart(Conversation.Options(pushes: false).active, site)
        try next.answer("getCollections", "[{}]")
        #expect(try next.take("subChanges").properties["since"] == nil)
    }

    @Test func `a blob above the size limit fails with 413`() throws {
        let (site, asking, _) = try blobServer(1_000)
        var server = asking
        try server.answer("getAttachment", bytes: [UInt8](repeating: 7, count: 100_000))
        #expect(server.events.map(\.error?.code) == [413])
        #expect(try site.contents() == [:])
    }

    @Test func `a blob whose declared length exceeds the limit is not requested`() throws {
        var server = try Counterpart.server(try Site(), Conversation.Options(pushes: false))
        try server.answer("subChanges")
        let digest = BlobDigest(hashing: Array("the content".utf8).span)
        server.ask("changes", Self.zero, #"[[1,"a","1-aa"]]"#)
        let body = Site.blobBody(digest, Int.max, "text/plain")
        server.ask("rev", revision("a", "1-aa", "1"), body)
        #expect(server.events.map(\.error?.code) == [413])
        #expect(!server.requests.contains { $0.profile == "getAttachment" })
    }

    @Test func `a blob that never arrives delays only its own document`() throws {
        let (site, asking, _) = try blobServer()
        var server = asking
        server.ask("changes", Self.zero, #"[[2,"b","1-bb"]]"#)
        server.ask("rev", revision("b", "1-bb", "2"), "{}")
        #expect(try site.contents().keys.sorted() == ["b"])
        #expect(server.peer.status.activity == .busy)
        server.peer.disconnected(at: .seconds(1))
        #expect(server.peer.status.activity == .stopped)
    }

    @Test(arguments: ["x", "sha1-", "sha1-AAAA", "md5-AAAAAAAAAAAAAAAAAAAAAA==", ""])
    func `a blob with an invalid digest is stored unchanged and not requested`(
        digest: String
    ) throws {
        let site = try Site()
        var client = Counterpart.client(site)
        let properties: BLIPProperties = ["collection": "0", "id": "a", "rev": "1-aa"]
        let body = #"{"pic":{"@type":"blob","digest":"\#(digest)","length":-1}}"#
        #expect(client.ask("rev", properties, body)?.error == nil)
        #expect(client.requests.isEmpty, "there is nothing to ask for")
        #expect(try site.body("a") == body)
    }

    // MARK: Cuts

    /// Documents, blobs and a conflict on both sides.
    private func loaded() throws -> (Site, Site) {
        let (here, there) = (try Site(), try Site())
        for number in 0..<6 {
            try here.save(DocumentID(unchecked: "h\(number)"), #"{"n":\#(number)}"#)
            try there.save(DocumentID(unchecked: "t\(number)"), #"{"n":\#(number)}"#)
        }
        try here.saveBlob("hb", [UInt8](repeating: 1, count: 20_000))
        try there.saveBlob("tb", [UInt8](repeating: 2, count: 20_000))
        try here.save("both", #"{"by":"here"}"#)
        try there.save("both", #"{"by":"there"}"#)
        return (here, there)
    }

    private func finish(_ here: Site, _ there: Site) throws {
        for _ in 0..<3 { _ = Conversation.oneShot(.init(), here, there) }
        #expect(try here.contents() == there.contents())
        #expect(try here.contents().count == 15)
        #expect(try here.store.read { try $0.conflicts(in: .default) } == [])
    }

    @Test func `a disconnect after any message loses nothing`() throws {
        var step = 0
        while true {
            let (here, there) = try loaded()
            var run = Conversation(.init(), here: here, there: there)
            var taken = 0
            while taken < step, run.step() { taken += 1 }
            let isOver = run.closeCode != nil
            run.cut()
            try finish(here, there)
            if isOver || taken < step { break }
            step += 1
        }
        #expect(step > 8)
    }

    @Test(arguments: UInt64(0)..<25, [true, false])
    func `corrupted bytes close the connection, and the next one transfers everything`(
        seed: UInt64,
        isToPassive: Bool
    ) throws {
        let (here, there) = try loaded()
        var generator = SeededGenerator(seed: seed)
        var run = Conversation(.init(), here: here, there: there)
        run.damage = Conversation.Damage(
            isToPassive: isToPassive,
            afterFrameCount: Int.random(in: 0..<25, using: &generator),
            generator: generator
        )
        run.run()
        // The frame may have been an acknowledgement, which has no checksum, but never data.
        run.cut()
        try finish(here, there)
    }

    // MARK: Databases that go away

    @Test(arguments: [true, false])
    func `closing the database during a replication ends it with an error`(isActive: Bool) throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(directory: directory.file("a.cblite2"))
        let closing = try Site(store)
        let other = try Site()
        for number in 0..<3 { try other.save(DocumentID(unchecked: "\(number)"), "{}") }
        var run = Conversation(
            .init(isContinuous: true),
            here: isActive ? closing : other,
            there: isActive ? other : closing
        )
        for _ in 0..<4 { _ = run.step() }
        try store.close()
        try other.save("late", "{}")
        run.run()
        let error = run.error ?? run.statuses.compactMap(\.error).last
        #expect(error != nil, "somebody has to say so")
        run.cut()
    }

    @Test func `deleting a collection during a replication ends it with an error`() throws {
        let path = try #require(CollectionPath("named"))
        let (here, there) = (try Site(collections: [path]), try Site(collections: [path]))
        var options = Conversation.Options(isContinuous: true)
        options.collections = [.init(path)]
        var run = Conversation(options, here: here, there: there)
        run.run()
        try here.store.deleteCollection(path)
        try there.save("a", "{}", in: path)
        run.run()
        #expect(try there.body("a", in: path) == "{}")
        run.cut()
    }
}
