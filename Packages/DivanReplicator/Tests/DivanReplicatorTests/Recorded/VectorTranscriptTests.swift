import DivanBLIP
import DivanJSON
import DivanReplicator
import DivanStore
import Testing

/// Recordings of version-vector databases, which speak CBMobile_4 and nothing else.
///
/// We keep revision trees, so these conversations do not come about: our listener has nothing in
/// common with what such a client offers. What can still be shown is that their messages do no harm
/// to a peer of ours that hears them anyway.
@Suite struct VectorTranscriptTests {
    static let names = [
        "litecore-collection-vectors", "litecore-conflict-no-common-ancestor-vectors",
        "litecore-conflict-vectors", "litecore-continuous-vectors", "litecore-pull-vectors",
        "litecore-push-vectors", "litecore-sg-conflict-vectors", "litecore-sg-continuous-vectors",
        "litecore-sg-pull-vectors", "litecore-sg-push-vectors", "litecore-sync-two-way-vectors",
    ]

    private static func path(_ name: String) throws -> CollectionPath {
        let text = name.contains("collection") ? "travel.hotels" : "_default"
        return try #require(CollectionPath(text))
    }

    @Test(arguments: names)
    func `a client with version vectors is told that nothing is in common`(name: String) throws {
        let listener = Conversation.Options().passive
        for connection in try Transcript(name).connections {
            #expect(connection.offered == ["BLIP_3+CBMobile_4"], "\(connection.label)")
            #expect(listener.choose(from: connection.offered) == nil)
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

    @Test(arguments: names)
    func `a server's version vectors are left aside, one error each`(name: String) throws {
        let path = try Self.path(name)
        for connection in try Transcript(name).connections {
            let lists = connection.messages.filter { $0.profile == "changes" && !$0.isFromClient }
            guard !lists.isEmpty else { continue }
            var setting = RecordedServer.Setting()
            setting.usesCollections = true
            setting.collections = [path.wireName]
            let site = try Site(collections: path == .default ? [] : [path])
            var replay = try RecordedServer(
                connection,
                setting,
                site: site,
                model: RecordedModel(),
                checkpoint: nil
            )
            try replay.run()
            _ = try replay.finish()
            #expect(replay.server.closeCode == 1000, "\(connection.label)")
            #expect(replay.server.error == nil)
            #expect(try site.contents(of: path) == [:])
            let count = lists.reduce(0) { $0 + ($1.json?.array?.count ?? 0) }
            #expect(replay.server.events.map(\.error?.code) == .init(repeating: 400, count: count))
        }
    }

    @Test(arguments: names)
    func `a client's version vectors are refused one by one`(name: String) throws {
        let path = try Self.path(name)
        for connection in try Transcript(name).connections {
            let site = try Site(collections: path == .default ? [] : [path])
            var replay = RecordedClient(connection, site: site, collections: [path])
            try replay.run()
            #expect(replay.client.closeCode == nil, "\(connection.label)")
            #expect(try site.contents(of: path) == [:], "\(connection.label)")
            let revisions = replay.differences.filter { $0.contains(" rev: ") }
            #expect(revisions.allSatisfy { $0.hasSuffix("ours HTTP/400") })
        }
    }
}
