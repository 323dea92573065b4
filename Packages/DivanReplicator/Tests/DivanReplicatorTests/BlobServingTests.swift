import DivanBLIP
import DivanCrypto
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization
import Testing

/// What a peer that requests blobs can make us hold, and what it can find out.
@Suite struct BlobServingTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    /// The number of open blobs.
    private final class Openings: Sendable {
        let count = Atomic<Int>(0)
        let most = Atomic<Int>(0)

        private final class Source: BlobSource {
            let base: any BlobSource
            let openings: Openings

            init(_ base: any BlobSource, _ openings: Openings) {
                self.base = base
                self.openings = openings
                let count = openings.count.add(1, ordering: .relaxed).newValue
                _ = openings.most.max(count, ordering: .relaxed)
            }

            deinit { openings.count.subtract(1, ordering: .relaxed) }

            var byteCount: Int { base.byteCount }
            func read(upTo limit: Int) throws(StoreError) -> [UInt8] { try base.read(upTo: limit) }
            func seek(to offset: Int) { base.seek(to: offset) }
        }

        func site() throws -> Site {
            let storage = ObservedBlobStorage { Source($0, self) }
            return try Site(Store(engine: MemoryEngine(), blobs: BlobStore(storage)))
        }
    }

    @Test func `unread blob replies hold no file descriptors, and all arrive eventually`() throws {
        let openings = Openings()
        let site = try openings.site()
        let digest = try site.store.blobs.write([UInt8](repeating: 7, count: 200_000))
        var deaf = BlobClient(Conversation.Options().passive, site)
        var properties = Self.zero
        properties["digest"] = digest.description
        for _ in 0..<300 { deaf.send("getAttachment", properties) }
        // Reads everything, acknowledges nothing.
        deaf.exchange(acknowledges: false)
        #expect(openings.most.load(ordering: .relaxed) <= 8)
        #expect(deaf.answeredCount == 0)

        deaf.peer.advance(to: .seconds(60))
        deaf.peer.advance(to: .seconds(120))
        #expect(openings.count.load(ordering: .relaxed) == 0, "closed while nobody reads")

        deaf.exchange(acknowledges: true)
        #expect(deaf.answeredCount == 300)
        #expect(openings.count.load(ordering: .relaxed) == 0)
    }

    @Test func `blob requests above the queue limit are refused`() throws {
        let site = try Site()
        let digest = try site.store.blobs.write([UInt8](repeating: 7, count: 200_000))
        var deaf = BlobClient(Conversation.Options().passive, site)
        var properties = Self.zero
        properties["digest"] = digest.description
        for _ in 0..<1_100 { deaf.send("getAttachment", properties) }
        deaf.exchange(acknowledges: false)
        #expect(deaf.refusals == Array(repeating: "HTTP/503", count: 1_100 - 1_008))
    }

    @Test func `the proof of a large blob takes several turns and is correct`() throws {
        let site = try Site()
        let content = [UInt8](repeating: 9, count: 3 << 20)
        let digest = try site.store.blobs.write(content)
        var visitor = BlobClient(Conversation.Options().passive, site)
        var properties = Self.zero
        properties["digest"] = digest.description
        visitor.send("proveAttachment", properties, Array("nonce".utf8))
        visitor.exchange(acknowledges: true)
        var turnCount = 0
        while visitor.answeredCount == 0, turnCount < 100 {
            #expect(visitor.peer.deadline == .zero)
            visitor.peer.advance(to: .zero)
            visitor.exchange(acknowledges: true)
            turnCount += 1
        }
        #expect((4...13).contains(turnCount))
        let hashed = [5] + Array("nonce".utf8) + content
        let text = "sha1-" + Base64.encode(SHA1.digest(of: hashed.span).span)
        #expect(visitor.lastBody == Array(text.utf8))
        #expect(visitor.peer.deadline != .zero)
    }

    // MARK: Rights

    private func limitedClient(of site: Site) -> Counterpart {
        Counterpart.client(site) { $0.bindsBlobs = true }
    }

    private func body(_ digest: BlobDigest) -> String { Site.blobBody(digest, 3, "image/png") }

    private static let revision: BLIPProperties = [
        "collection": "0", "id": "mine", "rev": "1-aa", "noconflicts": "true",
    ]

    @Test(arguments: [true, false])
    func `a referenced blob must be sent even if the receiver has it`(isHere: Bool) throws {
        let site = try Site()
        let digest = BlobDigest(hashing: [1, 2, 3].span)
        if isHere { _ = try site.store.blobs.write([1, 2, 3]) }
        var client = limitedClient(of: site)
        #expect(client.ask("rev", Self.revision, body(digest)) == nil, "it waits for the content")
        let request = try client.take("getAttachment")
        #expect(request.properties["digest"] == digest.description)
        client.refuse(request, "HTTP", 404)
        #expect(try site.contents() == [:], "without the content nothing is stored")

        #expect(client.ask("rev", Self.revision, body(digest)) == nil)
        client.answer(try client.take("getAttachment"), bytes: [1, 2, 3])
        #expect(try site.contents().keys.sorted() == ["mine"])
        #expect(try site.store.blobs.read(digest) == [1, 2, 3])
    }

    @Test func `wrong content for a stored blob does not change it`() throws {
        let site = try Site()
        let digest = try site.store.blobs.write([1, 2, 3])
        var client = limitedClient(of: site)
        client.ask("rev", Self.revision, body(digest))
        client.answer(try client.take("getAttachment"), bytes: [4])
        #expect(try site.contents() == [:])
        #expect(try site.store.blobs.read(digest) == [1, 2, 3])
    }

    @Test func `a blob that was sent or can be fetched is not requested again`() throws {
        let site = try Site()
        var client = limitedClient(of: site)
        let digest = BlobDigest(hashing: [1, 2, 3].span)
        client.ask("rev", Self.revision, body(digest))
        client.answer(try client.take("getAttachment"), bytes: [1, 2, 3])
        var second = Self.revision
        second["id"] = "another"
        #expect(client.ask("rev", second, body(digest)) != nil)

        var later = limitedClient(of: site)
        var next = Self.revision
        next["rev"] = "2-bb"
        next["history"] = "1-aa"
        #expect(later.ask("rev", next, body(digest)) != nil, "its document has it already")
        second["id"] = "third"
        #expect(later.ask("rev", second, body(digest)) == nil)
    }

    // MARK: Blobs that a client left here

    /// A document of this many bytes with a blob, here and at a client that left the blob here and edited the document.
    private func editedElsewhere(
        _ byteCount: Int
    ) throws -> (here: Site, client: Site, Conversation.Options) {
        let (here, client) = (try Site(), try Site())
        let digest = try here.store.blobs.write([1, 2, 3])
        func body(_ version: Int) -> String {
            let text = String(repeating: "x", count: byteCount)
            return #"{"n":\#(version),"text":"\#(text)","# + self.body(digest).dropFirst()
        }
        try here.save("mine", body(1), hasBlobs: true)
        var options = Conversation.Options()
        (options.blobs, options.bindsBlobs) = (.lazy, true)
        #expect(Conversation.oneShot(options, client, here).failures == [])
        #expect(!client.store.blobs.contains(digest))
        try client.save("mine", body(2), hasBlobs: true)
        return (here, client, options)
    }

    @Test(arguments: [10, 70_000, 700_000])
    func `an edit of a document of any size does not send its blob again`(byteCount: Int) throws {
        let (here, client, options) = try editedElsewhere(byteCount)
        let run = Conversation.oneShot(options, client, here)
        #expect(run.failures == [])
        #expect(try here.contents() == client.contents())
        #expect(try here.body("mine")?.hasPrefix(#"{"n":2"#) == true)
    }

    @Test func `an edit above the read budget is retried, not failed`() throws {
        let site = try Site()
        let digest = try site.store.blobs.write([1, 2, 3])
        let long = #"{"text":"\#(String(repeating: "x", count: 200_000))","#
        for documentID in ["one", "mine"] as [DocumentID] {
            try site.put(documentID, ["1-aa"], long + body(digest).dropFirst(), hasBlobs: true)
        }
        var client = Counterpart.client(
            site,
            limits: { $0.deltaSourceByteCount = 20_000 },
            passive: { $0.bindsBlobs = true }
        )
        #expect(try edit("one", naming: digest, by: &client) == "stored")
        #expect(try edit("mine", naming: digest, by: &client) == "HTTP/503")
        #expect(client.closeCode == nil)
        client.now = .seconds(60)
        #expect(try edit("mine", naming: digest, by: &client) == "stored")
    }

    @Test func `the blob of an expired document is not sent, even before it is purged`() throws {
        let site = try Site()
        let digest = try site.saveBlob("d", [1, 2, 3])
        var client = limitedClient(of: site)
        let question: BLIPProperties = [
            "collection": "0", "digest": digest.description, "docID": "d",
        ]
        #expect(client.ask("getAttachment", question)?.body == [1, 2, 3])
        // A timer would purge it, and may be late.
        try site.store.write { try $0.setExpiration(1, of: "d", in: .default) }
        #expect(client.ask("getAttachment", question)?.error?.code == 404)
    }

    @Test func `a blob that only another document has must be sent`() throws {
        let site = try Site()
        let digest = try site.saveBlob("other", [1, 2, 3])
        let long = String(repeating: "x", count: 70_000)
        try site.put("mine", ["1-aa"], #"{"text":"\#(long)"}"#)
        var client = limitedClient(of: site)
        #expect(try edit("mine", naming: digest, by: &client) == "HTTP/404")
        #expect(try edit("mine", naming: BlobDigest(hashing: [4].span), by: &client) == "HTTP/404")
    }

    @Test func `a blob of a document that the client may not read must be sent`() throws {
        let site = try Site()
        let digest = try site.store.blobs.write([1, 2, 3])
        let long = #"{"text":"\#(String(repeating: "x", count: 70_000))","#
        try site.put("mine", ["1-aa"], long + body(digest).dropFirst(), hasBlobs: true)
        var unseeing = Counterpart.client(site) { options in
            options.bindsBlobs = true
            options.readFilters[.default] = { _ in false }
        }
        #expect(try edit("mine", naming: digest, by: &unseeing) == "HTTP/404")
    }

    /// Sends a short revision 2 of a document, and has no content for its blob; returns the answer.
    private func edit(
        _ documentID: String,
        naming digest: BlobDigest,
        by client: inout Counterpart
    ) throws -> String {
        var properties = Self.revision.adding("history", "1-aa").adding("Profile", "rev")
        (properties["id"], properties["rev"]) = (documentID, "2-bb")
        let content = Array(body(digest).utf8)
        let sent = client.send(properties, content, isNoReply: false, isCompressed: false)
        let number = try #require(sent)
        client.refuse(try client.take("getAttachment"), "HTTP", 404)
        let reply = try #require(client.reply(to: number))
        return reply.error.map { "\($0.domain)/\($0.code)" } ?? "stored"
    }

    @Test
    func `deltas of large bodies stay within the received bytes, or a full body is requested`()
        throws
    {
        let site = try Site()
        var options = Conversation.Options(usesDeltas: true)
        options.limits.deltaSourceByteCount = 250_000
        let long = String(repeating: "x", count: 100_000)
        try site.put("big", ["1-aa"], #"{"text":"\#(long)"}"#)
        var client = Counterpart.client(site, options)
        var outcomes: [String] = []
        for number in 2...6 {
            let properties: BLIPProperties = [
                "collection": "0", "id": "big", "rev": "\(number)-aa",
                "history": "\(number - 1)-aa",
                "deltaSrc": "\(number - 1)-aa",
            ]
            let reply = client.ask("rev", properties, #"{"n":\#(number)}"#)
            outcomes.append(reply?.error.map { "\($0.code)" } ?? "stored")
            if reply?.error != nil { break }
        }
        #expect(outcomes == ["stored", "stored", "422"])
    }
}

/// A client that reads what we send, with or without acknowledging it.
private struct BlobClient {
    let peer: any SyncPeer
    private(set) var answeredCount = 0
    private(set) var lastBody: [UInt8] = []
    private(set) var refusals: [String] = []
    private var blip = BLIPConnection(codec: Conversation.Options().passive.codec)
    private var withheld: [[UInt8]] = []

    init(_ configuration: PeerConfiguration, _ site: Site) {
        peer = configuration.makePeer(store: site.store)
        peer.connected(subprotocol: Subprotocol.version3.rawValue, at: .zero)
        let collections = #"{"checkpoint_ids":["a"],"collections":["_default"]}"#
        send("getCollections", [:], Array(collections.utf8))
        exchange(acknowledges: true)
        answeredCount = 0
    }

    mutating func send(_ profile: String, _ properties: BLIPProperties, _ body: [UInt8] = []) {
        blip.send(BLIPRequest(profile: profile, properties: properties, body: .bytes(body)))
    }

    mutating func exchange(acknowledges: Bool) {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            if acknowledges {
                for frame in withheld { peer.receive(frame.span, at: .zero) }
                withheld = []
            }
            var frame: [UInt8] = []
            while blip.nextFrame(into: &frame) {
                if acknowledges || !Self.isAcknowledgement(frame) {
                    peer.receive(frame.span, at: .zero)
                    isQuiet = false
                } else {
                    withheld.append(frame)
                }
                frame = []
            }
            peer.inputDrained(at: .zero)
            while peer.nextFrame(into: &frame) {
                _ = try? blip.receive(frame.span)
                frame = []
                isQuiet = false
            }
            takeReplies()
        }
    }

    private mutating func takeReplies() {
        while let event = blip.next() {
            guard case .reply(_, let reply) = event else { continue }
            if let error = reply.error {
                refusals.append("\(error.domain)/\(error.code)")
            } else {
                answeredCount += 1
                lastBody = reply.body
            }
        }
    }

    /// Whether a frame acknowledges received bytes: type 4 or 5 after the message's number.
    private static func isAcknowledgement(_ frame: [UInt8]) -> Bool {
        let flags = frame.drop { $0 >= 0x80 }.dropFirst().first ?? 0
        return flags & 7 >= 4
    }
}
