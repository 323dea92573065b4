import DivanHTTP
import Testing

/// Fields by name, and whether they can be sent.
@Suite struct HTTPHeadersTests {
    @Test func `field names are case-insensitive, and values are kept`() {
        var headers: HTTPHeaders = ["Accept": "a, b", "ACCEPT": "c"]
        #expect(headers["accept"] == "a, b")
        #expect(headers.elements("Accept") == ["a", "b", "c"])
        headers.remove("aCCept")
        #expect(headers.fields.isEmpty)
    }

    /// HTTP is bytes: a combining mark after a blank or a comma must not hide it.
    @Test func `spaces and commas before combining marks are recognized`() {
        let headers: HTTPHeaders = ["Accept": "a ,\u{301}b, \u{301}c\t"]
        #expect(headers.elements("Accept") == ["a", "\u{301}b", "\u{301}c"])
        #expect(" \u{301}a\u{300} ".trimmingBlanks().utf8.elementsEqual("\u{301}a\u{300}".utf8))
    }

    @Test(arguments: [("", "a"), ("a b", "c"), ("a", "b\r\nc: d"), ("a:", "b"), ("a", "\u{0}")])
    func `a field with a line break is reported as unsendable`(_ name: String, _ value: String) {
        #expect(HTTPHeaders([(name, value)]).unsendableField == name)
        #expect(HTTPHeaders([("ok", "\tä 1")]).unsendableField == nil)
    }

    @Test(arguments: [
        ("Content-Length", "content-LENGTH", true), ("a", "b", false), ("a", "ab", false),
        ("", "", true), ("[", "{", false), ("@", "`", false), ("É", "é", false),
        ("A name beyond fifteen bytes", "a NAME beyond fifteen bytes", true),
    ])
    func `only ASCII letters are compared case-insensitively`(a: String, b: String, isSame: Bool) {
        #expect(a.isEqualIgnoringCase(b) == isSame)
        let bridged = "[\(b)]".dropFirst().dropLast()
        #expect(bridged.isEqualIgnoringCase(a) == isSame)
    }

    @Test func `token bytes are those of the HTTP grammar`() {
        let letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let token = Set((letters + "!#$%&'*+-.^_`|~").utf8)
        for byte in UInt8.min...UInt8.max { #expect(byte.isHTTPTokenByte == token.contains(byte)) }
    }
}
