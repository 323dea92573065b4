import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Invalid revisions: IDs, histories, bodies, sequences, deltas.
///
/// Each is refused individually on both sides, and an active peer reports its document.
@Suite struct BadRevisionTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let properties: [String: String]
        var body = "{}"
        var code = 400

        var testDescription: String { name }
    }

    private static let deep =
        #"{"a":"# + String(repeating: "[", count: 200) + String(repeating: "]", count: 200) + "}"

    private static func history(_ count: Int, gapAt gap: Int? = nil) -> String {
        (0..<count).map { place in
            "\(count - place + (gap.map { place < $0 ? 1 : 0 } ?? 0))-aa"
        }.joined(separator: ",")
    }

    private static let cases: [Case] = [
        Case(name: "no dash", properties: ["rev": "1aa"]),
        Case(name: "no generation", properties: ["rev": "-aa"]),
        Case(name: "no digest", properties: ["rev": "1-"]),
        Case(name: "generation 0", properties: ["rev": "0-aa"]),
        Case(name: "leading zero", properties: ["rev": "01-aa"]),
        Case(name: "sign", properties: ["rev": "+1-aa"]),
        Case(name: "negative", properties: ["rev": "-1-aa"]),
        Case(name: "space", properties: ["rev": " 1-aa"]),
        Case(name: "upper case", properties: ["rev": "1-AA"]),
        Case(name: "odd digits", properties: ["rev": "1-aaa"]),
        Case(name: "no hexadecimal", properties: ["rev": "1-zz"]),
        Case(name: "generation 2^32", properties: ["rev": "4294967296-aa"]),
        Case(name: "generation 2^63", properties: ["rev": "9223372036854775808-aa"]),
        Case(name: "generation 2^64", properties: ["rev": "18446744073709551616-aa"]),
        Case(
            name: "a digest of 500 digits",
            properties: ["rev": "1-" + String(repeating: "a", count: 500)]
        ),
        Case(
            name: "a version vector",
            properties: ["rev": "18e9adb167b40000@7eVmQ6qWJmmsNMN7rf0BtQ"]
        ),
        Case(name: "history with itself", properties: ["rev": "2-aa", "history": "2-aa"]),
        Case(name: "cyclic history", properties: ["rev": "3-aa", "history": "2-aa,3-aa,2-aa"]),
        Case(name: "ascending history", properties: ["rev": "2-aa", "history": "3-aa"]),
        Case(name: "history with a gap", properties: ["rev": "9-aa", "history": "8-aa,6-aa"]),
        Case(name: "history with junk", properties: ["rev": "2-aa", "history": "junk"]),
        Case(
            name: "history with an empty item",
            properties: ["rev": "3-aa", "history": "2-aa,,1-aa"]
        ),
        Case(name: "history of commas", properties: ["rev": "2-aa", "history": ",,,,"]),
        Case(name: "closing branch of junk", properties: ["rev": "2-aa", "deleted_branch": "x"]),
        Case(name: "no document ID", properties: ["id": "", "rev": "1-aa"]),
        Case(name: "underscore ID", properties: ["id": "_local/x", "rev": "1-aa"]),
        Case(
            name: "an ID of 256 bytes",
            properties: ["id": String(repeating: "i", count: 256), "rev": "1-aa"]
        ),
        Case(name: "empty body", properties: ["rev": "1-aa"], body: ""),
        Case(name: "body null", properties: ["rev": "1-aa"], body: "null"),
        Case(name: "body a list", properties: ["rev": "1-aa"], body: "[{}]"),
        Case(name: "body a number", properties: ["rev": "1-aa"], body: "1"),
        Case(name: "body text", properties: ["rev": "1-aa"], body: "\"{}\""),
        Case(name: "broken body", properties: ["rev": "1-aa"], body: #"{"a":"#),
        Case(name: "two bodies", properties: ["rev": "1-aa"], body: "{}{}"),
        Case(name: "single quotes", properties: ["rev": "1-aa"], body: "{'a':1}"),
        Case(name: "a number too large", properties: ["rev": "1-aa"], body: #"{"a":1e400}"#),
        Case(name: "a lone surrogate", properties: ["rev": "1-aa"], body: #"{"a":"\ud800"}"#),
        Case(name: "too deep", properties: ["rev": "1-aa"], body: deep),
        Case(name: "deleted perhaps", properties: ["rev": "1-aa", "deleted": "maybe"]),
        Case(name: "deleted nothing", properties: ["rev": "1-aa", "deleted": ""]),
        Case(name: "noconflicts perhaps", properties: ["rev": "1-aa", "noconflicts": "1.0"]),
        Case(name: "_id in the body", properties: ["rev": "1-aa"], body: #"{"_id":"doc"}"#),
        Case(name: "_rev in the body", properties: ["rev": "1-aa"], body: #"{"a":1,"_rev":""}"#),
        Case(name: "_deleted in the body", properties: ["rev": "1-aa"], body: #"{"_deleted":0}"#),
        Case(name: "an escaped _id", properties: ["rev": "1-aa"], body: #"{"\u005fid":1}"#),
        Case(
            name: "a delta without a source",
            properties: ["rev": "2-bb", "deltaSrc": "1-cc"],
            body: "{}",
            code: 422
        ),
        Case(
            name: "a delta of a source that is no ID",
            properties: ["rev": "2-bb", "deltaSrc": "junk"],
            body: "{}",
            code: 422
        ),
    ]

    private func properties(_ given: Case) -> BLIPProperties {
        var properties: BLIPProperties = ["collection": "0", "sequence": "1"]
        if given.properties["id"] == nil { properties["id"] = "doc" }
        for (name, value) in given.properties { properties.append(name, value) }
        return properties
    }

    @Test(arguments: cases)
    private func `a passive peer refuses an invalid revision`(given: Case) throws {
        let site = try Site()
        var client = Counterpart.client(site)
        let reply = client.ask("rev", properties(given), given.body)
        #expect(reply?.error?.domain == "HTTP")
        #expect(reply?.error?.code == given.code)
        #expect(client.closeCode == nil)
        #expect(try site.contents() == [:])
    }

    @Test(arguments: cases)
    private func `an active peer refuses an invalid revision, reports it and continues`(
        given: Case
    ) throws {
        let site = try Site()
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[1,"doc","7-ff"],[2,"good","1-aa"]]"#)
        let reply = server.ask("rev", properties(given), given.body)
        #expect(reply?.error?.code == given.code)
        let good: BLIPProperties = [
            "collection": "0", "id": "good", "rev": "1-aa", "sequence": "2",
        ]
        #expect(server.ask("rev", good, "{}")?.error == nil)
        #expect(try site.contents().keys.sorted() == ["good"])
        let failures = server.events.filter { $0.error != nil }
        // A delta is sent again in full; all others are errors of the document, 4 for a bad history.
        let codes = failures.map(\.error?.code)
        let isReported = codes == [given.code] || codes == [4]
        #expect(given.code == 422 ? codes.isEmpty : isReported)
        #expect(server.closeCode == nil)
    }

    @Test func `a history of 10,000 revisions is truncated and stored`() throws {
        let site = try Site()
        var client = Counterpart.client(site)
        let revision: BLIPProperties = [
            "collection": "0", "id": "doc", "rev": "10001-aa", "history": Self.history(10_000),
        ]
        #expect(client.ask("rev", revision, "{}")?.error == nil)
        let tree = try site.store.read { try $0.tree(of: "doc", in: .default) }
        #expect((tree?.revisions.count ?? 0) <= 50)
    }

    @Test(
        arguments: [
            "0", "-3", "1.5", "1e2", "\"12:5\"", "\"a\"", "null", "true", "false", "[1,[2]]",
            #"{"a":{"b":1}}"#, "18446744073709551616", "\"\"",
        ]
    )
    func `a sequence of any JSON type is stored unchanged and sent back`(sequence: String) throws {
        let site = try Site()
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        server.ask("changes", ["collection": "0"], #"[[\#(sequence),"a","1-aa"]]"#)
        server.ask("changes", ["collection": "0"], "null", isNoReply: true)
        let revision: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "1-aa", "sequence": sequence,
        ]
        #expect(server.ask("rev", revision, "{}")?.error == nil)
        let saved = try server.answer("setCheckpoint", "", ["rev": "0-1"])
        let text = String(decoding: saved.body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"time":1700000000,"remote":\#(sequence),"line":["#))
        #expect(server.closeCode == 1000)

        var again = Counterpart(Conversation.Options(pushes: false).active, site)
        try again.answer("getCollections", #"[{"_rev":"0-1","remote":\#(sequence)}]"#)
        // `null` means that nothing is known.
        let since = try again.take("subChanges").properties["since"]
        let isNumber = Double(sequence) != nil
        #expect(since == (sequence == "null" ? nil : sequence) || isNumber)
    }

    @Test func `an overlong sequence invalidates its list`() throws {
        var server = try Counterpart.server(try Site(), .init(pushes: false))
        try server.answer("subChanges")
        let long = "\"" + String(repeating: "1", count: 2_000) + "\""
        let reply = server.ask("changes", ["collection": "0"], #"[[\#(long),"a","1-aa"]]"#)
        #expect(reply?.error?.code == 400)
    }

    @Test func `an active peer refuses a revision without a sequence`() throws {
        let site = try Site()
        var server = try Counterpart.server(site, .init(pushes: false))
        try server.answer("subChanges")
        let revision: BLIPProperties = ["collection": "0", "id": "a", "rev": "1-aa"]
        #expect(server.ask("rev", revision, "{}")?.error?.code == 400)
        #expect(try site.contents() == [:])
    }

    @Test func `the first value of a repeated property is used`() throws {
        let site = try Site()
        var client = Counterpart.client(site)
        var revision: BLIPProperties = ["collection": "0", "id": "a", "rev": "1-aa"]
        revision.append("id", "b")
        revision.append("rev", "junk")
        revision.append("deleted", "0")
        revision.append("deleted", "1")
        #expect(client.ask("rev", revision, "{}")?.error == nil)
        #expect(try site.contents() == ["a": "1-aa {}"])
    }

    @Test(arguments: ["[]", "{\"a\":1}", "[1]", "7", "nope", #"{"n":["2-",0,2]}"#, #"{"x":[]}"#])
    func `a delta that does not apply is requested in full, and nothing is stored`(
        delta: String
    ) throws {
        let site = try Site()
        try site.put("a", ["1-aa"], #"{"n":"some text"}"#)
        var options = Conversation.Options()
        options.usesDeltas = true
        var client = Counterpart.client(site, options)
        let revision: BLIPProperties = [
            "collection": "0", "id": "a", "rev": "2-bb", "history": "1-aa", "deltaSrc": "1-aa",
        ]
        let reply = client.ask("rev", revision, delta)
        // `{"a":1}` is a valid delta: it adds a member.
        guard delta != "{\"a\":1}" else {
            #expect(reply?.error == nil)
            return
        }
        #expect(reply?.error?.code == 422)
        #expect(try site.revision("a") == "1-aa")
    }
}
