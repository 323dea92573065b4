import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// The answers of a passive peer to all sorts of clients.
@Suite struct PassiveTests {
    private static let zero: BLIPProperties = ["collection": "0"]

    private func error(_ reply: BLIPIncomingReply?) -> String {
        reply?.error.map { "\($0.domain)/\($0.code)" } ?? (reply == nil ? "silence" : "fine")
    }

    @Test(arguments: [
        ("", "HTTP/400"), ("[]", "HTTP/400"), (#"{"collections":[]}"#, "HTTP/400"),
        (#"{"checkpoint_ids":[],"collections":[]}"#, "HTTP/400"),
        (#"{"checkpoint_ids":["a"],"collections":["a","b"]}"#, "HTTP/400"),
        (#"{"checkpoint_ids":["a"],"collections":[7]}"#, "HTTP/400"),
        (#"{"checkpoint_ids":["a","b"],"collections":["c","c"]}"#, "HTTP/400"),
        (#"{"checkpoint_ids":["a"],"collections":["nowhere.at-all"]}"#, "fine"),
    ])
    func `a malformed getCollections is a bad request`(body: String, expected: String) throws {
        var client = Counterpart(Conversation.Options().passive, try Site())
        #expect(error(client.ask("getCollections", [:], body)) == expected)
        #expect(client.closeCode == nil)
    }

    @Test func `the collection index must be given and valid`() throws {
        let site = try Site()
        var client = Counterpart(Conversation.Options().passive, site)
        client.ask(
            "getCollections",
            [:],
            #"{"checkpoint_ids":["a","b"],"collections":["_default","nowhere"]}"#
        )
        for index in ["", "-1", "1", "2", "99999999999999999999", "x"] {
            let reply = client.ask("proposeChanges", ["collection": index], "[]")
            #expect(error(reply) == "HTTP/400", "collection \(index)")
        }
        #expect(error(client.ask("proposeChanges", [:], "[]")) == "HTTP/400")
        #expect(error(client.ask("proposeChanges", Self.zero, "[]")) == "fine")
        #expect(error(client.ask("getCollections", [:], "{}")) == "HTTP/400")
    }

    @Test func `checkpoints are kept by name and revision`() throws {
        var client = Counterpart.client(try Site())
        let named: BLIPProperties = ["collection": "0", "client": "cp-1"]
        #expect(error(client.ask("getCheckpoint", named)) == "HTTP/404")
        var saving = named
        saving["rev"] = ""
        #expect(client.ask("setCheckpoint", saving, #"{"a":1}"#)?.properties["rev"] == "1-cc")
        #expect(error(client.ask("setCheckpoint", saving, #"{"a":2}"#)) == "HTTP/409")
        saving["rev"] = "1-cc"
        #expect(client.ask("setCheckpoint", saving, #"{"a":3}"#)?.properties["rev"] == "2-cc")
        let reply = client.ask("getCheckpoint", named)
        #expect(reply?.properties["rev"] == "2-cc")
        #expect(reply?.body == Array(#"{"a":3}"#.utf8))
        #expect(error(client.ask("getCheckpoint", Self.zero)) == "HTTP/400")
    }

    @Test func `proposals are checked only against the current revision`() throws {
        let site = try Site()
        try site.put("a", ["2-bb", "1-aa"], "{}")
        try site.put("gone", ["2-dd", "1-cc"], "{}", isTombstone: true)
        var client = Counterpart.client(site)
        let body =
            #"[["new","5-ee"],["a","2-bb"],["a","3-ff","2-bb"],["a","1-aa"],"#
            + #"["a","3-ff","1-aa",20],["gone","1-ff"],["_bad","1-aa"],["x","junk"],["b","1-aa"]]"#
        var properties = Self.zero
        #expect(
            client.ask("proposeChanges", properties, body)?.body
                == Array("[0,304,0,409,409,0,400,400]".utf8)
        )
        properties["conflictIncludesRev"] = "true"
        let reply = client.ask("proposeChanges", properties, #"[["a","3-ff"]]"#)
        #expect(reply?.body == Array(#"[{"status":409,"rev":"2-bb"}]"#.utf8))
        #expect(reply?.properties["blobs"] == "true")
        #expect(reply?.properties["maxHistory"] == "50")
        #expect(error(client.ask("proposeChanges", Self.zero, "{}")) == "HTTP/400")
        #expect(error(client.ask("proposeChanges", Self.zero, "")) == "HTTP/400")
        #expect(error(client.ask("proposeChanges", Self.zero, #"[["a"]]"#)) == "HTTP/400")
    }

    /// With any ancestor: the receiver may have purged the document, unknown to the sender.
    ///
    /// Source: `revisions.md` §7, "no such document".
    @Test func `a proposal for an unknown document is accepted with any ancestor`() throws {
        let site = try Site()
        var client = Counterpart.client(site)
        let list = #"[["a","7-ff","6-ee"],["b","2-bb","9-aa",100],["c","1-aa","junk"]]"#
        #expect(client.ask("proposeChanges", Self.zero, list)?.body == Array("[]".utf8))
        let revision: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "7-ff", "history": "6-ee", "noconflicts": "true",
        ]
        #expect(error(client.ask("rev", revision, "{}")) == "fine")
        #expect(try site.revision("a") == "7-ff")
    }

    @Test(arguments: ["continuous", "activeOnly"])
    func `a subscription with an invalid Boolean is refused`(name: String) throws {
        var client = Counterpart.client(try Site())
        var properties = Self.zero
        properties[name] = "perhaps"
        #expect(error(client.ask("subChanges", properties)) == "HTTP/400")
        properties[name] = "False"
        #expect(error(client.ask("subChanges", properties)) == "fine")
    }

    @Test func `an accepted proposal over a tombstone is stored when it arrives`() throws {
        let site = try Site()
        try site.put("gone", ["2-dd", "1-cc"], "{}", isTombstone: true)
        var client = Counterpart.client(site)
        let asked = client.ask("proposeChanges", Self.zero, #"[["gone","1-ff"]]"#)
        #expect(asked?.body == Array("[]".utf8))
        let revision: BLIPProperties = [
            "collection": "0", "id": "gone", "rev": "1-ff", "noconflicts": "true",
        ]
        #expect(error(client.ask("rev", revision, #"{"back":true}"#)) == "fine")
        #expect(try site.body("gone") == #"{"back":true}"#)
    }

    @Test func `changes are refused because clients must send proposeChanges`() throws {
        var client = Counterpart.client(try Site())
        #expect(error(client.ask("changes", Self.zero, #"[[1,"a","1-aa"]]"#)) == "HTTP/409")
        #expect(error(client.ask("changes", Self.zero, "[]")) == "fine")
        #expect(error(client.ask("changes", Self.zero, "null", isNoReply: true)) == "silence")
    }

    @Test(
        arguments: [
            (["id": "a", "rev": "1-aa"], #"{"x":1}"#, "fine"),
            (["rev": "1-aa"], "{}", "HTTP/400"), (["id": "a"], "{}", "HTTP/400"),
            (["id": "", "rev": "1-aa"], "{}", "HTTP/400"),
            (["id": "_x", "rev": "1-aa"], "{}", "HTTP/400"),
            (["id": "a", "rev": "1-AA"], "{}", "HTTP/400"),
            (["id": "a", "rev": "0-aa"], "{}", "HTTP/400"),
            (["id": "a", "rev": "x"], "{}", "HTTP/400"),
            (["id": "a", "rev": "1-aa"], "[]", "HTTP/400"),
            (["id": "a", "rev": "1-aa"], "", "HTTP/400"),
            (["id": "a", "rev": "1-aa"], "{", "HTTP/400"),
            (["id": "a", "rev": "3-aa", "history": "1-aa"], "{}", "HTTP/400"),
            (["id": "a", "rev": "3-aa", "history": "2-bb, 1-aa"], "{}", "fine"),
            (["id": "a", "rev": "2-aa", "history": ",1-aa"], "{}", "HTTP/400"),
            (["id": "a", "rev": "2-aa", "deleted": "1"], "", "fine"),
            (["id": "a", "rev": "2-aa", "deltaSrc": "1-bb"], "{}", "HTTP/422"),
            (["id": "taken", "rev": "2-ff", "history": "1-bb"], "{}", "HTTP/409"),
            (["id": "taken", "rev": "2-ff", "history": "1-aa"], "{}", "fine"),
        ] as [([String: String], String, String)]
    )
    func `a revision is validated before it is stored`(
        given: [String: String],
        body: String,
        expected: String
    ) throws {
        let site = try Site()
        try site.put("taken", ["1-aa"], "{}")
        var client = Counterpart.client(site)
        var properties = Self.zero
        for (name, value) in given { properties.append(name, value) }
        #expect(error(client.ask("rev", properties, body)) == expected)
        let isStored =
            try site.revision(DocumentID(unchecked: given["id"] ?? "")).map { $0 == given["rev"] }
            ?? false
        #expect(isStored == (expected == "fine"))
    }

    /// `revisions.md` §8: Couchbase Lite pushes this when a conflict was resolved for its own side.
    @Test func `a revision that closes the current branch replaces it`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], #"{"v":"base"}"#)
        try site.put("a", ["2-bb", "1-aa"], #"{"v":"server"}"#)
        var client = Counterpart.client(site)
        let proposed = client.ask("proposeChanges", Self.zero, #"[["a","2-cc","2-bb"]]"#)
        #expect(proposed?.body == Array("[]".utf8))
        var revision: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "2-cc", "history": "1-aa", "deleted_branch": "",
        ]
        // Present and empty while the conflict is unresolved.
        #expect(error(client.ask("rev", revision, #"{"v":"client"}"#)) == "HTTP/409")
        revision["deleted_branch"] = "3-dd,2-ee"
        #expect(error(client.ask("rev", revision, #"{"v":"client"}"#)) == "HTTP/409")
        revision["deleted_branch"] = "3-dd,2-bb"
        #expect(error(client.ask("rev", revision, #"{"v":"client"}"#)) == "fine")
        #expect(try site.body("a") == #"{"v":"client"}"#)
        #expect(try site.revision("a") == "2-cc")
        #expect(try site.store.read { try $0.conflicts(in: .default) } == [])
        #expect(client.ask("rev", revision, "{}")?.properties["noop"] == "true")
        // And the document continues from there.
        let next: BLIPProperties = ["collection": "0", "id": "a", "rev": "3-ff", "history": "2-cc"]
        #expect(error(client.ask("rev", next, #"{"v":3}"#)) == "fine")
    }

    @Test func `a revision that is already stored is answered with noop`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], "{}")
        var client = Counterpart.client(site)
        let reply = client.ask("rev", ["collection": "0", "id": "a", "rev": "1-aa"], "{}")
        #expect(reply?.properties["noop"] == "true")
    }

    @Test func `the end of the feed is always announced`() throws {
        var client = Counterpart.client(try Site())
        #expect(error(client.ask("subChanges", Self.zero)) == "fine")
        let last = try client.take("changes")
        #expect(last.isNoReply)
        #expect(last.body == Array("[]".utf8))
        #expect(client.requests.isEmpty)
    }

    @Test func `a subscriber does not get the revisions that it pushed`() throws {
        let site = try Site()
        var client = Counterpart.client(site)
        client.ask("subChanges", ["collection": "0", "continuous": "true"])
        _ = try client.take("changes")
        client.ask("rev", ["collection": "0", "id": "a", "rev": "1-aa"], "{}")
        let echoes = client.requests.filter { $0.body != Array("[]".utf8) }
        #expect(echoes.map(\.profile) == [])

        try site.save("b", "{}")
        for change in site.takeChanges() { client.peer.storeChanged(change, at: .zero) }
        client.exchange()
        let news = client.requests.filter { $0.body != Array("[]".utf8) }
        #expect(news.count == 1)
        #expect(
            news.first.map { String(decoding: $0.body, as: UTF8.self).contains("\"b\"") } == true
        )
    }

    @Test func `revisions that no longer exist are sent as a replacement or as norev`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], "{}")
        try site.put("b", ["1-bb"], "{}")
        try site.put("c", ["1-cc"], "{}")
        var client = Counterpart.client(site)
        client.ask("subChanges", Self.zero)
        try site.put("a", ["2-aa", "1-aa"], #"{"n":2}"#)
        try site.put("b", ["2-bb", "1-bb"], "{}", isTombstone: true)
        try site.purge("c")
        try client.answer("changes", "[[],[],[]]", ["sendReplacementRevs": "true"])

        let replacement = try client.take("rev")
        #expect(replacement.properties["rev"] == "2-aa")
        #expect(replacement.properties["replacedRev"] == "1-aa")
        #expect(replacement.properties["sequence"] == "1")
        let missing = [try client.take("norev"), try client.take("norev")]
        #expect(missing.map { $0.properties["id"] } == ["b", "c"])
        #expect(missing.allSatisfy { $0.isNoReply && $0.properties["error"] == "404" })
    }

    @Test func `a reply longer than the list is ignored`() throws {
        let site = try Site()
        try site.put("a", ["1-aa"], "{}")
        var client = Counterpart.client(site)
        client.ask("subChanges", Self.zero)
        try client.answer("changes", "[[],[],[]]")
        #expect(client.closeCode == nil)
        #expect(client.requests.map(\.profile) == ["changes"])
    }

    /// Couchbase Lite 4.1 refuses a whole list because of one document that it stored after its upgrade.
    @Test(arguments: [Subprotocol.version3, .version4])
    func `a list refused because of one document is sent again in parts`(
        version: Subprotocol
    ) throws {
        let isVector = version == .version4
        let site = try Site(isVector ? .inMemory(scheme: .vectors) : .inMemory())
        for number in 0..<9 { try site.save(DocumentID(unchecked: "doc\(number)"), "{}") }
        var client = Counterpart(Conversation.Options().passive, site, version: version)
        let names = #"{"checkpoint_ids":["cp-1"],"collections":["_default"]}"#
        client.ask("getCollections", [:], names)
        let versioning = isVector ? "version-vectors" : "rev-trees"
        client.ask("subChanges", ["collection": "0", "versioning": versioning])
        var (listsCount, endsCount) = (0, 0)
        while client.requests.contains(where: { $0.profile == "changes" }) {
            let list = try client.take("changes")
            let text = String(decoding: list.body, as: UTF8.self)
            let count = text.split(separator: "doc").count - 1
            if count == 0 {
                endsCount += 1
                // Clients that fail like this are told of the end after everything else.
                let revisionsCount = client.requests.filter { $0.profile == "rev" }.count
                #expect(!isVector || revisionsCount == 8)
                continue
            }
            listsCount += 1
            if text.contains(#""doc3""#) {
                client.refuse(list, "SQLite", 1)
            } else {
                let wanted = [String](repeating: "[]", count: count).joined(separator: ",")
                client.answer(list, bytes: Array("[\(wanted)]".utf8))
            }
        }
        #expect(endsCount == 1 && listsCount <= 9)
        let sent = client.requests.filter { $0.profile == "rev" }.map { $0.properties["id"] }
        #expect(Set(sent) == Set((0..<9).filter { $0 != 3 }.map { "doc\($0)" }))
        #expect(sent.count == 8)
        #expect(client.events.map(\.documentID) == ["doc3"])
        #expect(client.events.first?.error?.code == 1)
        #expect(client.closeCode == nil)
    }

    @Test func `blobs are served, and their possession is proven`() throws {
        let site = try Site()
        let digest = try site.store.blobs.write(Array("content".utf8))
        var client = Counterpart.client(site)
        var properties = Self.zero
        properties["digest"] = digest.description
        #expect(client.ask("getAttachment", properties)?.body == Array("content".utf8))
        let proof = client.ask("proveAttachment", properties, "nonce")
        var expected = Array("\u{5}nonce".utf8)
        expected += Array("content".utf8)
        #expect(proof?.body == Array(BlobDigest(hashing: expected.span).description.utf8))
        #expect(error(client.ask("proveAttachment", properties, "")) == "HTTP/400")
        properties["digest"] = BlobDigest(hashing: [9].span).description
        #expect(error(client.ask("getAttachment", properties)) == "HTTP/404")
        #expect(error(client.ask("proveAttachment", properties, "nonce")) == "HTTP/404")
        properties["digest"] = "sha1-short"
        #expect(error(client.ask("getAttachment", properties)) == "HTTP/400")
    }

    @Test func `an unknown request gets the error message that Couchbase Lite looks for`() throws {
        var client = Counterpart.client(try Site())
        let reply = client.ask("makeCoffee", Self.zero)
        #expect(error(reply) == "BLIP/404")
        #expect(reply?.error?.message == "no handler for message")
    }
}
