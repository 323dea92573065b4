import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Answers of the wrong length and type, and unexpected errors.
@Suite struct BadReplyTests {
    // MARK: To an active peer

    @Test(
        arguments: [
            "", "nope", "{}", "null", "[]", "[{},{}]", "7", "\"x\"", "[", "[[]]", "[7]",
        ]
    )
    func `getCollections: an invalid reply ends the replication`(body: String) throws {
        var server = Counterpart(Conversation.Options().active, try Site())
        try server.answer("getCollections", body)
        #expect(server.closeCode == 4002)
        #expect(server.error != nil)
        #expect(server.requests.allSatisfy { $0.profile == "getCollections" })
    }

    @Test(
        arguments: [
            ("[{\"local\":\"x\"}]"), "[{\"local\":-5}]", "[{\"local\":1.5}]",
            "[{\"localCompleted\":[1]}]", "[{\"localCompleted\":[5,0]}]",
            "[{\"localCompleted\":[18446744073709551615,18446744073709551615]}]",
            "[{\"localCompleted\":\"x\",\"remote\":{\"deep\":[[[]]]}}]", "[{\"rev\":7}]",
        ]
    )
    func `getCollections: a malformed checkpoint is treated as missing`(body: String) throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = Counterpart(Conversation.Options(pulls: false).active, site)
        try server.answer("getCollections", body)
        let proposed = try server.take("proposeChanges").body
        #expect(String(decoding: proposed, as: UTF8.self).contains("\"a\""))
        #expect(server.closeCode == nil)
    }

    @Test(arguments: [
        ("HTTP", 400), ("HTTP", 403), ("HTTP", 500), ("HTTP", 503), ("X", 1), ("", 0),
    ])
    func `getCollections: an error ends the replication, and only 503 can be retried`(
        domain: String,
        code: Int
    ) throws {
        var server = Counterpart(Conversation.Options().active, try Site())
        try server.refuse("getCollections", domain, code)
        #expect(server.closeCode == (code == 503 ? 4001 : 4002))
        #expect(server.error?.isTransient == (code == 503))
    }

    @Test(arguments: [
        ("HTTP", 99), ("HTTP", 5_000), ("WebSocket", Int(Int32.max)), ("LiteCore", 1_000),
        ("Network", Int(Int32.max)), ("Network", -1), ("HTTP", Int(Int32.min)), ("POSIX", -5),
    ])
    func `an error code that its domain does not define is a remote error`(
        domain: String,
        code: Int
    ) throws {
        var server = Counterpart(Conversation.Options().active, try Site())
        try server.refuse("getCollections", domain, code)
        #expect(server.error?.domain == .liteCore)
        #expect(server.error?.code == 26)
        #expect(server.closeCode == 4002)
    }

    @Test(arguments: ["", "nope", "[]", "null", "{}", #"{"local":{},"remote":[]}"#])
    func `getCheckpoint: an invalid body is treated as an empty checkpoint`(body: String) throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = Counterpart(
            Conversation.Options(pulls: false).active,
            site,
            version: .version2
        )
        try server.answer("getCheckpoint", body)
        let proposed = try server.take("proposeChanges").body
        #expect(String(decoding: proposed, as: UTF8.self).contains("\"a\""))
    }

    @Test(arguments: [400, 403, 500])
    func `getCheckpoint: any error but 404 ends the replication`(code: Int) throws {
        var server = Counterpart(Conversation.Options().active, try Site(), version: .version2)
        try server.refuse("getCheckpoint", "HTTP", code)
        #expect(server.closeCode != nil)
        #expect(server.error?.code == code)
    }

    @Test func `setCheckpoint: after repeated refusals the run ends with the error`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, .init(pulls: false))
        try server.answer("proposeChanges", "[304]")
        for _ in 0..<20 where server.closeCode == nil {
            guard server.requests.contains(where: { $0.profile == "setCheckpoint" }) else { break }
            try server.refuse("setCheckpoint", "HTTP", 409)
            if server.requests.contains(where: { $0.profile == "getCheckpoint" }) {
                try server.answer("getCheckpoint", "{}", ["rev": "0-1"])
            }
        }
        #expect(server.closeCode == 1000)
        #expect(server.error?.code == 409)
    }

    @Test(
        arguments: [
            "[0,0]", "{}", "7", "nope", #"["x"]"#, "[[]]", "[true]", "[1.5]", "[",
            #"[{"status":"x"}]"#,
            "[99999999999999999999]", "[9223372036854775807]", "[-9223372036854775808]", "[-1]",
            "[99]", "[1000]", #"[{"status":9223372036854775807}]"#, #"[{"status":1000}]"#,
        ]
    )
    func `proposeChanges: an invalid reply ends the replication`(body: String) throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, .init(pulls: false))
        try server.answer("proposeChanges", body)
        #expect(server.closeCode == 4002)
        #expect(!server.requests.contains { $0.profile == "rev" })
    }

    @Test(arguments: [(#"[{"rev":"1-ff"}]"#, 500), ("[999]", 999), ("[100]", 100), ("[400]", 400)])
    func `proposeChanges: an unknown status is an error of that document`(
        body: String,
        code: Int
    ) throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, .init(pulls: false))
        try server.answer("proposeChanges", body)
        #expect(server.events.map(\.error?.code) == [code])
        #expect(server.error == nil)
    }

    @Test(arguments: [#"{"status":409,"rev":"junk"}"#, #"{"status":409,"rev":"2-bb"}"#, "409"])
    func `proposeChanges: a conflict with an unknown or invalid revision is a conflict`(
        verdict: String
    ) throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, .init(pulls: false))
        try server.answer("proposeChanges", "[\(verdict)]")
        #expect(server.events.map(\.error?.code) == [409])
    }

    @Test func `unknown or invalid properties in replies are ignored`() throws {
        let site = try Site()
        try site.save("a", "{}")
        var server = try Counterpart.server(site, .init(pulls: false))
        let odd: BLIPProperties = [
            "maxHistory": "-5", "blobs": "perhaps", "deltas": "", "sendReplacementRevs": "7",
        ]
        try server.answer("proposeChanges", "[]", odd)
        let revision = try server.answer("rev", "unasked body", ["noop": "maybe"])
        #expect(revision.properties["id"] == "a")
        #expect(server.events.map(\.error) == [nil])
    }

    @Test(arguments: ["9223372036854775807", "-1", "65536", "1.5", "\"x\""])
    func `changes: invalid flags invalidate the whole list`(flags: String) throws {
        var server = try Counterpart.server(try Site(), .init(pushes: false))
        let reply = server.ask(
            "changes",
            ["collection": "0"],
            "[[1,\"a\",\"1-aa\",\(flags)]]"
        )
        #expect(reply?.error?.code == 400)
    }

    @Test func `changes: absurd body sizes are accepted`() throws {
        var server = try Counterpart.server(try Site(), .init(pushes: false))
        let entries = (1...40).map { "[\($0),\"d\($0)\",\"1-aa\",0,9223372036854775807]" }
        let reply = server.ask(
            "changes",
            ["collection": "0"],
            "[\(entries.joined(separator: ","))]"
        )
        #expect(reply?.error == nil)
    }

    // MARK: To a passive peer

    @Test(
        arguments: [
            "", "nope", "{}", "7", "[[],[]]", "[[],[],[]]", #"[["junk"],[1]]"#, #"["x"]"#, "[",
            "null",
            "[true]", "[{}]", "[[[]]]",
        ]
    )
    func `changes: after an invalid reply nothing is sent, and the feed continues`(
        body: String
    ) throws {
        let site = try Site()
        try site.save("a", "{}")
        var client = Counterpart.client(site)
        client.ask("subChanges", ["collection": "0", "continuous": "true"])
        try client.answer("changes", body)
        #expect(!client.requests.contains { $0.profile == "rev" })
        #expect(client.closeCode == nil)
        try site.save("b", "{}")
        for change in site.takeChanges() { client.peer.storeChanged(change, at: .zero) }
        client.exchange()
        let news = try client.take("changes", where: { !$0.isNoReply })
        client.answer(news, bytes: Array("[[]]".utf8))
        #expect(String(decoding: news.body, as: UTF8.self).contains("\"b\""))
        #expect(try client.take("rev").properties["id"] == "b")
    }

    @Test func `changes: invalid ancestors in a reply are ignored`() throws {
        let site = try Site()
        try site.put("a", ["2-bb", "1-aa"], "{}")
        var client = Counterpart.client(site)
        client.ask("subChanges", ["collection": "0"])
        try client.answer("changes", #"[["junk","","9-ff","1-aa"]]"#, ["maxHistory": "0"])
        #expect(try client.take("rev").properties["history"] == "1-aa")
    }

    @Test(arguments: [("HTTP", 500), ("BLIP", 404), ("LiteCore", 8), ("", 0), ("POSIX", 28)])
    func `changes and rev: an error reply fails only that document`(
        domain: String,
        code: Int
    ) throws {
        let site = try Site()
        try site.save("a", "{}")
        try site.save("b", "{}")
        var client = Counterpart.client(site)
        client.ask("subChanges", ["collection": "0"])
        try client.answer("changes", "[[],[]]")
        try client.refuse("rev", domain, code)
        try client.answer("rev")
        #expect(client.closeCode == nil)
        #expect(client.events.filter { $0.error != nil }.count == 1)
    }
}
