import DivanBLIP
import DivanDelta
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Testing

/// Recordings of databases with version vectors, which only speak CBMobile_4, played against both of our sides; and
/// against databases of trees, which refuse them.
@Suite struct VectorTranscriptTests {
    static let peers = [
        "collection-vectors", "conflict-no-common-ancestor-vectors", "conflict-vectors",
        "continuous-vectors", "pull-vectors", "push-vectors", "sync-two-way-vectors",
    ]
    static let gateways = [
        "sg-conflict-vectors", "sg-continuous-vectors", "sg-pull-vectors", "sg-push-vectors",
    ]

    @Test(arguments: peers + gateways)
    func `sends the same messages as a Couchbase Lite 4 client`(name: String) throws {
        try VectorRecording("litecore-" + name, isActive: true).play()
    }

    @Test(arguments: peers)
    func `sends the same messages as a Couchbase Lite 4 listener`(name: String) throws {
        try VectorRecording("litecore-" + name, isActive: false).play()
    }

    @Test(arguments: peers + gateways)
    func `a database with revision trees does not accept a version vector client`(
        name: String
    ) throws {
        let listener = Conversation.Options().passive
        for connection in try Transcript("litecore-" + name).connections {
            #expect(connection.offered == ["BLIP_3+CBMobile_4"], "\(connection.label)")
            #expect(listener.choose(from: connection.offered) == nil)
            var vectors = listener
            vectors.scheme = .vectors
            #expect(vectors.choose(from: connection.offered) == .version4)
        }
    }

    @Test func `a client that offers both versions is served with revision trees`() throws {
        let listener = Conversation.Options().passive
        for name in ["litecore-sg-push", "litecore-sg-conflict"] {
            for connection in try Transcript(name).connections
            where connection.offered.contains("BLIP_3+CBMobile_4") {
                #expect(listener.choose(from: connection.offered) == .version3)
            }
        }
    }
}

/// One recording, and the contents of the database on the side that we play.
private struct VectorRecording {
    private let transcript: Transcript
    private let isActive: Bool
    private let path: CollectionPath
    private let site: Site
    /// What our side wrote, by version, in the order of the recording.
    private var own: [(version: RevisionID, revision: RemoteRevision, sequence: UInt64)] = []

    init(_ name: String, isActive: Bool) throws {
        // Couchbase Lite's listener names its whole vector in a conflict; ours, like Sync Gateway, names the current
        // version.
        let whole =
            "18e9af52b30f0000@o9+84ucQR4a8ZBE1zXZ/bQ; 18e9af52a2ab0000@rGxJD77SR0+odh7PeEHKXA"
        let current = String(whole.prefix { $0 != ";" })
        transcript = try Transcript(name, replacing: isActive ? [:] : [whole: current])
        self.isActive = isActive
        let isNamed = name.contains("collection")
        path = try #require(CollectionPath(isNamed ? "travel.hotels" : "_default"))
        site = try Site(.inMemory(scheme: .vectors), collections: isNamed ? [path] : [])
        try collectOwn()
    }

    private func isOurs(_ message: Transcript.Message) -> Bool { message.isFromClient == isActive }

    /// The full text of each revision that our side sent, or still has at the end.
    private mutating func collectOwn() throws {
        let root = try JSON(
            parsing: String(
                decoding: Fixture("transcripts/\(transcript.name).json").bytes(),
                as: UTF8.self
            )
        )
        var seen: Set<RevisionID> = []
        for message in transcript.connections.flatMap(\.messages)
        where isOurs(message) && message.profile == "rev" {
            guard let id = message["rev"].flatMap({ RevisionID(ofAnyScheme: $0) }),
                seen.insert(id).inserted
            else { continue }
            try add(
                message["id"] ?? "",
                id,
                history: message["history"] ?? "",
                isTombstone: message["deleted"] != nil,
                body: try fullBody(message),
                sequence: message["sequence"].flatMap { UInt64($0) } ?? 0
            )
        }
        // `id time@* flags=… seq=… body`
        for line in root["databases_after"]?[isActive ? "client" : "server"]?.array ?? [] {
            guard let text = line.string else { continue }
            let words = text.split(separator: " ", maxSplits: 4)
            guard words.count == 5, words[1].hasSuffix("@*"), let source = ownSource else {
                continue
            }
            let version = try #require(Version(String(words[1]), acceptsMe: true))
            let id = RevisionID(version.replacingMe(by: source))
            guard seen.insert(id).inserted else { continue }
            try add(
                String(words[0]),
                id,
                history: "",
                isTombstone: words[2].hasSuffix("1"),
                body: Array(words[4].utf8),
                sequence: UInt64(words[3].dropFirst(4)) ?? 0
            )
        }
        own.sort { $0.sequence < $1.sequence }
    }

    /// The body of a revision; the message may contain a delta from an earlier one.
    private func fullBody(_ message: Transcript.Message) throws -> [UInt8] {
        guard let source = message["deltaSrc"].flatMap({ RevisionID(ofAnyScheme: $0) }),
            let base = own.first(where: { $0.version == source })
        else { return message.body }
        let old = try JSON(parsing: base.revision.body.span)
        return try JSONDelta.apply(JSON(parsing: message.body.span), to: old).canonicalBytes()
    }

    /// The source of the side that we play, as named in its first list.
    private var ownSource: SourceID? {
        for message in transcript.connections.flatMap(\.messages) where isOurs(message) {
            let place =
                message.profile == "proposeChanges" ? 1 : message.profile == "changes" ? 2 : nil
            guard let place else { continue }
            for entry in message.json?.array ?? [] {
                let text = entry.array?[place].string ?? ""
                if let version = Version(text) { return version.source }
            }
        }
        return nil
    }

    private mutating func add(
        _ name: String,
        _ id: RevisionID,
        history: String,
        isTombstone: Bool,
        body: [UInt8],
        sequence: UInt64
    ) throws {
        let ancestry = try RevisionAncestry(of: id, text: history)
        let text = String(decoding: body, as: UTF8.self)
        let revision = RemoteRevision(
            documentID: DocumentID(unchecked: name),
            revisionID: id,
            history: ancestry.ids,
            mergeCount: ancestry.mergeCount,
            isTombstone: isTombstone,
            body: isTombstone ? Array("{}".utf8) : body,
            hasBlobs: text.contains(#""@type":"blob""#),
            remote: nil,
            refusesConflicts: true
        )
        own.append((id, revision, sequence))
    }

    /// Stores what our side wrote under the sequence that it had there.
    private func write(
        _ item: (version: RevisionID, revision: RemoteRevision, sequence: UInt64)
    ) throws {
        try site.store.write { writer in
            guard let version = item.version.version,
                try writer.revision(item.revision.documentID, item.version, in: path) == nil
            else { return }
            while try writer.lastSequence(in: path) + 1 < item.sequence {
                // What the recorded side had there before.
                let gap = item.sequence - (try writer.lastSequence(in: path))
                let older = try #require(Version(time: version.time - gap, source: version.source))
                _ = try writer.insert(
                    RemoteRevision(
                        documentID: item.revision.documentID,
                        revisionID: RevisionID(older),
                        history: item.revision.history,
                        body: Array("{}".utf8),
                        refusesConflicts: true
                    ),
                    in: path
                )
            }
            _ = try writer.insert(item.revision, in: path)
        }
    }

    private func mentions(_ message: Transcript.Message, _ version: RevisionID) -> Bool {
        let text = version.description
        return isOurs(message)
            && (message["rev"] == text
                || String(decoding: message.body, as: UTF8.self).contains(text))
    }

    /// Plays every connection; before each, our side writes what it is about to mention.
    func play() throws {
        try storeBlobs()
        for connection in transcript.connections {
            let messages = connection.messages
            let subscription = messages.first { $0.profile == "subChanges" }
            let isContinuous = subscription?["continuous"] != nil
            let spoken = own.filter { item in messages.contains { mentions($0, item.version) } }
            for item in spoken where !(isContinuous && isLate(item.revision)) { try write(item) }
            var options = Conversation.Options(
                pushes: messages.contains { $0.profile == "proposeChanges" },
                pulls: subscription != nil,
                isContinuous: isContinuous
            )
            options.collections = [.init(path)]
            options.usesDeltas = messages.contains { $0["deltaSrc"] != nil }
            var configuration = isActive ? options.active : options.passive
            configuration.scheme = .vectors
            var replay = Replay(
                configuration.makePeer(store: site.store),
                playsServer: isActive,
                label: connection.label
            )
            replay.subprotocol = .version4
            replay.site = site
            replay.onMessage = { message in
                for item in spoken where mentions(message, item.version) { try write(item) }
            }
            try replay.run(connection)
            #expect(replay.error == nil, "\(connection.label)")
        }
    }

    /// Whether a continuous recording wrote the document while it was connected.
    private func isLate(_ revision: RemoteRevision) -> Bool {
        revision.documentID.text.hasSuffix("-2")
    }

    private func storeBlobs() throws {
        let messages = transcript.connections.flatMap(\.messages)
        for message in messages where isOurs(message) && message.type == "RES" {
            if !message.body.isEmpty, message.properties.isEmpty, message.json == nil {
                _ = try site.store.blobs.write(message.body)
            }
        }
    }
}
