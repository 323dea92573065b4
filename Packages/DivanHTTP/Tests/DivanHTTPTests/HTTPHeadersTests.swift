import DivanHTTP
import Testing

/// Fields by name, and whether they can be sent.
@Suite struct HTTPHeadersTests {
    @Test func `names are compared without case, and values kept`() {
        var headers: HTTPHeaders = ["Accept": "a, b", "ACCEPT": "c"]
        #expect(headers["accept"] == "a, b")
        #expect(headers.elements("Accept") == ["a", "b", "c"])
        headers.remove("aCCept")
        #expect(headers.fields.isEmpty)
    }

    @Test(arguments: [("", "a"), ("a b", "c"), ("a", "b\r\nc: d"), ("a:", "b"), ("a", "\u{0}")])
    func `a field that would break out of its line is named`(_ name: String, _ value: String) {
        #expect(HTTPHeaders([(name, value)]).unsendableField == name)
        #expect(HTTPHeaders([("ok", "\tä 1")]).unsendableField == nil)
    }
}
