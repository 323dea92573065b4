import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// What happens to documents that the user may no longer read: `behaviour.md` §10, table by table.
@Suite struct AutoPurgeTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    private struct Mode: Sendable {
        var pushes = false
        var pulls = true
        var purges = true
        var filter: DocumentFilter?
        var documentIDs: [DocumentID] = []
    }

    private func server(_ site: Site, _ mode: Mode) throws -> Counterpart {
        var collection = PeerConfiguration.CollectionOptions(.default)
        collection.pullFilter = mode.filter
        collection.documentIDs = mode.documentIDs
        var options = Conversation.Options(pushes: mode.pushes, pulls: mode.pulls)
        options.collections = [collection]
        options.purgesRevoked = mode.purges
        var server = Counterpart(options.active, site)
        try server.answer("getCollections", "[{}]")
        return server
    }

    private func synced() throws -> Site {
        let site = try Site()
        try site.put("lost", ["1-aa"], #"{"mine":1}"#)
        return site
    }

    // MARK: Losing a channel

    @Test func `mode pull: documents in no channel of the user are purged`() throws {
        let site = try synced()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        #expect(try site.contents() == [:])
        #expect(server.events.map(\.flags) == [.accessRemoved])
        #expect(server.events.map(\.error) == [nil])
    }

    @Test func `mode push: nothing is purged, and pushes are refused by the server`() throws {
        let site = try synced()
        try site.save("lost", #"{"mine":2}"#)
        var server = try server(site, Mode(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 403)
        try server.refuse("rev", "HTTP", 403)
        #expect(server.events.map(\.error?.code) == [403])
        #expect(try site.body("lost") == #"{"mine":2}"#)
    }

    @Test func `mode push-pull: the document is purged, and later changes are pushed and refused`()
        throws
    {
        let site = try synced()
        var server = try server(site, Mode(pushes: true))
        try server.answer("subChanges")
        try server.answer("proposeChanges", "[304]")
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.contents() == [:])
        try site.save("lost", #"{"mine":3}"#)

        var next = try self.server(site, Mode(pushes: true))
        try next.answer("subChanges")
        let proposed = try next.answer("proposeChanges", "[]")
        #expect(String(decoding: proposed.body, as: UTF8.self).hasPrefix(#"[["lost","1-"#))
        try next.refuse("rev", "HTTP", 403)
        try next.refuse("rev", "HTTP", 403)
        #expect(next.events.filter(\.isPush).map(\.error?.code) == [403])
    }

    // MARK: Losing it while it is in transit

    private func revision(_ id: String, _ sequence: String) -> BLIPProperties {
        ["collection": "0", "id": "lost", "rev": id, "sequence": sequence]
    }

    @Test func `a revision that arrives after access to its document was revoked is not stored`()
        throws
    {
        let site = try Site()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[1,"lost","1-aa"]]"#)
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        #expect(server.ask("rev", revision("1-aa", "1"), #"{"theirs":1}"#)?.error == nil)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.contents() == [:])
        #expect(server.events.map(\.flags) == [.accessRemoved])
        #expect(try server.take("setCheckpoint").body.count > 0)
    }

    @Test func `a revision whose blob arrives after access was revoked is not stored`() throws {
        let site = try Site()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[1,"lost","1-aa"]]"#)
        let content = Array("the content".utf8)
        let body = Site.blobBody(BlobDigest(hashing: content.span), content.count, "text/plain")
        server.ask("rev", revision("1-aa", "1"), body)
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        try server.answer("getAttachment", bytes: content)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.contents() == [:])
    }

    /// Only the server can tell which of them comes first.
    @Test func `sequences in an unknown format are ordered by the lists that contain them`() throws
    {
        let site = try Site()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[["x9","lost","1-aa"]]"#)
        server.ask("changes", Self.zero, #"[["x1","lost","1-aa",2]]"#)
        server.ask("rev", revision("1-aa", #""x9""#), #"{"theirs":1}"#)
        #expect(try site.contents() == [:], "sent before the loss")
        server.ask("changes", Self.zero, #"[["x5","lost","1-aa"]]"#)
        server.ask("rev", revision("1-aa", #""x5""#), #"{"theirs":1}"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.body("lost") == #"{"theirs":1}"#)
    }

    @Test(arguments: ["7", #""7:1""#, #""6:9:7""#])
    func `regaining access in a later list restores the document`(sequence: String) throws {
        let site = try Site()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[1,"lost","1-aa"]]"#)
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        server.ask("changes", Self.zero, #"[[\#(sequence),"lost","1-aa"]]"#)
        server.ask("rev", revision("1-aa", "1"), #"{"theirs":1}"#)
        #expect(try site.contents() == [:], "sent before the loss")
        server.ask("rev", revision("1-aa", sequence), #"{"theirs":1}"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.body("lost") == #"{"theirs":1}"#)
    }

    @Test func `losing and regaining access in the same list restores the document`() throws {
        let site = try synced()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        let list = #"[[5,"lost","1-aa",2],["9:5","lost","1-aa"]]"#
        let reply = server.ask("changes", Self.zero, list)
        #expect(reply?.body == Array("[0,[]]".utf8))
        #expect(try site.contents() == [:])
        server.ask("rev", revision("1-aa", #""9:5""#), #"{"mine":1}"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.body("lost") == #"{"mine":1}"#)
    }

    @Test func `regaining and losing access in the same list purges the document`() throws {
        let site = try synced()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        let list = #"[[4,"lost","1-aa"],[5,"lost","1-aa",2]]"#
        #expect(server.ask("changes", Self.zero, list)?.body == Array("[]".utf8))
        #expect(try site.contents() == [:])
    }

    /// Far more than any window can hold.
    @Test func `a revision in transit is not stored however many documents are revoked with it`()
        throws
    {
        let site = try Site()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[1,"lost","1-aa"],[2,"other","1-aa"]]"#)
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        for first in stride(from: 10, to: 12_000, by: 100) {
            let entries = (first..<first + 100).map { "[\($0),\"gone \($0)\",\"1-aa\",2]" }
            server.ask("changes", Self.zero, "[\(entries.joined(separator: ","))]")
        }
        server.ask("rev", revision("1-aa", "1"), #"{"theirs":1}"#)
        #expect(try site.contents() == [:])
    }

    @Test func `without auto-purge a revision in transit is stored`() throws {
        let site = try Site()
        var server = try server(site, Mode(purges: false))
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[1,"lost","1-aa"]]"#)
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        server.ask("rev", revision("1-aa", "1"), #"{"theirs":1}"#)
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.body("lost") == #"{"theirs":1}"#)
    }

    // MARK: Getting it back

    @Test func `mode pull: documents come back when the server sends them`() throws {
        let site = try synced()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        let reply = server.ask("changes", Self.zero, #"[["9:5","lost","1-aa"]]"#)
        #expect(reply?.body == Array("[[]]".utf8), "it is asked for as if it had never been here")
        let revision: BLIPProperties = [
            "collection": "0", "id": "lost", "rev": "1-aa", "sequence": #""9:5""#,
        ]
        server.ask("rev", revision, #"{"mine":1}"#)
        #expect(try site.body("lost") == #"{"mine":1}"#)
    }

    @Test func `mode push: refused revisions are not sent again, later changes are`() throws {
        let site = try synced()
        var server = try server(site, Mode(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 403)
        try server.refuse("rev", "HTTP", 403)
        try server.answer("setCheckpoint", "", ["rev": "0-1"])

        var again = Counterpart(Conversation.Options(pulls: false).active, site)
        try again.answer("getCollections", #"[{"local":1,"_rev":"0-1"}]"#)
        #expect(try again.take("proposeChanges").body == Array("[]".utf8))

        try site.save("lost", #"{"mine":2}"#)
        var later = Counterpart(Conversation.Options(pulls: false).active, site)
        try later.answer("getCollections", #"[{"local":1,"_rev":"0-1"}]"#)
        let proposed = try later.take("proposeChanges").body
        #expect(String(decoding: proposed, as: UTF8.self).contains("lost"))
    }

    @Test func `mode push: a reset sends refused revisions again`() throws {
        let site = try synced()
        var server = try server(site, Mode(pushes: true, pulls: false))
        try server.answer("proposeChanges", "[]")
        try server.refuse("rev", "HTTP", 403)
        try server.refuse("rev", "HTTP", 403)
        try server.answer("setCheckpoint", "", ["rev": "0-1"])

        var options = Conversation.Options(pulls: false)
        options.isReset = true
        var again = Counterpart(options.active, site)
        try again.answer("getCollections", #"[{"local":1,"_rev":"0-1"}]"#)
        let proposed = try again.take("proposeChanges").body
        #expect(String(decoding: proposed, as: UTF8.self).contains("lost"))
    }

    // MARK: enableAutoPurge and the pull filter

    @Test func `auto-purge off: the document stays, and the event has the accessRemoved flag`()
        throws
    {
        let site = try synced()
        var server = try server(site, Mode(purges: false))
        let asked = try server.answer("subChanges")
        #expect(asked.properties["revocations"] == "true", "or the server would not tell")
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        #expect(try site.body("lost") == #"{"mine":1}"#)
        #expect(server.events.map(\.flags) == [.accessRemoved])
        #expect(server.events.map(\.error) == [nil])
    }

    @Test func `auto-purge on, no filter: purged, and the event has the accessRemoved flag`() throws
    {
        let site = try synced()
        var server = try server(site, Mode())
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"lost","2-bb",4]]"#)
        #expect(try site.contents() == [:])
        #expect(server.events.map(\.flags) == [.accessRemoved])
    }

    @Test func `auto-purge on, the filter rejects: the document stays, and the event is a 403`()
        throws
    {
        let site = try synced()
        let filter: DocumentFilter = { shown in
            #expect(shown.documentID == "lost")
            #expect(shown.revisionID?.description == "1-aa")
            #expect(shown.body == [])
            #expect(shown.flags == .accessRemoved)
            return false
        }
        var server = try server(site, Mode(filter: filter))
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        #expect(try site.body("lost") == #"{"mine":1}"#)
        #expect(server.events.map(\.error?.code) == [403])
        #expect(server.events.map(\.flags) == [.accessRemoved])
    }

    @Test func `auto-purge off: the filter is not called for revoked documents`() throws {
        let site = try synced()
        let filter: DocumentFilter = { _ in
            Issue.record("asked")
            return false
        }
        var server = try server(site, Mode(purges: false, filter: filter))
        try server.answer("subChanges")
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        #expect(server.events.map(\.error) == [nil])
    }

    /// `behaviour.md` §8 (documentIDs).
    @Test func `nothing is purged when the replication is limited to document IDs`() throws {
        let site = try synced()
        var server = try server(site, Mode(documentIDs: ["lost"]))
        let asked = try server.answer("subChanges")
        #expect(asked.properties["revocations"] == nil)
        server.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        #expect(try site.body("lost") == #"{"mine":1}"#)
    }

    @Test func `changing the option affects only later replications`() throws {
        let site = try synced()
        var kept = try server(site, Mode(purges: false))
        try kept.answer("subChanges")
        kept.ask("changes", Self.zero, #"[[5,"lost","1-aa",2]]"#)
        kept.ask("changes", Self.zero, "null", isNoReply: true)
        try kept.answer("setCheckpoint", "", ["rev": "0-1"])

        var next = Counterpart(Conversation.Options(pushes: false).active, site)
        try next.answer("getCollections", #"[{"remote":5,"_rev":"0-1"}]"#)
        #expect(try next.answer("subChanges").properties["since"] == "5")
        next.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(try site.body("lost") == #"{"mine":1}"#)
    }

    /// Version 2 of the protocol has no flags: the body contains the information.
    @Test
    func `a removal from a version 2 server is reported, and purges only if auto-purge is on`()
        throws
    {
        let site = try synced()
        var options = Conversation.Options(pushes: false)
        options.purgesRevoked = false
        var server = Counterpart(options.active, site, version: .version2)
        try server.refuse("getCheckpoint", "HTTP", 404)
        try server.answer("subChanges")
        server.ask("changes", [:], #"[[5,"lost","2-bb"]]"#)
        let properties: BLIPProperties = ["id": "lost", "rev": "2-bb", "sequence": "5"]
        server.ask("rev", properties, #"{"_removed":true}"#, isNoReply: true)
        #expect(try site.body("lost") == #"{"mine":1}"#, "kept, for the option is off")
        #expect(server.events.map(\.flags) == [.accessRemoved])
    }
}
