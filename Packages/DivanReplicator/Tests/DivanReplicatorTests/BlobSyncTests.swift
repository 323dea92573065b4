import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// Blobs travel before the revisions that name them.
@Suite struct BlobSyncTests {
    @Test(arguments: [0, 1, 16_384, 65_536, 300_000], ["image/png", "text/plain"])
    func `a blob arrives whole in both directions`(byteCount: Int, type: String) throws {
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

    @Test func `documents that share a blob fetch it once`() throws {
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

    @Test func `a blob that the sender lost fails its document alone`() throws {
        let (here, there) = (try Site(), try Site())
        let lost = BlobDigest(hashing: [1, 2, 3].span)
        try there.save("lost", Site.blobBody(lost, 3, "image/png"), hasBlobs: true)
        try there.save("whole", "{}")
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures.map(\.documentID) == ["lost"])
        #expect(run.failures.map(\.error?.code) == [404])
        #expect(run.closeCode == 1000)
        #expect(try here.contents().keys.sorted() == ["whole"])

        // Counted as done: the next run does not ask again.
        #expect(Conversation.oneShot(.init(pushes: false), here, there).activeEvents == [])
    }

    @Test func `a cut in the middle of a blob leaves nothing and the next run brings it`() throws {
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

    @Test func `blobs deep inside a document are found`() throws {
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

    @Test func `a digest of another shape is stored and not fetched`() throws {
        let (here, there) = (try Site(), try Site())
        try there.save("odd", #"{"pic":{"@type":"blob","digest":"md5-abc","length":3}}"#)
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures == [])
        #expect(try here.contents() == there.contents())
    }
}

/// Contents that are left at the peer, against peers that a test plays.
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

    @Test func `a lazy pull asks for no content and stores the document`() throws {
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

    @Test(arguments: [true, false])
    func `a fetch goes on with a part, whether the peer can leave it out or not`(
        takesNote: Bool
    )
        throws
    {
        let directory = try TemporaryDirectory()
        let site = try Site(try Store.open(directory: directory.file("a.cblite2")))
        do {
            let part = try site.store.blobs.writer(resuming: Self.digest)
            try part.append(Array(Self.content[..<400]).span)
        }
        var server = try server(site) {
            $0.pulls = false
            $0.wantedBlobs = [WantedBlob(Self.digest, of: "soup", in: .default)]
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

    @Test func `a server begins where it is asked to, and says so`() throws {
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
