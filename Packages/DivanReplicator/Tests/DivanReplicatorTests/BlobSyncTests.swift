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
