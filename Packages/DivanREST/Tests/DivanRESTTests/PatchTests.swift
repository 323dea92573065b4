import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanREST
import DivanTestKit
import Synchronization
import Testing

/// Changes of parts of a document with `PATCH`.
@Suite(.timeLimit(.minutes(5))) struct PatchTests {
    private static let merge = "Content-Type: application/merge-patch+json"
    private static let list = "Content-Type: application/json-patch+json; charset=utf-8"

    private func patched(
        _ document: String,
        _ type: String,
        _ patch: String
    ) throws -> (answer: HTTPTestClient.Answer, document: JSON) {
        let served = try Served()
        try served.put("a", document)
        let visitor = try served.visitor()
        let answer = try visitor.ask("PATCH", "/notes/_default/a", type, body: patch)
        return (answer, try visitor.ask("GET", "/notes/_default/a").json())
    }

    /// Source: RFC 7396, appendix A, as far as the documents are objects.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `a merge patch sets and removes members`(
        _ document: String,
        _ patch: String,
        _ expected: String
    ) throws {
        let result = try patched(document, Self.merge, patch)
        #expect(result.answer.status == 200, "\(result.answer.text)")
        #expect(try result.document == JSON(parsing: expected))
    }

    /// Source: RFC 6902, appendix A.
    @Test(arguments: [
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
            #"{"baz":"qux","foo":"bar"}"#
        ),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (#"{"foo":["a","b","c"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["a","c"]}"#),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
        ),
        (
            #"{"foo":["all","grass","cows","eat"]}"#,
            #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            #"{"foo":["all","cows","eat","grass"]}"#
        ),
        (
            #"{"baz":"qux","foo":["a",2,"c"]}"#,
            #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2.0}]"#,
            #"{"baz":"qux","foo":["a",2,"c"]}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":1,"xyz":2}]"#,
            #"{"foo":"bar","baz":1}"#
        ),
        (
            #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#
        ),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            #"{"foo":["bar",["abc","def"]]}"#
        ),
        (#"{"a":1}"#, #"[{"op":"replace","path":"","value":{"b":2}}]"#, #"{"b":2}"#),
        (
            #"{"a":{"b":1}}"#, #"[{"op":"copy","from":"/a","path":"/a/c"}]"#,
            #"{"a":{"b":1,"c":{"b":1}}}"#
        ),
        (#"{"a":{"":1}}"#, #"[{"op":"move","from":"/a/","path":"/x"}]"#, #"{"a":{},"x":1}"#),
        (#"{"a":1}"#, "[]", #"{"a":1}"#),
    ])
    func `a JSON patch applies its operations in order`(
        _ document: String,
        _ patch: String,
        _ expected: String
    ) throws {
        let result = try patched(document, Self.list, patch)
        #expect(result.answer.status == 200, "\(result.answer.text)")
        #expect(try result.document == JSON(parsing: expected))
    }

    @Test(arguments: [
        (#"[{"op":"test","path":"/n","value":2}]"#, 409, "patch_failed"),
        (#"[{"op":"test","path":"/s","value":1}]"#, 409, "patch_failed"),
        (#"[{"op":"add","path":"/baz/bat","value":1}]"#, 409, "patch_failed"),
        (#"[{"op":"add","path":"/l/5","value":1}]"#, 409, "patch_failed"),
        (#"[{"op":"add","path":"/l/01","value":1}]"#, 409, "patch_failed"),
        (#"[{"op":"remove","path":"/l/-"}]"#, 409, "patch_failed"),
        (#"[{"op":"remove","path":"/l/-1"}]"#, 409, "patch_failed"),
        (#"[{"op":"replace","path":"/none","value":1}]"#, 409, "patch_failed"),
        (#"[{"op":"move","from":"/o","path":"/o/x"}]"#, 409, "patch_failed"),
        (#"[{"op":"copy","from":"/none","path":"/x"}]"#, 409, "patch_failed"),
        (#"[{"op":"remove","path":"/n"},{"op":"remove","path":"/n"}]"#, 409, "patch_failed"),
        (#"[{"op":"remove","path":""}]"#, 400, "bad_request"),
        (#"[{"op":"replace","path":"","value":[1]}]"#, 400, "bad_request"),
        (#"[{"op":"add","path":"/_id","value":"x"}]"#, 400, "bad_document"),
        (#"[{"op":"spam","path":"/n"}]"#, 400, "bad_request"),
        (#"[{"op":"add","path":"/n"}]"#, 400, "bad_request"),
        (#"[{"op":"add","path":"n","value":1}]"#, 400, "bad_request"),
        (#"[{"op":"move","path":"/n"}]"#, 400, "bad_request"),
        ("[1]", 400, "bad_request"), ("{}", 400, "bad_request"), ("[", 400, "bad_json"),
    ])
    func `a JSON patch that cannot be applied changes nothing`(
        _ patch: String,
        _ status: Int,
        _ code: String
    ) throws {
        let document = #"{"l":[1],"n":1,"o":{},"s":"1"}"#
        let result = try patched(document, Self.list, patch)
        #expect(result.answer.status == status, "\(result.answer.text)")
        #expect(try result.answer.json()["error"]?.string == code)
        #expect(try result.document == JSON(parsing: document))
        if code == "patch_failed" {
            let last = patch.contains("},{") ? 1 : 0
            #expect(try result.answer.json()["operation"]?.int == Int64(last))
        }
    }

    @Test func `a patch of another content type is rejected with the accepted ones`() throws {
        for type in ["X: y", "Content-Type: application/json", "Content-Type: text/plain"] {
            let result = try patched("{}", type, "{}")
            #expect(result.answer.status == 415)
            #expect(result.answer.field("Accept-Patch")?.contains("merge-patch+json") == true)
        }
        #expect(try patched("{}", Self.merge, "[1]").answer.status == 400)
        #expect(try patched("{}", Self.merge, "3").answer.status == 400)
    }

    @Test func `a patch respects the expected revision`() throws {
        let served = try Served()
        let first = try served.put("a", #"{"n":1}"#)
        let second = try served.put("a", #"{"n":2}"#)
        let visitor = try served.visitor()
        let path = "/notes/_default/a"
        let old = try visitor.ask("PATCH", path, Self.merge, "If-Match: \"\(first)\"", body: "{}")
        #expect(old.status == 409)
        #expect(try old.json()["rev"]?.string == second)
        let current = try visitor.ask(
            "PATCH",
            path,
            Self.merge,
            "If-Match: \"\(second)\"",
            body: #"{"m":3}"#
        )
        #expect(current.status == 200)
        #expect(current.field("ETag") == #""\#(try current.json()["rev"]?.string ?? "")""#)
        #expect(try visitor.ask("GET", path).text == #"{"m":3,"n":2}"#)
        #expect(try visitor.ask("PATCH", path + "?rev=1-a", Self.merge, body: "{}").status == 409)
        #expect(try visitor.ask("PATCH", path, Self.merge, "If-Match: *", body: "{}").status == 200)
        let none = try visitor.ask("PATCH", "/notes/_default/none", Self.merge, body: "{}")
        #expect(none.status == 404)
    }

    @Test func `concurrent patches without an expected revision are all applied`() throws {
        let served = try Served()
        try served.put("a", "{}")
        let (clientCount, patchCount) = (6, 40)
        let statuses = Mutex<[Int]>([])
        let visitors = try (0..<clientCount).map { _ in try served.visitor() }
        // Sent at the same time, and answered by several threads of the server.
        for number in 0..<patchCount {
            for (client, visitor) in visitors.enumerated() {
                let body = #"{"k\#(client)-\#(number)":1}"#
                visitor.send(
                    "PATCH /notes/_default/a HTTP/1.1\r\nHost: localhost\r\n\(Self.merge)\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }
            for visitor in visitors {
                let answer = try visitor.readAnswer()
                statuses.withLock { $0.append(answer.status) }
            }
        }
        #expect(statuses.withLock { $0.allSatisfy { $0 == 200 } })
        let document = try visitors[0].ask("GET", "/notes/_default/a").json()
        #expect(document.object?.count == clientCount * patchCount)
    }

    @Test func `a patch with too many operations is rejected`() throws {
        let served = try Served { $0.limits.patchOperationCount = 3 }
        try served.put("a", "{}")
        let operation = #"{"op":"add","path":"/a","value":1}"#
        for (count, status) in [(3, 200), (4, 413)] {
            let body = "[\(Array(repeating: operation, count: count).joined(separator: ","))]"
            let answer = try served.visitor().ask(
                "PATCH",
                "/notes/_default/a",
                Self.list,
                body: body
            )
            #expect(answer.status == status)
        }
    }

    @Test func `copies that double the document end at the work limit`() throws {
        let served = try Served { $0.limits.patchWorkByteCount = 100_000 }
        let document = #"{"a":{"t":"0123456789"}}"#
        try served.put("a", document)
        let copies = (0..<40).map { #"{"op":"copy","from":"/a","path":"/a/c\#($0)"}"# }
        let body = "[\(copies.joined(separator: ","))]"
        let visitor = try served.visitor()
        let answer = try visitor.ask("PATCH", "/notes/_default/a", Self.list, body: body)
        #expect(answer.status == 413 && answer.text.contains("PUT the document"))
        #expect(try visitor.ask("GET", "/notes/_default/a").text == document)
    }

    @Test func `insertions that move a long list end at the work limit`() throws {
        let served = try Served { $0.limits.patchWorkByteCount = 100_000 }
        try served.put("a", #"{"l":[\#((0..<2_000).map { "\($0)" }.joined(separator: ","))]}"#)
        let inserts = (0..<100).map { _ in #"{"op":"add","path":"/l/0","value":1}"# }
        let body = "[\(inserts.joined(separator: ","))]"
        let answer = try served.visitor().ask("PATCH", "/notes/_default/a", Self.list, body: body)
        #expect(answer.status == 413)
    }

    @Test func `the result of a patch can be read again, however deep it is`() throws {
        let served = try Served()
        try served.put("a", #"{"a":{}}"#)
        let visitor = try served.visitor()
        let copies = (0..<200).map { _ in #"{"op":"copy","from":"","path":"/a"}"# }
        let body = "[\(copies.joined(separator: ","))]"
        let answer = try visitor.ask("PATCH", "/notes/_default/a", Self.list, body: body)
        #expect(answer.status == 409 && answer.text.contains("too deep"))
        let some = "[\(copies.prefix(100).joined(separator: ","))]"
        let deep = try visitor.ask("PATCH", "/notes/_default/a", Self.list, body: some)
        #expect(deep.status == 200)
        #expect(try visitor.ask("PATCH", "/notes/_default/a", Self.merge, body: "{}").status == 200)
    }

    @Test func `a long document is patched`() throws {
        let served = try Served()
        let filler = String(repeating: "x", count: 3 << 20)
        try served.put("a", #"{"n":1,"t":"\#(filler)"}"#)
        let visitor = try served.visitor()
        let answer = try visitor.ask("PATCH", "/notes/_default/a", Self.merge, body: #"{"n":2}"#)
        #expect(answer.status == 200)
        #expect(try visitor.ask("GET", "/notes/_default/a?path=/n").text == "2")
    }

    @Test func `a patch is subject to the client's rights`() throws {
        let condition = try RESTCondition("owner = 'anna'")
        let isReadOnly = Atomic(false)
        let served = try Served { configuration in
            configuration.rights = { _, _ in
                RESTRights(isReadOnly: isReadOnly.load(ordering: .relaxed), condition: condition)
            }
        }
        try served.put("own", #"{"owner":"anna"}"#)
        let hidden = try served.put("other", #"{"owner":"bo"}"#)
        func status(_ id: String, _ patch: String, _ field: String = "X: y") throws -> Int {
            try served.visitor().ask(
                "PATCH",
                "/notes/_default/\(id)",
                Self.merge,
                field,
                body: patch
            )
            .status
        }
        #expect(try status("own", #"{"n":1}"#) == 200)
        #expect(try status("own", #"{"owner":"bo"}"#) == 403)
        #expect(try status("other", #"{"owner":"anna"}"#) == 404)
        #expect(try status("other", "{}", "If-Match: \"\(hidden)\"") == 409)
        let digest = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let blob = #"{"b":{"@type":"blob","digest":"\#(digest)","length":1}}"#
        #expect(try status("own", blob) == 400)
        isReadOnly.store(true, ordering: .relaxed)
        #expect(try status("own", "{}") == 403)
    }
}
