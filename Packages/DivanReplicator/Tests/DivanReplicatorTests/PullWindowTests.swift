import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Lists that arrive while enough is in transit already, and repeated lists.
@Suite struct PullWindowTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    @Test func `a peer can announce the end of the feed any number of times`() throws {
        let site = try Site()
        var options = Conversation.Options(pushes: false, isContinuous: true)
        options.limits.requestedRevisionsCount = 1
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        #expect(server.ask("changes", Self.zero, #"[[1,"a","1-aa"]]"#) != nil)
        #expect(server.ask("changes", Self.zero, #"[[2,"b","1-bb"]]"#) == nil, "the window is full")
        for text in ["", "[]", "null", " [ ] "] {
            for _ in 0..<50 { server.ask("changes", Self.zero, text, isNoReply: true) }
        }
        #expect(server.closeCode == nil)
        for (id, sequence) in [("a", "1"), ("b", "2")] {
            let revision: BLIPProperties = [
                "collection": "0", "id": id, "rev": "1-\(id)\(id)", "sequence": sequence,
            ]
            #expect(server.ask("rev", revision, "{}")?.error == nil)
        }
        #expect(try site.contents().keys.sorted() == ["a", "b"])
        let saved = try server.take("setCheckpoint").body
        #expect(Checkpoint(json: saved).remote == RemoteSequence(2), "all was told and is here")
    }

    @Test func `the number of lists waiting for a reply is limited`() throws {
        var options = Conversation.Options(pushes: false, isContinuous: true)
        options.limits.requestedRevisionsCount = 1
        var server = try Counterpart.server(try Site(), options)
        try server.answer("subChanges")
        for number in 1...100 where server.closeCode == nil {
            server.ask("changes", Self.zero, "[[\(number),\"\(number)\",\"1-aa\"]]")
            server.ask("changes", Self.zero, "[]", isNoReply: true)
        }
        #expect(server.closeCode == 4002)
    }

    /// A Divan peer announces a document again that is pushed without knowing the peer's revision.
    @Test(arguments: [true, false])
    func `a revision announced again does not move the checkpoint`(isVector: Bool) throws {
        let site = try Site(isVector ? .inMemory(scheme: .vectors) : .inMemory())
        let (first, second) = (try site.save("a", "{}"), try site.save("b", "{}"))
        let options = Conversation.Options(pushes: false)
        var server = Counterpart(
            options.active,
            site,
            version: isVector ? .version4 : .version3
        )
        try server.answer("getCollections", "[{}]")
        var properties: BLIPProperties = ["pending": "2"]
        if !isVector { properties["closings"] = "true" }
        try server.answer("subChanges", "", properties)
        server.ask("changes", Self.zero, "[[5,\"b\",\"\(second)\"]]")
        server.ask("changes", Self.zero, "[[3,\"a\",\"\(first)\"]]")
        server.ask("changes", Self.zero, "[]", isNoReply: true)
        let saved = try server.take("setCheckpoint").body
        #expect(Checkpoint(json: saved).remote == RemoteSequence(5))
    }
}
