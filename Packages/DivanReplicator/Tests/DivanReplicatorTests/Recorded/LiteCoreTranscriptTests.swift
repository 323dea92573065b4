import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// Recordings of LiteCore in which documents conflict, change while connected, or carry large blobs, played against
/// both of our sides; and LiteCore as a client of Sync Gateway, in whose place our active side must say the same.
@Suite struct LiteCoreTranscriptTests {
    private func replay(
        _ connection: Transcript.Connection,
        _ options: Conversation.Options,
        _ site: Site,
        isActive: Bool
    ) -> Replay {
        var replay = Replay(
            (isActive ? options.active : options.passive).makePeer(store: site.store),
            playsServer: isActive,
            label: connection.label
        )
        replay.site = site
        return replay
    }

    private static let oneWay = [
        Conversation.Options(pulls: false), .init(pulls: false), .init(pushes: false),
    ]

    @Test(arguments: ["litecore-conflict", "litecore-sg-conflict"])
    func `handles a conflict like LiteCore`(name: String) throws {
        let transcript = try Transcript(name)
        let site = try Site()
        try site.save("doc-c", #"{"v":"base"}"#)
        for (index, connection) in transcript.connections.prefix(3).enumerated() {
            if index == 1 { try site.save("doc-c", #"{"v":"client"}"#) }
            var replay = replay(connection, Self.oneWay[index], site, isActive: true)
            try replay.run(connection)
            #expect(replay.error == nil)
            #expect(replay.closeCode == 1000, "\(connection.label)")
            let codes = replay.events.map(\.error?.code)
            #expect(codes == [[nil], [409], [8]][index], "\(connection.label)")
        }
        // The local branch stays current until somebody decides.
        #expect(try site.revision("doc-c") == "2-88af63d95ad159844220238bc8c0d8450c8fa169")
        #expect(try site.store.read { try $0.conflicts(in: .default) } == ["doc-c"])
    }

    /// LiteCore pushes a document in conflict anyway, and Sync Gateway refuses it; ours waits for its resolver.
    @Test(arguments: ["litecore-conflict", "litecore-sg-conflict"])
    func `does not push a conflicted document that LiteCore pushes`(name: String) throws {
        let transcript = try Transcript(name)
        let site = try Site()
        try site.save("doc-c", #"{"v":"base"}"#)
        for (index, connection) in transcript.connections.enumerated() {
            if index == 1 { try site.save("doc-c", #"{"v":"client"}"#) }
            guard index == 3 else {
                var replay = replay(connection, Self.oneWay[index], site, isActive: true)
                try replay.run(connection)
                continue
            }
            let options = Conversation.Options(pulls: false)
            var server = Counterpart(options.active, site)
            try server.answer("getCollections", #"[{"local":2,"rev":"3-cc"}]"#)
            #expect(try server.take("proposeChanges").body == Array("[]".utf8))
            #expect(server.requests.allSatisfy { $0.profile == "setCheckpoint" })
        }
    }

    @Test func `refuses a conflict that LiteCore stores`() throws {
        let transcript = try Transcript("litecore-conflict")
        let site = try Site()
        for (index, connection) in transcript.connections.enumerated() {
            if index == 1 { try site.save("doc-c", #"{"v":"server"}"#) }
            guard index == 3 else {
                var replay = replay(connection, .init(), site, isActive: false)
                try replay.run(connection)
                #expect(replay.error == nil)
                continue
            }
            var client = RecordedClient(connection, site: site, collections: [.default])
            try client.run()
            #expect(client.differences.count == 1)
            #expect(client.differences.first?.hasSuffix("rev: fine, ours HTTP/409") == true)
        }
        #expect(try site.revision("doc-c") == "2-3464db27a4e7ba698677de1de2b6aeaba921259b")
    }

    @Test(arguments: [true, false])
    func `handles two unrelated documents with one ID like LiteCore`(isActive: Bool) throws {
        let transcript = try Transcript("litecore-conflict-no-common-ancestor")
        let site = try Site()
        try site.save("doc-x", isActive ? #"{"v":"client"}"# : #"{"v":"server"}"#)
        for (index, connection) in transcript.connections.enumerated() {
            let options = isActive ? Self.oneWay[index + 1] : Conversation.Options()
            var replay = replay(connection, options, site, isActive: isActive)
            try replay.run(connection)
            #expect(replay.error == nil)
            #expect(replay.closeCode == (isActive ? 1000 : nil))
        }
        #expect(
            try site.store.read { try $0.conflicts(in: .default) } == (isActive ? ["doc-x"] : [])
        )
    }

    @Test(
        arguments: [
            ("litecore-continuous", true), ("litecore-continuous", false),
            ("litecore-sg-continuous", true),
        ]
    )
    func `stays connected like LiteCore`(name: String, isActive: Bool) throws {
        let transcript = try Transcript(name)
        let connection = transcript.connections[0]
        let site = try Site()
        try site.save(isActive ? "c-1" : "s-1", isActive ? #"{"v":1}"# : #"{"v":2}"#)
        var replay = replay(connection, .init(isContinuous: true), site, isActive: isActive)
        let late = isActive ? "c-2" : "s-2"
        replay.onMessage = { message in
            let body = String(decoding: message.body, as: UTF8.self)
            guard message.isFromClient == isActive,
                body.contains("[\"\(late)\"")
                    || body.contains(",\"\(late)\""),
                try site.revision(DocumentID(unchecked: late)) == nil
            else { return }
            try site.save(DocumentID(unchecked: late), #"{"v":"while idle"}"#)
        }
        try replay.run(connection)
        #expect(replay.error == nil)
        let expected = name == "litecore-continuous" ? 4 : 3
        #expect(try site.contents().count == expected)
        #expect(replay.events.allSatisfy { $0.error == nil })
    }

    /// LiteCore offers version 4 first when it only pushes from trees, and Sync Gateway accepted it.
    @Test(arguments: [Subprotocol.version3, .version4])
    func `pushes the same messages to Sync Gateway as LiteCore`(subprotocol: Subprotocol) throws {
        let transcript = try Transcript("litecore-sg-push")
        let site = try RecordedDocuments.site(transcript)
        for (index, connection) in transcript.connections.enumerated() {
            if index == 2 {
                try RecordedDocuments.save(3, in: site)
                try site.delete("doc-a")
            }
            var replay = replay(connection, .init(pulls: false), site, isActive: true)
            replay.subprotocol = subprotocol
            try replay.run(connection)
            #expect(replay.closeCode == 1000, "\(connection.label)")
            #expect(replay.error == nil)
            #expect(replay.events.allSatisfy { $0.error == nil })
        }
    }

    @Test func `pulls the same messages from Sync Gateway as LiteCore`() throws {
        let transcript = try Transcript("litecore-sg-pull")
        let site = try Site()
        for connection in transcript.connections {
            var replay = replay(connection, .init(pushes: false), site, isActive: true)
            try replay.run(connection)
            #expect(replay.closeCode == 1000, "\(connection.label)")
            #expect(replay.error == nil)
        }
        #expect(try site.body("doc-a") == nil)
        #expect(try site.revision("doc-b") == "3-62c9b2d908eaaba111696db4fc5513bd")
        #expect(try site.body("doc-att")?.contains("hello.txt") == true)
    }

    /// The recording contains only lengths and types of the two blobs: they are replaced by content of the same length,
    /// and the digests and revision IDs change accordingly.
    @Test(arguments: [true, false])
    func `transfers large blobs like LiteCore`(isActive: Bool) throws {
        let large = try LargeBlobs()
        let transcript = try Transcript("litecore-big-blob", replacing: large.replacements)
        for (index, connection) in transcript.connections.enumerated() {
            let isSender = (index == 0) == isActive
            // The recorded server had received the text first.
            let site = try isSender ? large.site(isTextFirst: index == 1) : Site()
            let options = Conversation.Options(pushes: index == 0, pulls: index == 1)
            var replay = replay(connection, isActive ? options : .init(), site, isActive: isActive)
            replay.contents = large.contents
            try replay.run(connection)
            #expect(replay.error == nil)
            let expected = try RecordedModel.held(by: large.site(), .default)
            #expect(try RecordedModel.held(by: site, .default) == expected, "\(connection.label)")
        }
    }
}

/// The two blobs of the recording `big-blob`, with replaced content.
private struct LargeBlobs {
    private let image: [UInt8]
    private let text: [UInt8]
    let contents: [String: [UInt8]]
    let replacements: [String: String]

    init() throws {
        var generator = SeededGenerator(seed: 400_000)
        image = (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        text = Array(
            String(repeating: "engine river number letter ", count: 12_000).utf8.prefix(300_000)
        )
        let digests = [image, text].map { BlobDigest(hashing: $0.span).description }
        contents = [digests[0]: image, digests[1]: text]
        let site = try Self.site([
            ("big-blob", image, "image/jpeg"), ("big-text", text, "text/plain"),
        ])
        replacements = [
            "sha1-9epNFVk2xzDdR87bsLUli0Ujw9o=": digests[0],
            "sha1-43qDl+KD7wtVSsYBWoIbNqhR/oE=": digests[1],
            "1-75b2fc95a5fa36fcc45e0a14702bf8d1b6bb21c1": try site.revision("big-blob") ?? "",
            "1-04982ee83de7fe0b4c007b944e11f57213fc0f1f": try site.revision("big-text") ?? "",
        ]
    }

    func site(isTextFirst: Bool = false) throws -> Site {
        let documents = [("big-blob", image, "image/jpeg"), ("big-text", text, "text/plain")]
        return try Self.site(isTextFirst ? documents.reversed() : documents)
    }

    private static func site(_ documents: [(String, [UInt8], String)]) throws -> Site {
        let site = try Site()
        for (id, content, type) in documents {
            let digest = try site.store.blobs.write(content)
            let body = RecordedDocuments.body(digest, content.count, type)
            try site.save(DocumentID(unchecked: id), body, hasBlobs: true)
        }
        return site
    }
}
