import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// A document changes between a decision about it and the resulting action.
@Suite struct ChangedMeanwhileTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    private func rev(_ id: String, _ revision: String, _ sequence: Int) -> BLIPProperties {
        ["collection": "0", "id": id, "rev": revision, "sequence": "\(sequence)"]
    }

    /// The old one waited for its blob; the server purged the document, and somebody recreated it.
    @Test(arguments: [true, false])
    func `a recreated document is not replaced by an older revision that arrives late`(
        isIndexed: Bool
    ) throws {
        let site = try Site()
        if isIndexed { try site.makeIndex() }
        let options = Conversation.Options(pushes: false, isContinuous: true)
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        let content = Array("the content".utf8)
        let digest = BlobDigest(hashing: content.span)
        let body = Site.blobBody(digest, content.count, "text/plain")
        server.ask("changes", Self.zero, #"[[1,"doc","1-aa"]]"#)
        server.ask("rev", rev("doc", "1-aa", 1), body)
        server.ask("changes", Self.zero, #"[[9,"doc","1-bb"]]"#)
        server.ask("rev", rev("doc", "1-bb", 9), "{}")
        try server.answer("getAttachment", bytes: content)
        server.ask("changes", Self.zero, "[]", isNoReply: true)
        #expect(try site.revision("doc") == "1-bb")
        let conflicts = try site.store.read { try $0.conflicts(in: .default, after: 0, limit: 1) }
        #expect(conflicts.isEmpty)
        let saved = try server.take("setCheckpoint").body
        #expect(Checkpoint(json: saved).remote == RemoteSequence(9))
    }

    /// The peer has what was purged here, and the new revision does not descend from it.
    @Test func `a recreated document is not proposed as a child of the revision in transit`() throws
    {
        let site = try Site()
        let old = try site.save("doc", #"{"v":1}"#)
        var server = try Counterpart.server(site, .init(pulls: false, isContinuous: true))
        try server.answer("proposeChanges", "[]")
        let sent = try server.take("rev")
        try site.purge("doc")
        try site.save("doc", #"{"v":2}"#)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        server.answer(sent, bytes: [])
        let offer = try server.take("proposeChanges") { $0.body.count > 2 }
        #expect(!String(decoding: offer.body, as: UTF8.self).contains(old.description))
    }

    @Test func `an edit is proposed as a child of the revision in transit`() throws {
        let site = try Site()
        let old = try site.save("doc", #"{"v":1}"#)
        var server = try Counterpart.server(site, .init(pulls: false, isContinuous: true))
        try server.answer("proposeChanges", "[]")
        let sent = try server.take("rev")
        try site.save("doc", #"{"v":2}"#)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        server.answer(sent, bytes: [])
        let offer = try server.take("proposeChanges") { $0.body.count > 2 }
        #expect(String(decoding: offer.body, as: UTF8.self).contains(old.description))
    }

    /// The peer is behind, but what it lacks is not for it.
    @Test func `an edit rejected by the filter is not proposed after the revision in transit`()
        throws
    {
        let site = try Site()
        try site.save("doc", #"{"v":"public"}"#)
        var options = Conversation.Options(pulls: false, isContinuous: true)
        options.collections[0].pushFilter = { revision in
            String(decoding: revision.body, as: UTF8.self).contains("public")
        }
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[]")
        let sent = try server.take("rev")
        try site.save("doc", #"{"v":"private"}"#)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        server.answer(sent, bytes: [])
        _ = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        server.peer.advance(to: .seconds(60))
        server.exchange()
        #expect(!server.requests.contains { $0.profile == "proposeChanges" && $0.body.count > 2 })
        #expect(!server.requests.contains { $0.profile == "rev" })
        // What may go goes on.
        try site.save("doc", #"{"v":"public again"}"#)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        _ = try server.take("proposeChanges") { $0.body.count > 2 }
    }

    /// The server's echo of the first edit comes when the second one is here already.
    @Test
    func `an edit rejected by the filter is not proposed when the peer announces its parent`()
        throws
    {
        let site = try Site()
        let old = try site.save("doc", #"{"v":"public"}"#)
        var options = Conversation.Options(isContinuous: true)
        options.collections[0].pushFilter = { revision in
            String(decoding: revision.body, as: UTF8.self).contains("public")
        }
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        try server.answer("proposeChanges", "[]")
        try server.answer("rev", bytes: [])
        try site.save("doc", #"{"v":"private"}"#)
        for change in site.takeChanges() { server.peer.storeChanged(change, at: .zero) }
        server.exchange()
        server.ask("changes", Self.zero, "[[1,\"doc\",\"\(old)\"]]")
        server.peer.advance(to: .seconds(60))
        server.exchange()
        #expect(!server.requests.contains { $0.profile == "proposeChanges" && $0.body.count > 2 })
        #expect(!server.requests.contains { $0.profile == "rev" })
    }

    /// Couchbase Lite counts what it has accepted, and answers no proposals while too many revisions are missing.
    @Test func `an accepted revision that no longer exists is answered with norev`() throws {
        let site = try Site()
        let old = try site.save("doc", #"{"v":1}"#)
        var server = try Counterpart.server(site, .init(pulls: false, isContinuous: true))
        let offer = try server.take("proposeChanges") { $0.body.count > 2 }
        try site.save("doc", #"{"v":2}"#)
        server.answer(offer, bytes: Array("[]".utf8))
        let missing = try server.take("norev")
        #expect(missing.isNoReply && missing.properties["id"] == "doc")
        #expect(missing.properties["rev"] == old.description)
        #expect(missing.properties["collection"] == "0")
        #expect(missing.properties["error"] == "404" && missing.properties["reason"] == nil)
        #expect(!server.requests.contains { $0.profile == "rev" })
    }

    /// Eve names the revision that will give her document to Alice, and withholds the blob until then.
    @Test func `write access is checked again after the blobs arrive`() throws {
        let site = try Site()
        let store = site.store
        let first = try site.save("doc", #"{"owner":"eve"}"#)
        var eve = Counterpart.client(site) { options in
            options.writeFilters[.default] = { _ in
                let stored = try? store.read { try $0.document("doc", in: .default) }
                let body = stored.map { String(decoding: $0.body, as: UTF8.self) }
                return body?.contains("eve") ?? true
            }
        }
        let next = try RevisionID.digesting(
            parent: first,
            isTombstone: false,
            canonicalBody: Array(#"{"owner":"alice"}"#.utf8).span
        )
        let content = Array("x".utf8)
        let body = Site.blobBody(BlobDigest(hashing: content.span), 1, "text/plain")
        eve.ask("rev", rev("doc", "3-ee", 1).adding("history", "\(next),\(first)"), body)
        #expect(try site.save("doc", #"{"owner":"alice"}"#) == next)
        try eve.answer("getAttachment", bytes: content)
        #expect(try site.revision("doc") == next.description)
    }
}
