import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Synchronization
import Testing

/// The cost of filters for a client that may see only some documents: bodies are read for them.
@Suite struct FilteredFeedTests {
    private static let names = #"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#

    /// The documents about which a filter was asked.
    private final class Asked: Sendable {
        private let list = Mutex<[DocumentID]>([])
        var documentIDs: [DocumentID] { list.withLock { $0 } }
        func add(_ documentID: DocumentID) { list.withLock { $0.append(documentID) } }
    }

    private func client(
        _ site: Site,
        _ asked: Asked = Asked(),
        bindsBlobs: Bool = false,
        limits: (inout ReplicatorLimits) -> Void = { _ in },
        showing isShown: @escaping @Sendable (DocumentID) -> Bool
    ) -> Counterpart {
        var options = PeerConfiguration.PassiveOptions(collections: [.default])
        options.bindsBlobs = bindsBlobs
        options.readFilters[.default] = { shown in
            asked.add(shown.documentID)
            return isShown(shown.documentID)
        }
        var configuration = Conversation.Options().passive
        configuration.role = .passive(options)
        limits(&configuration.limits)
        var client = Counterpart(configuration, site)
        client.ask("getCollections", [:], Self.names)
        return client
    }

    private func site(_ count: Int, byteCount: Int) throws -> Site {
        let site = try Site()
        let text = String(repeating: "x", count: byteCount)
        for number in 0..<count {
            try site.save(DocumentID(unchecked: "doc\(number)"), #"{"text":"\#(text)"}"#)
        }
        return site
    }

    /// Their bodies are in memory together.
    @Test func `a changes list contains no more documents than the filter checks at once`() throws {
        let site = try site(40, byteCount: 400)
        var client = client(site) {
            $0.filteredByteCount = 1_000
        } showing: {
            !$0.text.hasSuffix("7")
        }
        client.ask("subChanges", ["collection": "0"])
        var (told, longest) = (0, 0)
        for _ in 0..<200 {
            guard client.requests.contains(where: { $0.profile == "changes" }) else {
                guard client.peer.deadline == .zero else { break }
                client.peer.advance(to: .zero)
                client.exchange()
                continue
            }
            let list = try client.take("changes")
            let count = String(decoding: list.body, as: UTF8.self).split(separator: "doc").count - 1
            (told, longest) = (told + count, max(longest, count))
            if count > 0 { client.answer(list, bytes: Array("[0]".utf8)) }
        }
        #expect(told == 36)
        #expect(longest == 2)
    }

    @Test func `a client without any readable documents gets an empty feed`() throws {
        let site = try site(40, byteCount: 400)
        var client = client(site) {
            $0.filteredByteCount = 1_000
        } showing: { _ in
            false
        }
        client.ask("subChanges", ["collection": "0"])
        for _ in 0..<200 where client.peer.deadline == .zero {
            client.peer.advance(to: .zero)
            client.exchange()
        }
        #expect(try client.take("changes").body == Array("[]".utf8))
    }

    @Test func `documents that the client did not ask for are not read for the filter`() throws {
        let asked = Asked()
        var client = client(try site(20, byteCount: 10), asked) { _ in true }
        let wanted = #"{"docIDs":["doc3"]}"#
        client.ask("subChanges", ["collection": "0"], wanted)
        #expect(asked.documentIDs == ["doc3"])
    }

    @Test func `a document is checked once per list, however often the list contains it`() throws {
        let asked = Asked()
        var client = client(try site(1, byteCount: 10), asked) { _ in true }
        client.ask("subChanges", ["collection": "0", "continuous": "true"])
        _ = try client.answer("changes", "[0]")
        _ = try client.take("changes")
        let before = asked.documentIDs.count
        let list = [String](repeating: #"["doc0","1-aa"]"#, count: 5_000).joined(separator: ",")
        let reply = client.ask("proposeChanges", ["collection": "0"], "[\(list)]")
        let refusals = [String](repeating: "409", count: 5_000).joined(separator: ",")
        #expect(reply?.body == Array("[\(refusals)]".utf8))
        // Once for the answer, and once for announcing it to the client again.
        #expect(asked.documentIDs.count == before + 2)
        let again = String(decoding: try client.take("changes").body, as: UTF8.self)
        #expect(again.split(separator: "doc0").count == 2)
    }

    /// It was pushed, purged and recreated there before the feed reached it, after many unwanted changes.
    @Test
    func `a document that the client pushed and purged is announced when the feed reaches it`()
        throws
    {
        let site = try site(60, byteCount: 10)
        var client = client(site) {
            $0.changesCount = 1
            $0.listsInFlightCount = 1
        } showing: { _ in
            true
        }
        let zero: BLIPProperties = ["collection": "0"]
        let properties = zero.adding("continuous", "true")
        client.ask("subChanges", properties, #"{"docIDs":["mine"]}"#)
        client.ask("rev", zero.adding("id", "mine").adding("rev", "1-bb"), "{}")
        let proposal = client.ask("proposeChanges", zero, #"[["mine","1-cc"]]"#)
        #expect(proposal?.body == Array("[409]".utf8))
        #expect(client.peer.deadline == .zero, "the feed has not come to it yet")
        for _ in 0..<200 where client.peer.deadline == .zero {
            client.peer.advance(to: .zero)
            client.exchange()
        }
        let lists = client.requests.filter { $0.profile == "changes" && $0.body.count > 2 }
        #expect(lists.count == 1)
        let told = String(decoding: lists.first?.body ?? [], as: UTF8.self)
        #expect(told.hasPrefix(#"[[61,"mine","1-bb""#))
    }

    /// Each list is kept until it is answered.
    @Test func `a client that answers no lists gets a limited number of repeated announcements`()
        throws
    {
        let limits: (inout ReplicatorLimits) -> Void = { $0.allListsInFlightCount = 3 }
        var client = client(try site(1, byteCount: 10), limits: limits) { _ in true }
        client.ask("subChanges", ["collection": "0", "since": "1"])
        func told() -> Int {
            client.requests.count { $0.profile == "changes" && $0.body.count > 2 }
        }
        for _ in 0..<10 {
            client.ask("proposeChanges", ["collection": "0"], #"[["doc0","1-aa"]]"#)
        }
        #expect(told() == 3)
        let list = try client.take("changes") { $0.body.count > 2 }
        client.answer(list, bytes: Array("[0]".utf8))
        #expect(told() == 3, "the rest follows with the answers")
    }

    @Test func `proposals wait if they require more reads than the client has credit for`() throws {
        let asked = Asked()
        let limits: (inout ReplicatorLimits) -> Void = { $0.deltaSourceByteCount = 50_000 }
        var client = client(try site(6, byteCount: 40_000), asked, limits: limits) {
            $0 != "doc4"
        }
        let list = (0..<6).map { #"["doc\#($0)","1-aa"]"# }.joined(separator: ",")
        let properties: BLIPProperties = ["Profile": "proposeChanges", "collection": "0"]
        let sent = client.send(
            properties,
            Array("[\(list)]".utf8),
            isNoReply: false,
            isCompressed: false
        )
        let number = try #require(sent)
        #expect(client.reply(to: number) == nil)
        #expect(asked.documentIDs == ["doc0", "doc1"])
        for _ in 0..<20 where client.reply(to: number) == nil {
            client.now = try #require(client.peer.deadline)
            client.peer.advance(to: client.now)
            client.exchange()
        }
        let reply = try #require(client.reply(to: number))
        #expect(reply.body == Array("[409,409,409,409,403,409]".utf8))
        #expect(asked.documentIDs.count == 6, "each is read once")
        #expect(client.now > .seconds(1), "and as slowly as the rate allows")
    }

    @Test func `a client with waiting proposals can subscribe`() throws {
        let limits: (inout ReplicatorLimits) -> Void = { $0.deltaSourceByteCount = 1_000 }
        var client = client(try site(2, byteCount: 900_000), limits: limits) { _ in true }
        let list = #"[["doc0","1-aa"],["doc1","1-aa"]]"#
        #expect(client.ask("proposeChanges", ["collection": "0"], list) == nil, "it waits")
        let reply = client.ask("subChanges", ["collection": "0", "continuous": "true"])
        #expect(reply != nil && reply?.error == nil)
        #expect(client.requests.contains { $0.profile == "changes" })
        #expect(client.ask("subChanges", ["collection": "0"])?.error?.code == 400)
    }

    @Test func `a waiting list of any length is answered in order`() throws {
        let asked = Asked()
        let limits: (inout ReplicatorLimits) -> Void = {
            $0.deltaSourceByteCount = 50_000
            $0.changesCount = 3
        }
        var client = client(try site(4, byteCount: 40_000), asked, limits: limits) { _ in true }
        let known = [1, 5, 9, 19]
        let list = (0..<20).map { number in
            let name = known.firstIndex(of: number).map { "doc\($0)" } ?? "new\(number)"
            return #"["\#(name)","1-aa"]"#
        }
        let sent = client.send(
            ["Profile": "proposeChanges", "collection": "0"],
            Array("[\(list.joined(separator: ","))]".utf8),
            isNoReply: false,
            isCompressed: false
        )
        let number = try #require(sent)
        #expect(asked.documentIDs == ["doc0", "doc1"])
        for _ in 0..<20 where client.reply(to: number) == nil {
            client.now = try #require(client.peer.deadline)
            client.peer.advance(to: client.now)
            client.exchange()
        }
        let answer = (0..<20).map { known.contains($0) ? "409" : "0" }
        let body = try #require(client.reply(to: number)).body
        #expect(String(decoding: body, as: UTF8.self) == "[\(answer.joined(separator: ","))]")
        #expect(asked.documentIDs.count == 4)
    }

    @Test func `the number of waiting proposals is limited`() throws {
        let limits: (inout ReplicatorLimits) -> Void = {
            $0.deltaSourceByteCount = 1_000
            $0.waitingProposalsCount = 3
        }
        var client = client(try site(1, byteCount: 900_000), limits: limits) { _ in true }
        var refused: [Int] = []
        for _ in 0..<6 {
            let reply = client.ask("proposeChanges", ["collection": "0"], #"[["doc0","1-aa"]]"#)
            if let error = reply?.error { refused.append(error.code) }
        }
        #expect(refused == [503, 503])
    }

    @Test func `a client that keeps requesting blobs of large documents is answered later`() throws
    {
        let site = try Site()
        let text = String(repeating: "x", count: 90_000)
        let digest = try site.store.blobs.write([1, 2, 3])
        let blob = Site.blobBody(digest, 3, "image/png").dropFirst().dropLast()
        try site.save("large", "{\"text\":\"\(text)\",\(blob)}", hasBlobs: true)
        var client = client(
            site,
            bindsBlobs: true,
            limits: { $0.deltaSourceByteCount = 1_000 },
            showing: { _ in true }
        )
        var codes: [Int] = []
        for id in ["large", "large", "nowhere"] {
            let question: BLIPProperties = [
                "collection": "0", "docID": id, "digest": digest.description,
            ]
            codes.append(client.ask("getAttachment", question)?.error?.code ?? 0)
        }
        #expect(codes == [0, 503, 503], "the refusal does not tell what is here")
        client.now = .seconds(200)
        let question: BLIPProperties = [
            "collection": "0", "docID": "nowhere", "digest": digest.description,
        ]
        #expect(client.ask("getAttachment", question)?.error?.code == 404)
    }

    @Test
    func `a client that keeps replacing large documents with small messages must retry later`()
        throws
    {
        let site = try site(1, byteCount: 90_000)
        let revision = try #require(try site.revision("doc0"))
        let asked = Asked()
        var options = PeerConfiguration.PassiveOptions(collections: [.default])
        options.storedFilters[.default] = { shown in
            asked.add(shown.documentID)
            return shown.documentID != "doc0"
        }
        var configuration = Conversation.Options().passive
        configuration.role = .passive(options)
        configuration.limits.deltaSourceByteCount = 1_000
        var client = Counterpart(configuration, site)
        client.ask("getCollections", [:], Self.names)
        var codes: [Int] = []
        for id in ["doc0", "doc0", "doc0"] {
            let message: BLIPProperties = [
                "collection": "0", "id": id, "rev": "2-aa", "history": revision,
            ]
            codes.append(client.ask("rev", message, "{}")?.error?.code ?? 0)
        }
        #expect(codes == [403, 503, 503])
        #expect(asked.documentIDs == ["doc0"])
        client.now = .seconds(200)
        let new: BLIPProperties = ["collection": "0", "id": "new", "rev": "1-aa"]
        #expect(client.ask("rev", new, "{}")?.error == nil)
    }
}
