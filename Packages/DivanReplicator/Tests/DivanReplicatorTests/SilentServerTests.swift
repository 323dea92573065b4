import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// What a server like Sync Gateway has in a branch that is not its current one: it says of it that all is well, and
/// changes nothing.
@Suite struct SilentServerTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    /// A server that had a tombstone `2-bb` of document `a`, and took our revision as its next life.
    ///
    /// The tombstone was here, and had won, before the server said so.
    private func revived(_ site: Site) throws -> (server: Counterpart, mine: String) {
        let mine = try site.save("a", #"{"v":"mine"}"#).description
        var server = try Counterpart.server(site, .init(isContinuous: true))
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[2,"a","2-bb",1]]"#)
        try server.answer("proposeChanges", "[]")
        let sent = try server.take("rev")
        let tombstone: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "2-bb", "history": "1-aa", "sequence": "2",
            "deleted": "1",
        ]
        server.ask("rev", tombstone, "{}")
        try site.keepRemote()
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.answer(sent, bytes: [])
        return (server, mine)
    }

    @Test func `a winning deletion is sent as a new revision, not as the old tombstone`() throws {
        let site = try Site()
        var (server, mine) = try revived(site)
        #expect(try site.revision("a") == "2-bb")

        // It accepts the old tombstone as the successor of ours, and would ignore it.
        try server.answer("proposeChanges", "[]")
        #expect(server.requests.filter { $0.profile == "rev" }.map(\.properties) == [])
        try server.answer("proposeChanges", "[]")
        let sent = try server.answer("rev")
        #expect(sent.properties["history"] == mine)
        #expect(sent.properties["deleted"] == "1")
        #expect(try site.revision("a") == sent.properties["rev"])
        #expect(server.events.compactMap(\.error) == [])
    }

    @Test func `a winning deletion is not sent while the server's revision is in conflict`() throws
    {
        let site = try Site()
        var (server, mine) = try revived(site)
        server.ask("changes", Self.zero, #"[[3,"a","\#(mine)"]]"#)
        let ours: BLIPProperties = ["collection": "0", "id": "a", "rev": mine, "sequence": "3"]
        server.ask("rev", ours, #"{"v":"mine"}"#)
        try server.answer("proposeChanges", "[]")
        #expect(server.requests.filter { $0.profile == "rev" }.map(\.properties) == [])
        let conflict = try site.store.read { try $0.conflict(of: "a", in: .default) }
        #expect(conflict?.remote.revisionID.description == mine)
    }

    /// Its live revision was deleted, and of the tombstones that it has now an older one is the greatest.
    ///
    /// Here that one had been continued, which the server never got.
    @Test func `a tombstone that the server returns to is requested and followed`() throws {
        let site = try Site()
        let url = Conversation.Options().remoteIdentity
        try site.receive("3-aa", "{}", from: "wss://another.example/db")
        try site.delete("a")
        let tombstone = try #require(try site.revision("a"))
        try site.save("a", #"{"v":"mine"}"#)
        try site.receive("1-bb", #"{"v":"theirs"}"#, from: url)
        try site.keepRemote()
        #expect(try site.revision("a") == "1-bb")

        var server = try Counterpart.server(site, .init(isContinuous: true))
        try server.answer("subChanges")
        let announced = server.ask("changes", Self.zero, #"[[9,"a","\#(tombstone)",1]]"#)
        #expect(announced?.body.starts(with: Array("[[".utf8)) == true, "it is wanted")
        let properties: BLIPProperties = [
            "collection": "0", "id": "a", "rev": tombstone, "history": "3-aa", "sequence": "9",
            "deleted": "1",
        ]
        server.ask("rev", properties, "{}")
        #expect(try site.revision("a") == tombstone)
        #expect(server.requests.filter { $0.profile == "rev" }.map(\.properties) == [])
    }

    /// The same, but the server never had another one: ours was made from it, and what won over ours is its next one.
    @Test func `the winner is sent as a child of the revision that the server still has`() throws {
        let site = try Site()
        let url = Conversation.Options().remoteIdentity
        try site.receive("3-aa", "{}", from: url)
        try site.save("a", #"{"v":"mine"}"#)
        try site.receive("1-bb", #"{"v":"theirs"}"#, from: "wss://another.example/db")
        try site.keepRemote()

        var server = try Counterpart.server(site, .init(isContinuous: true))
        try server.answer("subChanges")
        let announced = server.ask("changes", Self.zero, #"[[9,"a","3-aa"]]"#)
        #expect(announced?.body == Array("[]".utf8), "it is known")
        try server.answer("proposeChanges", #"[{"status":409,"rev":"3-aa"}]"#)
        try server.answer("proposeChanges", "[]")
        try server.answer("proposeChanges", "[]")
        let sent = try server.answer("rev")
        #expect(sent.properties["history"] == "3-aa")
        #expect(sent.body == Array(#"{"v":"theirs"}"#.utf8))
        #expect(try site.revision("a") == sent.properties["rev"])
    }
}
