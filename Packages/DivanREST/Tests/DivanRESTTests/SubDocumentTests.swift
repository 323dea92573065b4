import DivanJSON
import DivanREST
import DivanTestKit
import Testing

/// Values at a path in a document.
@Suite(.timeLimit(.minutes(5))) struct SubDocumentTests {
    private static let document = #"{"a":{"b":[1,{"c":"x"}],"d/e":null},"n":1}"#

    @Test(arguments: [
        ("/n", 200, "1"), ("/a/b/1/c", 200, #""x""#), ("/a/d~1e", 200, "null"),
        ("/a/b", 200, #"[1,{"c":"x"}]"#), ("", 200, document), ("/a/b/2", 404, nil),
        ("/none", 404, nil), ("/n/x", 404, nil), ("n", 400, nil),
    ])
    func `a value is read by its path`(path: String, status: Int, text: String?) throws {
        let served = try Served()
        let rev = try served.put("a", Self.document)
        let answer = try served.visitor().ask("GET", "/notes/_default/a?path=\(path)")
        #expect(answer.status == status)
        if let text {
            #expect(answer.text == text)
            #expect(answer.field("ETag") == "\"\(rev)\"")
        }
    }

    @Test(arguments: [
        ("PUT", "/n", "2", 200, #"{"a":{"b":[1,{"c":"x"}],"d/e":null},"n":2}"#),
        ("PUT", "/new", "[]", 200, #"{"a":{"b":[1,{"c":"x"}],"d/e":null},"n":1,"new":[]}"#),
        ("PUT", "/a/b/0", "7", 200, #"{"a":{"b":[7,{"c":"x"}],"d/e":null},"n":1}"#),
        ("PUT", "/a/b/-", "7", 200, #"{"a":{"b":[1,{"c":"x"},7],"d/e":null},"n":1}"#),
        ("PUT", "", "{}", 200, "{}"),
        ("DELETE", "/a/b/0", nil, 200, #"{"a":{"b":[{"c":"x"}],"d/e":null},"n":1}"#),
        ("DELETE", "/a", nil, 200, #"{"n":1}"#),
        ("PUT", "/none/x", "1", 404, document), ("PUT", "/a/b/9", "1", 404, document),
        ("DELETE", "/none", nil, 404, document), ("DELETE", "", nil, 400, document),
        ("PUT", "", "1", 400, document), ("PUT", "/n", "{", 400, document),
        ("PUT", "/_id", "1", 400, document), ("POST", "/n", "1", 405, document),
    ])
    func `a value is set and removed by its path`(
        _ method: String,
        _ path: String,
        _ body: String?,
        _ status: Int,
        _ result: String
    ) throws {
        let served = try Served()
        try served.put("a", Self.document)
        let visitor = try served.visitor()
        let answer = try visitor.ask(method, "/notes/_default/a?path=\(path)", body: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try visitor.ask("GET", "/notes/_default/a").json() == JSON(parsing: result))
    }

    @Test func `setting a value respects the expected revision`() throws {
        let served = try Served()
        let first = try served.put("a", #"{"n":1}"#)
        let second = try served.put("a", #"{"n":2}"#)
        let visitor = try served.visitor()
        let path = "/notes/_default/a?path=/n"
        #expect(try visitor.ask("PUT", path, "If-Match: \"\(first)\"", body: "3").status == 409)
        #expect(try visitor.ask("GET", path, "If-Match: \"\(first)\"").status == 412)
        #expect(try visitor.ask("GET", path, "If-None-Match: \"\(second)\"").status == 304)
        #expect(try visitor.ask("PUT", path, "If-Match: \"\(second)\"", body: "3").status == 200)
        #expect(try visitor.ask("PUT", path, "If-None-Match: *", body: "3").status == 400)
        #expect(try visitor.ask("GET", path).text == "3")
        let missing = try visitor.ask("PUT", "/notes/_default/none?path=/n", body: "3")
        #expect(missing.status == 404, "a path does not create documents")
    }
}
