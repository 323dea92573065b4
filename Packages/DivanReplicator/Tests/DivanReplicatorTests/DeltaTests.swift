import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Updates sent as deltas.
@Suite struct DeltaTests {
    private static let long = String(repeating: "words that stay as they are. ", count: 40)

    private func body(_ number: Int) -> String {
        #"{"n":\#(number),"text":"\#(Self.long)"}"#
    }

    private func synced(_ options: Conversation.Options) throws -> (here: Site, there: Site) {
        let (here, there) = (try Site(), try Site())
        try here.save("a", body(1))
        _ = Conversation.oneShot(options, here, there)
        return (here, there)
    }

    @Test(arguments: [true, false])
    func `an update needs few bytes if both sides use deltas`(isPush: Bool) throws {
        var options = Conversation.Options(usesDeltas: true)
        options.compresses = false
        let (here, there) = try synced(options)
        try (isPush ? here : there).save("a", body(2))
        let run = Conversation.oneShot(options, here, there)
        #expect(run.failures == [])
        #expect(run.transfers == [isPush ? "push a" : "pull a"])
        #expect(try there.contents() == here.contents())
        if isPush { #expect(run.byteCount < 1_300) }
    }

    @Test func `deltas are not sent unless the peer asks for them`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], body(1))
        var options = Conversation.Options(pulls: false, usesDeltas: true)
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[304]")
        try server.answer("setCheckpoint", "", ["rev": "0-1"])
        try site.save("a", body(2))

        options.isContinuous = true
        var next = Counterpart(options.active, site)
        try next.answer("getCollections", #"[{"local":1,"rev":"0-1"}]"#)
        try next.answer("proposeChanges", "[]")
        #expect(try next.take("rev").properties["deltaSrc"] == nil)
    }

    @Test func `a refused delta is sent again as a full body`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], body(1))
        let options = Conversation.Options(pulls: false, usesDeltas: true)
        var server = try Counterpart.server(site, options)
        try server.answer("proposeChanges", "[304]")
        try server.answer("setCheckpoint", "", ["rev": "0-1"])
        try site.save("a", body(2))

        var next = Counterpart(options.active, site)
        try next.answer("getCollections", #"[{"local":1,"rev":"0-1"}]"#)
        try next.answer("proposeChanges", "[]", ["deltas": "true"])
        let delta = try next.refuse("rev", "HTTP", 422)
        #expect(delta.properties["deltaSrc"] == "1-aa")
        #expect(delta.body == Array(#"{"n":2}"#.utf8))
        let full = try next.answer("rev")
        #expect(full.properties["deltaSrc"] == nil)
        #expect(full.body == Array(body(2).utf8))
        #expect(next.events.map(\.error) == [nil])
    }

    /// Couchbase Lite reads 100 levels, and stops when it receives a revision that it did not request.
    @Test(arguments: [true, false])
    func `a full body that the peer cannot read is not sent again`(isPush: Bool) throws {
        let site = try Site()
        try site.put("a", ["1-aa"], body(1))
        let options = Conversation.Options(pulls: false, usesDeltas: true)
        var peer =
            try isPush ? Counterpart.server(site, options) : Counterpart.client(site, options)
        if !isPush { peer.ask("subChanges", ["collection": "0"]) }
        try peer.answer(isPush ? "proposeChanges" : "changes", isPush ? "[]" : "[[]]")
        try peer.refuse("rev", "Fleece", 5)
        #expect(!peer.requests.contains { $0.profile == "rev" })
        #expect(peer.events.map(\.error?.domain) == [.fleece])
        guard isPush else { return }
        try peer.answer("setCheckpoint", "", ["rev": "0-1"])
        #expect(peer.closeCode == 1000)
    }

    @Test(arguments: [#"{"n":[1,2,3,4]}"#, #"{"nothing":[]}"#, "[", "7"])
    func `a delta that does not apply is requested in full`(delta: String) throws {
        let site = try Site()
        try site.put("a", ["1-aa"], body(1))
        var client = Counterpart.client(site, .init(usesDeltas: true))
        let properties: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "2-bb", "history": "1-aa", "deltaSrc": "1-aa",
        ]
        #expect(client.ask("rev", properties, delta)?.error?.code == 422)
        #expect(try site.revision("a") == "1-aa")
        #expect(client.events == [])
    }

    @Test func `a tombstone body is never treated as a delta`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], body(1))
        var client = Counterpart.client(site, .init(usesDeltas: true))
        let properties: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "2-bb", "history": "1-aa", "deltaSrc": "1-aa",
            "deleted": "1",
        ]
        #expect(client.ask("rev", properties, "{}")?.error == nil)
        #expect(try site.body("a") == nil)
    }
}
