import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A collection that was deleted and recreated counts its sequences from the beginning: what both sides knew about the
/// previous one must not apply to it.
@Suite struct RecreatedCollectionTests {
    private static let notes = CollectionPath("notes") ?? .default
    private static let others = CollectionPath("others") ?? .default
    private static let paths = [CollectionPath.default, notes]

    /// Two sites that have passed the sequences of both collections.
    private func meet(_ path: CollectionPath) throws -> (Conversation.Options, Site, Site) {
        var options = Conversation.Options()
        options.collections = [.init(path), .init(Self.others)]
        options.offered = [path, Self.others]
        let (here, there) = (
            try Site(collections: [Self.notes, Self.others]),
            try Site(collections: [Self.notes, Self.others])
        )
        for number in 0..<20 {
            try here.save(DocumentID(unchecked: "mine \(number)"), "{}", in: path)
            try there.save(DocumentID(unchecked: "theirs \(number)"), "{}", in: path)
        }
        try here.save("other", "{}", in: Self.others)
        #expect(Conversation.oneShot(options, here, there).failures == [])
        return (options, here, there)
    }

    private func remake(_ path: CollectionPath, in site: Site) throws {
        try site.store.deleteCollection(path)
        try site.store.createCollection(path)
    }

    /// For an active peer, which pushes and pulls, and for a listener.
    @Test(arguments: paths, [true, false])
    func `documents saved in a recreated collection are pushed, and the peer's are pulled`(
        _ path: CollectionPath,
        isListener: Bool
    ) throws {
        let (options, here, there) = try meet(path)
        let remade = isListener ? there : here
        try remake(path, in: remade)
        for number in 0..<5 {
            try remade.save(DocumentID(unchecked: "new \(number)"), "{}", in: path)
        }
        let run = Conversation.oneShot(options, here, there)
        #expect(run.failures == [])
        #expect(try there.contents(of: path).count == 45)
        #expect(try here.contents(of: path) == there.contents(of: path))
        #expect(Conversation.oneShot(options, here, there).transfers == [])
    }

    @Test func `the checkpoints of other collections are kept`() throws {
        let (_, here, there) = try meet(Self.notes)
        for site in [here, there] { try remake(Self.notes, in: site) }
        #expect(try here.store.read { try $0.localCheckpoints() }.count == 1)
        #expect(try there.store.read { try $0.peerCheckpoints() }.count == 1)
    }

    /// Databases in which an earlier version deleted a collection still contain its checkpoints.
    @Test func `a checkpoint beyond the last sequence of a collection is ignored`() throws {
        let options = Conversation.Options()
        let (here, there) = (try Site(), try Site())
        try here.save("a", "{}")
        try there.save("b", "{}")
        guard case .active(let active) = options.active.role else { return }
        let name = CheckpointNames(of: active.collections[0], active, in: here.store).id
        let copy = #"{"local":7,"remote":9}"#
        try here.store.setLocalCheckpoint(name.description, Array(copy.utf8))
        var client = Counterpart(options.active, here)
        try client.answer("getCollections", #"[{"local":7,"remote":9,"rev":"0-1"}]"#)
        #expect(try client.next("subChanges").properties["since"] == nil)
        let offer = String(decoding: try client.next("proposeChanges").body, as: UTF8.self)
        #expect(offer.contains(#""a""#))

        var server = Counterpart.client(there)
        server.ask("subChanges", ["collection": "0", "since": "900"])
        let list = try server.next("changes")
        #expect(String(decoding: list.body, as: UTF8.self).contains(#""b""#))
    }

    /// A one-shot replication is not notified of changes in its store.
    @Test func `a run during which its collection is recreated saves no checkpoint for it`() throws
    {
        let site = try Site(collections: [Self.notes])
        var options = Conversation.Options(pushes: false)
        options.collections = [.init(Self.notes)]
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        let zero: BLIPProperties = ["collection": "0"]
        for (sequence, id) in [(1, "a"), (2, "b")] {
            server.ask("changes", zero, "[[\(sequence),\"\(id)\",\"1-aa\"]]")
            server.ask(
                "rev",
                ["collection": "0", "id": id, "rev": "1-aa", "sequence": "\(sequence)"],
                "{}"
            )
            if sequence == 1 { try remake(Self.notes, in: site) }
        }
        server.ask("changes", zero, "[]", isNoReply: true)
        try server.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(server.error != nil)
        #expect(try site.store.read { try $0.localCheckpoints() }.isEmpty)
        var again = Counterpart(options.active, site)
        try again.answer("getCollections", #"[{"remote":2,"_rev":"0-1"}]"#)
        #expect(try again.next("subChanges").properties["since"] == nil)
    }

    /// Before the listener is notified.
    @Test
    func `a client of the deleted collection saves no checkpoint for the recreated collection`()
        throws
    {
        let site = try Site(collections: [Self.notes])
        var options = Conversation.Options()
        options.collections = [.init(Self.notes)]
        var client = Counterpart(options.passive, site)
        let question = #"{"checkpoint_ids":["cp-1"],"collections":["notes"]}"#
        client.ask("getCollections", [:], question)
        try remake(Self.notes, in: site)
        client.ask("setCheckpoint", ["collection": "0", "client": "cp-1"], #"{"remote":20}"#)
        #expect(try site.store.read { try $0.peerCheckpoints() }.isEmpty)
        #expect(client.closeCode == 4001)

        var again = Counterpart(options.passive, site)
        again.ask("getCollections", [:], question)
        again.ask("setCheckpoint", ["collection": "0", "client": "cp-1"], #"{"remote":20}"#)
        #expect(try site.store.read { try $0.peerCheckpoints() }.count == 1)
    }
}
