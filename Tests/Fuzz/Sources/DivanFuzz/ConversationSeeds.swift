/// Typical conversations, and one of each kind of error, for mutation to start from.
enum ConversationSeeds {
    private typealias Act = Conversation.Act

    // MARK: What a hub says

    static let hub: [Conversation] =
        pulling + pushing + troubles + heads(hubHeads, options: 1)

    /// The opening that a replicator waits for.
    private static let opening: [Act] = [.answer("getCollections", "[{}]")]

    private static let changes =
        #"[[1,"new","1-aa"],["12::34","a","2-bb",0,30],[3,"gone","3-cc",1]]"#

    private static let pulling: [Conversation] = {
        let start = opening + [.answer("subChanges")]
        let revisions: [Act] = [
            revision("new", "1-aa", "1", #"{"n":1,"list":[1,2,{"x":null}]}"#),
            revision("a", "2-bb", "\"12::34\"", #"{"n":2}"#, [("history", "1-cc")]),
            revision("gone", "3-cc", "3", "{}", [("deleted", "1")]),
        ]
        let picture = revision(
            "picture",
            "1-dd",
            "4",
            #"{"p":{"@type":"blob","digest":"sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J1=","length":3}}"#
        )
        let delta = revision("a", "2-ee", "5", #"{"n":2,"m":[3]}"#, [("deltaSrc", "1-aa")])
        return [
            Conversation(start + [.ask("changes", [], changes)] + revisions + [done]),
            Conversation(
                start + [.ask("changes", [], #"[[4,"picture","1-dd"]]"#), picture]
                    + [.answer("getAttachment", "abc"), done]
            ),
            Conversation(start + [.ask("changes", [], #"[[5,"a","2-ee",0,9]]"#), delta, done]),
            Conversation(start + [.ask("changes", [], #"[[6,"a","",2],[7,"b","",4]]"#), done]),
            Conversation(
                start + [.ask("changes", [], #"[[1,"new","1-aa"]]"#)]
                    + [.ask("norev", [("id", "new"), ("rev", "1-aa"), ("sequence", "1")]), done]
            ),
            Conversation(options: 2, start + [done, .ask("changes", [], changes)] + revisions),
            Conversation(options: 2 | 32, start + [.ask("changes", [], changes)] + revisions),
            Conversation(
                options: 64,
                [
                    .refusal("getCheckpoint", "HTTP", "404"), .answer("subChanges"),
                    .ask("changes", [], changes),
                ] + revisions
            ),
            Conversation(options: 16, [.answer("getCollections", #"[{},{"local":1}]"#)]),
        ]
    }()

    private static let pushing: [Conversation] = {
        let terms = [("maxHistory", "20"), ("blobs", "true"), ("deltas", "true")]
        return ["[]", "[0,304]", "[409]", #"[{"status":409,"rev":"2-bb"},403]"#, "[500,404]"].map {
            Conversation(options: 4, opening + [.answer("proposeChanges", $0, terms)])
        } + [
            Conversation(
                opening + [.answer("subChanges"), .answer("proposeChanges", "[]", terms)]
                    + [.ask("getAttachment", [("digest", "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")])]
                    + [
                        .ask(
                            "proveAttachment",
                            [("digest", "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")],
                            "?"
                        )
                    ]
                    + [.answer("rev", "", [("sequence", "9")]), .refusal("rev", "HTTP", "403")]
                    + [.answer("setCheckpoint", "", [("rev", "0-1")]), .forget("setCheckpoint")]
            ),
            Conversation(
                options: 2,
                opening + [.answer("proposeChanges"), .refusal("rev", "HTTP", "409")]
                    + [.ask("changes", [], #"[[2,"a","1-ff"]]"#), revision("a", "1-ff", "2", "{}")]
            ),
            Conversation(
                [.answer("getCollections", #"[{"local":2,"remote":7,"rev":"0-1"}]"#)]
                    + [.refusal("setCheckpoint", "HTTP", "409")]
                    + [.answer("getCheckpoint", #"{"local":1}"#, [("rev", "0-2")])]
            ),
        ]
    }()

    private static let troubles: [Conversation] =
        [
            ("HTTP", "404"), ("HTTP", "503"), ("BLIP", "404"), ("LiteCore", "26"),
            ("WebSocket", "4001"),
            ("POSIX", "104"), ("Network", "3"),
        ].flatMap { domain, code in
            [
                Conversation([.refusal("getCollections", domain, code)]),
                Conversation(opening + [.refusal("subChanges", domain, code)]),
                Conversation(opening + [.refusal("rev", domain, code)]),
            ]
        } + [1000, 1001, 1009, 1011, 4001, 4002].map { Conversation(opening + [.close($0)]) }
        + [
            Conversation(opening + [.close(1000)] + opening + [.answer("subChanges")]),
            Conversation(opening + [Act(kind: .message, body: [3, 0, 0, 1, 2, 3, 4])]),
            Conversation(opening + [Act(kind: .bytes, body: [0x82, 0x7E, 0xFE, 0x10])]),
        ]

    private static let hubHeads = [
        HandshakeScript.answer(isOld: false),
        "HTTP/1.1 503 Busy\nRetry-After: 7\nContent-Length: 0\n\n",
        "HTTP/1.1 429 Slow\nRetry-After: Fri, 20 Nov 2026 23:00:00 GMT\nContent-Length: 0\n\n",
        "HTTP/1.1 401 No\nWWW-Authenticate: Basic realm=\"x\"\nContent-Length: 2\n\nno",
        "HTTP/1.1 404 No\nContent-Type: application/json\nContent-Length: 17\n\n{\"reason\":\"none\"}",
        "HTTP/1.1 101 On\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Accept: {accept}\n"
            + "Set-Cookie: a=b; Max-Age=9223372036854775807; Path=/\n"
            + "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\n\n",
        "HTTP/1.1 301 There\nLocation: http://127.0.0.1:1/db/_blipsync\nContent-Length: 0\n\n",
    ]

    // MARK: What a client says

    static let client: [Conversation] =
        requests.map { Conversation(entering + [$0]) }
        + [
            Conversation(entering + requests), Conversation(options: 8 | 16, entering + requests),
            Conversation(options: 2 | 32, entering + requests),
            Conversation(options: 4, entering + requests),
            Conversation(options: 64, Array(requests.dropFirst())),
            Conversation(entering + requests + [.close(1000)] + entering + requests.reversed()),
            Conversation(entering + [Act(kind: .message, body: [3, 0, 0, 1, 2, 3, 4])]),
            Conversation(entering + [Act(kind: .bytes, body: [0x82, 0x7E, 0xFE, 0x10])]),
        ] + heads(clientHeads, options: 1) + heads(clientHeads, options: 3)

    private static let entering: [Act] = [
        Act(
            kind: .asks,
            properties: [.init(name: "Profile", value: "getCollections")],
            body: Array(#"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#.utf8)
        )
    ]

    private static let requests: [Act] = [
        .ask("getCheckpoint", [("client", "cp-1")]),
        .ask("setCheckpoint", [("client", "cp-1"), ("rev", "")], #"{"local":1,"remote":2}"#),
        .ask("setCheckpoint", [("client", "cp-1"), ("rev", "1-cc")], #"{"local":2}"#),
        .ask("subChanges", [("since", "0"), ("batch", "20")], #"{"docIDs":["a","b"]}"#),
        .answer("changes", "[[],0,[\"1-aa\"]]", [("maxHistory", "20"), ("deltas", "true")]),
        .answer("rev"), .refusal("rev", "HTTP", "422"), .forget("rev"),
        .ask("getAttachment", [("digest", "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), ("docID", "b")]),
        .ask("proveAttachment", [("digest", "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")], "nonce"),
        .ask("proposeChanges", [("conflictIncludesRev", "true")], #"[["a","2-bb","1-aa",20]]"#),
        .ask("changes", [], changes),
        revision(
            "new",
            "2-bb",
            "3",
            #"{"x":[1]}"#,
            [("history", "1-aa"), ("noconflicts", "true")]
        ),
        revision("new", "3-dd", "4", #"{"x":[2]}"#, [("deltaSrc", "2-bb"), ("history", "2-bb")]),
        revision("t", "1-ee", "5", "{}", [("deleted", "1"), ("deleted_branch", "2-aa,1-bb")]),
        revision(
            "p",
            "1-ff",
            "6",
            #"{"p":{"@type":"blob","digest":"sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=","length":3}}"#
        ),
        .answer("getAttachment", "???"),
        .ask("norev", [("id", "n"), ("rev", "1-aa"), ("sequence", "4"), ("error", "404")]),
        .ask("getRev", [("id", "a"), ("rev", "1-aa")]), .ask("unknown", [], "?"),
        .ask("subChanges", [("continuous", "true"), ("activeOnly", "true")]),
    ]

    private static let clientHeads = [
        HandshakeScript.request(isOld: false), "GET /db/_blipsync HTTP/1.1\nHost: x\n\n",
        "POST /db HTTP/1.1\nHost: x\nContent-Length: 99999999999999999999\n\n",
        "GET /db/_blipsync HTTP/1.1\nHost: x\nAuthorization: Basic OjpB\nUpgrade: websocket\n\n",
        "GET /db/_blipsync HTTP/1.1\nHost: x\nSec-WebSocket-Version: 4294967296\n\n",
    ]

    // MARK: Parts

    private static func heads(_ heads: [String], options: UInt8) -> [Conversation] {
        heads.map { head in
            Conversation(options: options, [Act(kind: .bytes, body: Array(head.utf8))] + opening)
        }
    }

    private static let done = Act.ask("changes", [], "[]")

    private static func revision(
        _ id: String,
        _ revision: String,
        _ sequence: String,
        _ body: String,
        _ further: [(String, String)] = []
    ) -> Act {
        .ask("rev", [("id", id), ("rev", revision), ("sequence", sequence)] + further, body)
    }
}

extension Conversation.Act {
    /// A close with a code.
    static func close(_ code: UInt16) -> Self {
        Self(kind: .closes, properties: [.init(name: "code", value: "\(code)")])
    }

    /// No reply to the oldest request with this profile.
    static func forget(_ profile: String) -> Self {
        var act = answer(profile)
        act.kind = .forgets
        return act
    }
}
