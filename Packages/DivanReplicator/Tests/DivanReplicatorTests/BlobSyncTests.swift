import DivanBLIP
import DivanDatabase
import DivanReplicator
import DivanRevisions
import DivanTestKit
import Testing

/// Blobs are transferred before the revisions that refer to them.
@Suite struct BlobSyncTests {
    @Test(arguments: [0, 1, 16_384, 65_536, 300_000], ["image/png", "text/plain"])
    func `a blob arrives intact in both directions`(byteCount: Int, type: String) throws {
        var generator = SeededGenerator(seed: UInt64(byteCount))
        let content = [UInt8].random(count: byteCount, using: &generator)
        let (here, there) = (try Site(), try Site())
        let digest = try here.saveBlob("mine", content, type: type)
        let pushed = Conversation.oneShot(.init(pulls: false), here, there)
        #expect(pushed.failures == [])
        #expect(try there.store.blobs.read(digest) == content)
        #expect(try there.contents() == here.contents())

        let third = try Site()
        let pulled = Conversation.oneShot(.init(pushes: false), third, there)
        #expect(pulled.failures == [])
        #expect(try third.store.blobs.read(digest) == content)
        #expect(try third.contents() == here.contents())
    }

    @Test func `a blob shared by several documents is fetched once`() throws {
        let (here, there) = (try Site(), try Site())
        let content = [UInt8](repeating: 7, count: 100_000)
        for number in 0..<20 { try there.saveBlob(DocumentID(unchecked: "doc\(number)"), content) }
        var options = Conversation.Options(pushes: false)
        options.compresses = false
        let run = Conversation.oneShot(options, here, there)
        #expect(run.transfers.count == 20)
        // 7 frames of 16 KiB for the content, the rest is small.
        #expect(run.frameCount < 80)
    }

    @Test func `many blobs at once arrive with their documents`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<60 {
            try there.saveBlob(
                DocumentID(unchecked: "doc\(number)"),
                Array("content \(number)".utf8)
            )
        }
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures == [])
        #expect(try here.contents() == there.contents())
    }

    @Test func `a blob missing at the sender fails only its own document`() throws {
        let (here, there) = (try Site(), try Site())
        let lost = BlobDigest(hashing: [1, 2, 3].span)
        try there.save("lost", Site.blobBody(lost, 3, "image/png"), hasBlobs: true)
        try there.save("whole", "{}")
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures.map(\.documentID) == ["lost"])
        #expect(run.failures.map(\.error?.code) == [404])
        #expect(run.closeCode == 1000)
        #expect(try here.contents().keys.sorted() == ["whole"])

        // The next run asks for it again.
        let next = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(next.failures.map(\.documentID) == ["lost"])
    }

    /// A body with a blob and its own list of attachments, whose contents are at `site`.
    private func listing(_ list: String, at site: Site) throws -> String {
        let photo = try site.store.blobs.write(Array("photo".utf8))
        _ = try site.store.blobs.write(Array("old".utf8))
        let filler = String(repeating: "x", count: 400)
        return #"{"_attachments":\#(list),"filler":"\#(filler)","#
            + #""photo":{"@type":"blob","digest":"\#(photo)","length":5}}"#
    }

    private static let ownLists = [
        "{}",
        #"{"old.txt":{"digest":"\#(BlobDigest(hashing: Array("old".utf8).span))","length":3,"#
            + #""revpos":1,"stub":true}}"#,
    ]

    @Test(arguments: ownLists, [true, false])
    func `a document with attachments and a blob syncs in both directions`(
        list: String,
        isPush: Bool
    ) throws {
        let (here, there) = (try Site(), try Site())
        let sender = isPush ? here : there
        let body = try listing(list, at: sender)
        try sender.save("a", body, hasBlobs: true)
        let expected = list == "{}" ? body.replacing(#""_attachments":{},"#, with: "") : body
        let options = Conversation.Options(usesDeltas: true)
        for text in [expected, expected.replacing("xxxx", with: "yyyy")] {
            if text != expected {
                try sender.save("a", text, hasBlobs: true)
            }
            let run = Conversation.oneShot(options, here, there)
            #expect(run.failures == [])
            #expect(run.transfers == [isPush ? "push a" : "pull a"])
            for site in [here, there] where site !== sender {
                #expect(try site.body("a") == text)
            }
        }
    }

    /// A blob in transit takes ten times the memory of its name.
    @Test func `revisions waiting for many blobs count more than their body size`() throws {
        var options = Conversation.Options()
        options.limits.parkedByteCount = 4_000
        var client = Counterpart.client(try Site(), options)
        let blobs = (0..<UInt8(10)).map { number in
            #"{"@type":"blob","digest":"\#(BlobDigest(hashing: [number].span))"}"#
        }
        let body = #"{"blobs":[\#(blobs.joined(separator: ","))]}"#
        let reply = client.ask("rev", ["collection": "0", "id": "a", "rev": "1-aa"], body)
        #expect(reply?.error?.code == 503)
        #expect(!client.requests.contains { $0.profile == "getAttachment" })
    }

    /// Couchbase Lite, and earlier versions of Divan, assume that such a list contains all of the sender's blobs.
    @Test(arguments: ownLists)
    func `a list of attachments is sent with the blobs of the document`(list: String) throws {
        let site = try Site()
        try site.save("a", try listing(list, at: site), hasBlobs: true)
        var client = Counterpart.client(site)
        client.ask("subChanges", ["collection": "0"])
        try client.answer("changes", "[[]]", ["blobs": "true"])
        let body = String(decoding: try client.take("rev").body, as: UTF8.self)
        #expect(body.contains(#""blob_/photo":{"#))
        #expect(body.contains("old.txt") == (list != "{}"))
    }

    @Test(arguments: ownLists)
    func `blobs outside a list of attachments are fetched`(list: String) throws {
        let site = try Site()
        let body = try listing(list, at: try Site())
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[5,"a","1-aa"]]"#)
        server.ask("rev", ["collection": "0", "id": "a", "rev": "1-aa", "sequence": "5"], body)
        let photo = "\(BlobDigest(hashing: Array("photo".utf8).span))"
        let asked = try server.take("getAttachment") { $0.properties["digest"] == photo }
        server.answer(asked, bytes: Array("photo".utf8))
        if list != "{}" { try server.answer("getAttachment", "old") }
        #expect(try site.body("a")?.contains(photo) == true)
    }

    @Test func `a blob that is absent from a list of other blobs fails its document`() throws {
        let site = try Site()
        let digest = BlobDigest(hashing: Array("photo".utf8).span)
        let other = BlobDigest(hashing: Array("other".utf8).span)
        let body =
            #"{"_attachments":{"blob_/pic":{"digest":"\#(other)","stub":true}},"#
            + #""photo":{"@type":"blob","digest":"\#(digest)"},"#
            + #""pic":{"@type":"blob","digest":"\#(other)"}}"#
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[5,"a","1-aa"]]"#)
        server.ask("rev", ["collection": "0", "id": "a", "rev": "1-aa", "sequence": "5"], body)
        #expect(server.events.map(\.error?.code) == [404])
        #expect(!server.requests.contains { $0.profile == "getAttachment" })
    }

    @Test func `a disconnect during a blob stores nothing, and the next run fetches it`() throws {
        let (here, there) = (try Site(), try Site())
        var generator = SeededGenerator(seed: 5)
        let content = [UInt8].random(count: 400_000, using: &generator)
        let digest = try there.saveBlob("a", content)
        var run = Conversation(.init(pushes: false), here: here, there: there)
        run.generator = generator
        for _ in 0..<14 { _ = run.step() }
        run.cut()
        #expect(!here.store.blobs.contains(digest))
        #expect(try here.contents() == [:])

        _ = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(try here.store.blobs.read(digest) == content)
    }

    @Test func `nested blobs are found`() throws {
        let (here, there) = (try Site(), try Site())
        let first = try there.store.blobs.write(Array("one".utf8))
        let second = try there.store.blobs.write(Array("two".utf8))
        let body =
            #"{"a/b":[{"~":{"@type":"blob","digest":"\#(first)","length":3}}],"#
            + #""list":[[1,{"@type":"blob","digest":"\#(second)","length":3}]]}"#
        try there.save("deep", body, hasBlobs: true)
        _ = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(try here.store.blobs.read(first) == Array("one".utf8))
        #expect(try here.store.blobs.read(second) == Array("two".utf8))
    }

    @Test func `a digest in an unknown format is stored and not fetched`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("odd", #"{"pic":{"@type":"blob","digest":"md5-abc","length":3}}"#)
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures == [])
        #expect(try here.contents() == there.contents())
    }
}

/// Blobs that are left at the peer, against peers simulated by the test.
@Suite struct LazyBlobTests {
    private static let zero: BLIPProperties = ["collection": "0"]
    private static let content = [UInt8](repeating: 7, count: 1_000)
    private static let digest = BlobDigest(hashing: content.span)

    private func server(
        _ site: Site,
        _ change: (inout PeerConfiguration.ActiveOptions) -> Void
    ) throws
        -> Counterpart
    {
        var configuration = Conversation.Options(pushes: false).active
        guard case .active(var options) = configuration.role else { throw NoActiveRole() }
        change(&options)
        configuration.role = .active(options)
        var server = Counterpart(configuration, site)
        try server.answer("getCollections", "[{}]")
        return server
    }

    private struct NoActiveRole: Error {}

    @Test func `a lazy pull stores the document without requesting its blobs`() throws {
        let site = try Site()
        var server = try server(site) { $0.blobs = .lazy }
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"soup","1-aa"]]"#)
        let body = #"{"photo":{"@type":"blob","digest":"\#(Self.digest)","length":1000}}"#
        server.ask("rev", ["collection": "0", "id": "soup", "rev": "1-aa", "sequence": "5"], body)
        #expect(!server.requests.contains { $0.profile == "getAttachment" })
        #expect(try site.store.read { try $0.document("soup", in: .default) } != nil)
        let name = try site.store.read { try $0.absentBlob(Self.digest) }
        #expect(name?.documentID == "soup")
    }

    /// The first document may have been deleted there.
    @Test func `a blob of two documents can be requested through either of them`() throws {
        let site = try Site()
        var pull = try server(site) { $0.blobs = .lazy }
        try pull.answer("subChanges")
        let body = #"{"photo":{"@type":"blob","digest":"\#(Self.digest)","length":1000}}"#
        for (sequence, id) in [(5, "soup"), (6, "stew")] {
            pull.ask("changes", Self.zero, #"[[\#(sequence),"\#(id)","1-aa"]]"#)
            pull.ask(
                "rev",
                ["collection": "0", "id": id, "rev": "1-aa", "sequence": "\(sequence)"],
                body
            )
        }
        let names = try site.store.read { try $0.absentBlobNames(Self.digest) }
        #expect(names.map(\.documentID) == ["stew", "soup"])
        var server = try server(site) {
            $0.pulls = false
            $0.wantedBlobs = names.map {
                RequestedBlob(Self.digest, of: $0.documentID, in: .default)
            }
        }
        #expect(try server.refuse("getAttachment", "HTTP", 404).properties["docID"] == "stew")
        let second = try server.take("getAttachment")
        #expect(second.properties["docID"] == "soup")
        server.answer(second, bytes: Self.content)
        #expect(server.blobEvents.map(\.state).last == .arrived)
        #expect(!server.blobEvents.contains { if case .failed = $0.state { true } else { false } })
        #expect(try site.store.blobs.read(Self.digest) == Self.content)
        #expect(server.closeCode == 1000)
    }

    /// A listener that shares only the default collection answers the first question and refuses the next.
    @Test func `a blob is requested again after the replication starts over`() throws {
        let site = try Site()
        var server = try server(site) {
            $0.wantedBlobs = [RequestedBlob(Self.digest, of: "soup", in: .default)]
        }
        try server.refuse("subChanges", "HTTP", 400)
        try server.refuse("getAttachment", "HTTP", 400)
        try server.refuse("getCheckpoint", "HTTP", 404)
        try server.answer("subChanges")
        let request = try server.take("getAttachment")
        #expect(request.properties["collection"] == nil)
        server.answer(request, bytes: Self.content)
        #expect(try site.store.blobs.read(Self.digest) == Self.content)
        server.ask("changes", [:], "[]", isNoReply: true)
        #expect(server.closeCode == 1000)
    }

    @Test(arguments: [true, false])
    func `a fetch resumes a partial blob even if the peer ignores the offset`(
        takesNote: Bool
    ) throws {
        let directory = try TemporaryDirectory()
        let site = try Site(try Store.open(directory: directory.file("a.cblite2")))
        do {
            let part = try site.store.blobs.writer(resuming: Self.digest)
            try part.append(Array(Self.content[..<400]).span)
        }
        var server = try server(site) {
            $0.pulls = false
            $0.wantedBlobs = [RequestedBlob(Self.digest, of: "soup", in: .default)]
        }
        let request = try server.take("getAttachment")
        #expect(request.properties["docID"] == "soup")
        #expect(request.properties["digest"] == "\(Self.digest)")
        #expect(request.properties["offset"] == "400")
        if takesNote {
            server.answer(request, bytes: Array(Self.content[400...]), ["offset": "400"])
        } else {
            server.answer(request, bytes: Self.content)
        }
        #expect(try site.store.blobs.read(Self.digest) == Self.content)
        #expect(server.closeCode == 1000)
        try site.store.close()
    }

    @Test func `a server starts a blob at the requested offset and returns it`() throws {
        let site = try Site()
        _ = try site.store.blobs.write(Self.content)
        var client = Counterpart.client(site)
        for (offset, expected) in [
            ("400", 600), ("1000", 0), ("1001", 1_000), ("-1", 1_000), ("x", 1_000),
        ] {
            let reply = client.ask(
                "getAttachment",
                ["collection": "0", "digest": "\(Self.digest)", "docID": "soup", "offset": offset]
            )
            #expect(reply?.body.count == expected, "offset \(offset)")
            #expect(reply?.properties["offset"] == (expected < 1_000 ? offset : nil))
        }
    }
}
