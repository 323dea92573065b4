import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Requests to a passive peer with missing, duplicate, malformed or contradictory properties, or invalid bodies.
///
/// Each is refused individually: the connection continues and nothing is stored.
@Suite struct BadRequestTests {
    private func verdict(_ reply: BLIPIncomingReply?) -> String {
        guard let reply else { return "silence" }
        return reply.error.map { "\($0.domain)/\($0.code)" } ?? "fine"
    }

    private func check(_ request: BadRequest, _ client: inout Counterpart, _ site: Site) throws {
        let before = try site.contents()
        let reply = client.ask(request.profile, request.blipProperties, request.body)
        #expect(verdict(reply) == request.expected)
        #expect(client.closeCode == nil)
        #expect(try site.contents() == before)
        let alive = client.ask("getCheckpoint", ["collection": "0", "client": "alive"])
        #expect(verdict(alive) == "HTTP/404", "the connection goes on")
    }

    private static let deep =
        String(repeating: "[", count: 300) + String(repeating: "]", count: 300)

    // MARK: getCollections

    private static let collections = [
        BadRequest("getCollections", [], ""),
        BadRequest("getCollections", [], "nope"),
        BadRequest("getCollections", [], "null"),
        BadRequest("getCollections", [], "[]"),
        BadRequest("getCollections", [], "{}"),
        BadRequest("getCollections", [], #"{"collections":["_default"]}"#),
        BadRequest("getCollections", [], #"{"checkpoint_ids":["a"]}"#),
        BadRequest("getCollections", [], #"{"checkpoint_ids":"a","collections":"_default"}"#),
        BadRequest("getCollections", [], #"{"checkpoint_ids":[],"collections":[]}"#),
        BadRequest(
            "getCollections",
            [],
            #"{"checkpoint_ids":["a","b"],"collections":["_default"]}"#
        ),
        BadRequest("getCollections", [], #"{"checkpoint_ids":[null],"collections":["_default"]}"#),
        BadRequest("getCollections", [], #"{"checkpoint_ids":["a"],"collections":[{}]}"#),
        BadRequest("getCollections", [], #"{"checkpoint_ids":["a"],"collections":[""]}"#),
        BadRequest("getCollections", [], #"{"a":\#(deep)}"#),
        BadRequest("getCollections", [], #"{"checkpoint_ids":["a","b"],"collections":["c","c"]}"#),
    ]

    @Test(arguments: collections)
    func `getCollections: a bad request is refused, and a valid one is accepted afterwards`(
        request: BadRequest
    ) throws {
        let site = try Site()
        var client = Counterpart(Conversation.Options().passive, site)
        #expect(
            verdict(client.ask(request.profile, request.blipProperties, request.body)) == "HTTP/400"
        )
        let sound = #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#
        #expect(verdict(client.ask("getCollections", [:], sound)) == "fine")
        #expect(verdict(client.ask("getCollections", [:], sound)) == "HTTP/400", "but once")
    }

    @Test func `getCollections: too many collections are refused`() throws {
        let names = (0...1_000).map { "\"c\($0)\"" }.joined(separator: ",")
        var client = Counterpart(Conversation.Options().passive, try Site())
        let body = #"{"checkpoint_ids":[\#(names)],"collections":[\#(names)]}"#
        #expect(verdict(client.ask("getCollections", [:], body)) == "HTTP/400")
    }

    // MARK: Everything else, in collection mode

    private static let missing = "collection"
    private static let long = String(repeating: "x", count: 1_001)
    private static let requests: [BadRequest] = [
        .inCollection("getCheckpoint", []),
        .inCollection("getCheckpoint", [("client", "")]),
        .inCollection("getCheckpoint", [("client", long)]),
        .inCollection("getCheckpoint", [("client", "a"), ("client", "b")], "", "HTTP/404"),
        BadRequest("getCheckpoint", [("client", "a")]),
        BadRequest("getCheckpoint", [("collection", ""), ("client", "a")]),
        BadRequest("getCheckpoint", [("collection", "-1"), ("client", "a")]),
        BadRequest("getCheckpoint", [("collection", "1"), ("client", "a")]),
        BadRequest("getCheckpoint", [("collection", "0x0"), ("client", "a")]),
        BadRequest("getCheckpoint", [("collection", "1e0"), ("client", "a")]),
        BadRequest("getCheckpoint", [("collection", "18446744073709551616"), ("client", "a")]),
        .inCollection("setCheckpoint", [], "{}"),
        .inCollection("setCheckpoint", [("client", "a"), ("rev", "1-cc")], "{}", "HTTP/409"),
        .inCollection("setCheckpoint", [("client", "a"), ("rev", "junk")], "{}", "HTTP/409"),
        .inCollection(
            "setCheckpoint",
            [("client", "a")],
            String(repeating: " ", count: (1 << 20) + 1),
            "HTTP/413"
        ),
        .inCollection("subChanges", [("filter", "own/filter")], "", "HTTP/501"),
        .inCollection("subChanges", [("versioning", "version-vectors")], "", "HTTP/501"),
        .inCollection("unsubChanges", [], "", "BLIP/404"),
        .inCollection("changes", [], "nope"), .inCollection("changes", [], "{}"),
        .inCollection("changes", [], "[1]"), .inCollection("changes", [], "[[1]]"),
        .inCollection("changes", [], #"[[1,"a"]]"#), .inCollection("changes", [], #"[[1,2,3]]"#),
        .inCollection("changes", [], #"[[1,"a","1-aa"]"#),
        .inCollection("changes", [], #"[[1,"a","1-aa"]]"#, "HTTP/409"),
        .inCollection("proposeChanges", [], ""), .inCollection("proposeChanges", [], "nope"),
        .inCollection("proposeChanges", [], "{}"), .inCollection("proposeChanges", [], "7"),
        .inCollection("proposeChanges", [], "[7]"), .inCollection("proposeChanges", [], "[[]]"),
        .inCollection("proposeChanges", [], #"[["a"]]"#),
        .inCollection("proposeChanges", [], "[[1,2]]"),
        .inCollection("proposeChanges", [], #"[["a","1-aa",null]]"#),
        .inCollection("proposeChanges", [], #"[["a","1-aa",7]]"#),
        .inCollection("proposeChanges", [], deep),
        .inCollection("norev", [], "", "fine"),
        .inCollection("norev", [("id", ""), ("rev", "x"), ("sequence", "{")], "", "fine"),
        .inCollection("getAttachment", []), .inCollection("getAttachment", [("digest", "")]),
        .inCollection("getAttachment", [("digest", "md5-1B2M2Y8AsgTpgAmY7PhCfg==")]),
        .inCollection("getAttachment", [("digest", "sha1-AAAA")]),
        .inCollection("getAttachment", [("digest", "sha1-../../../../etc/passwd======")]),
        .inCollection("getAttachment", [("digest", known)], "", "HTTP/404"),
        .inCollection("proveAttachment", []),
        .inCollection("proveAttachment", [("digest", known)]),
        .inCollection("proveAttachment", [("digest", known)], String(repeating: "n", count: 256)),
        .inCollection("proveAttachment", [("digest", known)], "nonce", "HTTP/404"),
        .inCollection("getRev", [("id", "a")], "", "BLIP/404"),
        .inCollection("putRev", [("id", "a"), ("rev", "1-aa")], "{}", "BLIP/404"),
        .inCollection("function", [("name", "f")], "{}", "BLIP/404"),
        .inCollection("", [], "", "BLIP/404"),
        .inCollection("rev ", [("id", "a"), ("rev", "1-aa")], "{}", "BLIP/404"),
        .inCollection("REV", [("id", "a"), ("rev", "1-aa")], "{}", "BLIP/404"),
    ]

    /// A digest in the correct form that nobody has.
    private static let known = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="

    @Test(arguments: requests)
    func `a bad request is refused without closing the connection`(request: BadRequest) throws {
        let site = try Site()
        try site.save("there", "{}")
        var client = Counterpart.client(site)
        try check(request, &client, site)
    }

    @Test func `a list above the limit is refused entirely`() throws {
        var limited = Conversation.Options()
        limited.limits.receivedChangesCount = 10
        var client = Counterpart.client(try Site(), limited)
        let entries = (0...10).map { #"["d\#($0)","1-aa"]"# }.joined(separator: ",")
        #expect(
            verdict(client.ask("proposeChanges", ["collection": "0"], "[\(entries)]")) == "HTTP/400"
        )
    }

    @Test(
        arguments: [
            "0", "17", "-1", "1e3", "1.5", #""20:100:35""#, #""junk""#, "null", "true", "[1,2]",
            #"{"a":1}"#, "18446744073709551616", "", "{", String(repeating: "9", count: 5_000),
        ]
    )
    func `subChanges: any value of since is accepted, and the feed ends`(since: String) throws {
        let site = try Site()
        try site.save("a", "{}")
        var client = Counterpart.client(site)
        let reply = client.ask("subChanges", ["collection": "0", "since": since])
        #expect(verdict(reply) == "fine")
        while client.requests.contains(where: { !$0.isNoReply }) {
            try client.answer("changes", "[]")
        }
        #expect(client.requests.contains { $0.isNoReply }, "the end is told")
    }

    @Test(arguments: ["nope", "[]", "{}", #"{"docIDs":7}"#, #"{"docIDs":[1,null,{}]}"#, deep])
    func `subChanges: a body without document IDs is accepted`(body: String) throws {
        let site = try Site()
        try site.save("a", "{}")
        var client = Counterpart.client(site)
        #expect(verdict(client.ask("subChanges", ["collection": "0"], body)) == "fine")
        #expect(client.closeCode == nil)
    }

    // MARK: Legacy mode

    @Test func `legacy: a first message with a collection is refused`() throws {
        var client = Counterpart(Conversation.Options().passive, try Site())
        let reply = client.ask("getCheckpoint", ["collection": "0", "client": "a"])
        #expect(verdict(reply) == "HTTP/400")
        #expect(verdict(client.ask("getCheckpoint", ["client": "a"])) == "HTTP/404")
        #expect(
            verdict(client.ask("getCheckpoint", ["client": "a", "collection": "0"])) == "HTTP/400"
        )
        #expect(verdict(client.ask("getCollections", [:], "{}")) == "HTTP/400")
    }

    @Test(arguments: [
        BadRequest("getCheckpoint", []), BadRequest("setCheckpoint", [], "{}"),
        BadRequest("proposeChanges", [], "7"), BadRequest("rev", [("id", "a")], "{}"),
        BadRequest("rev", [("rev", "1-aa")], "{}"), BadRequest("getAttachment", []),
        BadRequest("changes", [], "{"), BadRequest("getRev", [], "", "BLIP/404"),
        BadRequest("norev", [], "", "fine"),
    ])
    func `legacy: a bad request is refused without closing the connection`(
        request: BadRequest
    ) throws {
        let site = try Site()
        var client = Counterpart(Conversation.Options().passive, site, version: .version2)
        let reply = client.ask(request.profile, request.blipProperties, request.body)
        #expect(verdict(reply) == request.expected)
        #expect(client.closeCode == nil)
        #expect(verdict(client.ask("getCheckpoint", ["client": "alive"])) == "HTTP/404")
        #expect(try site.contents() == [:])
    }

    // MARK: To an active peer

    @Test(arguments: [
        "getCollections", "getCheckpoint", "setCheckpoint", "subChanges", "proposeChanges",
        "unsubChanges", "getRev", "x", "",
    ])
    func `an active peer does not answer client requests`(profile: String) throws {
        var server = try Counterpart.server(try Site())
        let properties: BLIPProperties = ["collection": "0", "client": "a"]
        #expect(verdict(server.ask(profile, properties, "[]")) == "BLIP/404")
        #expect(server.closeCode == nil)
    }

    @Test(arguments: ["changes", "rev", "norev", "getAttachment", "proveAttachment"])
    func `an active peer refuses messages without a valid collection`(profile: String) throws {
        var server = try Counterpart.server(try Site())
        for properties: BLIPProperties in [[:], ["collection": "9"], ["collection": "x"]] {
            #expect(verdict(server.ask(profile, properties, "[]")) == "HTTP/400")
        }
        #expect(server.closeCode == nil)
    }

    @Test func `a push-only replicator refuses changes and revisions`() throws {
        let site = try Site()
        var server = try Counterpart.server(site, .init(pulls: false, isContinuous: true))
        let list = server.ask("changes", ["collection": "0"], #"[[1,"a","1-aa"]]"#)
        #expect(verdict(list) == "HTTP/403")
        let revision: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "1-aa", "sequence": "1",
        ]
        #expect(verdict(server.ask("rev", revision, "{}")) == "HTTP/403")
        #expect(try site.contents() == [:])
    }
}
