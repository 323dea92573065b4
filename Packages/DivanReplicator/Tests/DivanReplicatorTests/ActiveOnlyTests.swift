import DivanBLIP
import DivanReplicator
import DivanRevisions
import Testing

/// The first pull of a new peer, which wants live documents only (`replication.md` §3).
@Suite struct ActiveOnlyTests {
    /// Subscribes, deletes `a` once it has been announced, and returns everything that is announced.
    private func lists(_ site: Site) throws -> [String] {
        var options = Conversation.Options()
        options.limits.changesCount = 1
        options.limits.listsInFlightCount = 1
        var client = Counterpart.client(site, options)
        client.ask("subChanges", ["collection": "0", "activeOnly": "true"])
        var lists = [String(decoding: try client.next("changes").body, as: UTF8.self)]
        try site.delete("a")
        try client.answer("changes", "[]")
        while client.requests.contains(where: { $0.profile == "changes" }) {
            let next = try client.answer("changes", "[]")
            lists.append(String(decoding: next.body, as: UTF8.self))
        }
        return lists
    }

    @Test func `a document that is deleted after it was announced is announced again as deleted`()
        throws
    {
        let site = try Site()
        try site.save("a", "{}")
        try site.save("b", "{}")
        let lists = try lists(site)
        #expect(lists.first?.contains(#""a","1-"#) == true, "\(lists)")
        #expect(lists.contains { $0.contains(#""a","2-"#) }, "\(lists)")
    }

    @Test func `a document that was deleted before the pull is not announced`() throws {
        let site = try Site()
        try site.save("c", "{}")
        try site.delete("c")
        try site.save("a", "{}")
        #expect(try !lists(site).contains { $0.contains(#""c""#) })
    }
}
