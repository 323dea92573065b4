import DivanBLIP
import DivanReplicator
import DivanRevisions
import Testing

/// Documents left out on receiving or sending: each is reported, and the rest continues.
@Suite struct SkippedDocumentTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    private func revision(_ id: String, _ sequence: String) -> BLIPProperties {
        ["collection": "0", "id": id, "rev": "1-aa", "sequence": sequence]
    }

    /// Peers that accept bodies of 100 bytes, and of 200 by the other side's measure.
    private func options() -> Conversation.Options {
        var options = Conversation.Options()
        options.limits.documentByteCount = 100
        options.limits.announcedByteCount = 200
        return options
    }

    private static func body(of byteCount: Int) -> String {
        #"{"a":""# + String(repeating: "x", count: byteCount - 8) + #""}"#
    }

    private func puller(_ site: Site, _ options: Conversation.Options) throws -> Counterpart {
        var options = options
        options.pushes = false
        var server = try Counterpart.server(site, options)
        try server.answer("subChanges")
        return server
    }

    // MARK: Announced

    @Test(arguments: [
        "", "_design", "nul\u{0}", String(repeating: "i", count: 256),
        String(repeating: "é", count: 128),
    ])
    func `a document with an invalid ID is reported, and the others are pulled`(_ id: String) throws
    {
        let site = try Site()
        var server = try puller(site, .init())
        let escaped = id.unicodeScalars.map { scalar in
            scalar.value < 0x20
                ? "\\u00" + (scalar.value < 16 ? "0" : "")
                    + String(scalar.value, radix: 16) : String(scalar)
        }.joined()
        let list = #"[[1,"\#(escaped)","1-aa"],[2,"good","1-aa"]]"#
        let answer = server.ask("changes", Self.zero, list)
        #expect(answer?.body == Array("[0,[]]".utf8))
        #expect(server.events.map(\.error?.code) == [29])
        #expect(server.events.map(\.error?.domain) == [.liteCore])
        #expect(server.events.map(\.documentID.text) == [id])
        #expect(server.ask("rev", revision("good", "2"), "{}")?.error == nil)
        #expect(try site.contents().keys.sorted() == ["good"])
    }

    @Test func `a changes list that expects no reply is reported per document and sent again`()
        throws
    {
        let site = try Site()
        var server = try puller(site, .init())
        server.ask("changes", Self.zero, #"[[1,"a","1-aa"],[2,"b","1-aa"]]"#, isNoReply: true)
        #expect(server.events.map(\.documentID) == ["a", "b"])
        #expect(server.events.map(\.error?.code) == [400, 400])
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(server.closeCode == 1000)
        var next = Counterpart(Conversation.Options(pushes: false).active, site)
        try next.answer("getCollections", "[{}]")
        #expect(try next.take("subChanges").properties["since"] == nil)
    }

    @Test(arguments: ["{}", "[1]", #"[[1,"a"]]"#, "[", #"[["x","a","1-aa",-1.5]]"#])
    func `an invalid changes list is reported, the run continues, and the next run repeats it`(
        list: String
    ) throws {
        let site = try Site()
        var server = try puller(site, .init())
        #expect(server.ask("changes", Self.zero, list)?.error?.code == 400)
        #expect(server.closeCode == nil)
        server.ask("changes", Self.zero, #"[[2,"good","1-aa"]]"#)
        server.ask("rev", revision("good", "2"), "{}")
        server.ask("changes", Self.zero, "null", isNoReply: true)
        #expect(server.closeCode == 1000)
        #expect(server.error?.code == 400)
        #expect(try site.contents().keys.sorted() == ["good"])
        var next = Counterpart(Conversation.Options(pushes: false).active, site)
        try next.answer("getCollections", "[{}]")
        #expect(try next.take("subChanges").properties["since"] == nil)
    }

    @Test(arguments: [("500", 500), ("413", 413), ("403", 403), ("7", 502), ("-1", 502)])
    func `a revision that the peer cannot send is reported`(_ code: String, _ told: Int) throws {
        var server = try puller(try Site(), .init())
        server.ask("changes", Self.zero, #"[[1,"a","1-aa"]]"#)
        var properties = revision("a", "1")
        properties["error"] = code
        server.ask("norev", properties, isNoReply: true)
        #expect(server.events.map(\.error?.code) == [told])
        #expect(server.events.map(\.documentID) == ["a"])
    }

    @Test(arguments: ["404", "410"])
    func `a revision that no longer exists at the peer is not an error`(_ code: String) throws {
        var server = try puller(try Site(), .init())
        server.ask("changes", Self.zero, #"[[1,"a","1-aa"]]"#)
        var properties = revision("a", "1")
        properties["error"] = code
        server.ask("norev", properties, isNoReply: true)
        #expect(server.events == [])
    }

    // MARK: Too large

    @Test func `a body above the size limit is refused without affecting others`() throws {
        let site = try Site()
        var client = Counterpart.client(site, options())
        let large = client.ask("rev", revision("large", "1"), Self.body(of: 101))
        #expect(large?.error?.domain == "HTTP" && large?.error?.code == 413)
        #expect(client.ask("rev", revision("small", "2"), Self.body(of: 100))?.error == nil)
        #expect(client.closeCode == nil)
        #expect(try site.contents().keys.sorted() == ["small"])
    }

    @Test func `a pulled body above the size limit is reported without affecting others`() throws {
        let site = try Site()
        var server = try puller(site, options())
        let list = #"[[1,"large","1-aa"],[2,"small","1-aa"],[3,"huge","1-aa",0,201]]"#
        #expect(server.ask("changes", Self.zero, list)?.body == Array("[[],[]]".utf8))
        server.ask("rev", revision("large", "1"), Self.body(of: 101), isNoReply: true)
        server.ask("rev", revision("small", "2"), Self.body(of: 100), isNoReply: true)
        let failures = server.events.filter { $0.error != nil }
        #expect(failures.map(\.documentID) == ["huge", "large"])
        #expect(failures.map(\.error?.code) == [413, 413])
        let text = "exceeds the limit of 100"
        #expect(failures.allSatisfy { $0.error?.message.contains(text) == true })
        #expect(try site.contents().keys.sorted() == ["small"])
    }

    @Test func `a proposal with a declared size above the limit is refused before it is sent`()
        throws
    {
        var client = Counterpart.client(try Site(), options())
        let list =
            #"[["a","1-aa","",201],["b","1-aa","",200],["c","1-aa","",null],"#
            + #"["d","1-aa","",123456789012345678901234567890],["e","1-aa","",-5],["f","junk"]]"#
        let answer = client.ask("proposeChanges", Self.zero, list)?.body
        #expect(answer == Array("[413,0,0,413,0,400]".utf8))
    }

    @Test func `a delta that produces a body above the size limit is refused`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], #"{"n":1}"#)
        var options = options()
        options.usesDeltas = true
        var client = Counterpart.client(site, options)
        let delta: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "2-bb", "history": "1-aa", "deltaSrc": "1-aa",
        ]
        #expect(client.ask("rev", delta, Self.body(of: 99))?.error?.code == 413)
        #expect(client.ask("rev", delta, #"{"_id":"x"}"#)?.error?.code == 400)
        #expect(client.ask("rev", delta, #"{"n":2,"n":3}"#)?.error == nil)
        #expect(try site.body("a") == #"{"n":3}"#)
    }

    @Test func `one oversized document does not stop the replication in either direction`() throws {
        let (here, there) = (try Site(), try Site())
        for (site, name) in [(here, "mine"), (there, "theirs")] {
            for (number, body) in ["{}", Self.body(of: 101), Self.body(of: 100)].enumerated() {
                try site.save(DocumentID(unchecked: "\(name)-\(number + 1)"), body)
            }
        }
        let run = Conversation.oneShot(options(), here, there)
        #expect(run.closeCode == 1000)
        let failures = run.activeEvents.filter { $0.error != nil }
        #expect(failures.map(\.documentID).sorted() == ["mine-2", "theirs-2"])
        #expect(failures.map(\.error?.code) == [413, 413])
        #expect(run.passiveEvents.filter { $0.error != nil }.map(\.documentID) == ["theirs-2"])
        #expect(try here.contents().count == 5 && there.contents().count == 5)
        let next = Conversation.oneShot(options(), here, there)
        #expect(next.activeEvents == [], "what was told once is not tried again until it changes")
    }

    // MARK: One meaning

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"b":1,"a":{"c":1,"\u0063":[]}}"#, #"{"a":{"c":[]},"b":1}"#),
        (#"{"":1,"":2}"#, #"{"":2}"#), (#"{"a":[{"z":1,"y":2,"z":3}]}"#, #"{"a":[{"y":2,"z":3}]}"#),
        (#"{"b":1, "a":2}"#, #"{"b":1, "a":2}"#),
    ])
    func `if a key occurs twice in a body, the last value is stored`(
        text: String,
        meaning: String
    ) throws {
        let (here, there) = (try Site(), try Site())
        var client = Counterpart.client(there)
        #expect(client.ask("rev", revision("a", "1"), text)?.error == nil)
        #expect(try there.body("a") == meaning)
        var server = try puller(here, .init())
        server.ask("changes", Self.zero, #"[[1,"a","1-aa"]]"#)
        server.ask("rev", revision("a", "1"), text)
        #expect(try here.contents() == there.contents())
    }

    @Test func `a body that is nested too deeply has its own error message`() throws {
        let deep =
            #"{"a":"# + String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        var client = Counterpart.client(try Site())
        let reply = client.ask("rev", revision("a", "1"), deep + "}")
        #expect(reply?.error?.message == "the body is nested more than 128 levels deep")
    }
}
