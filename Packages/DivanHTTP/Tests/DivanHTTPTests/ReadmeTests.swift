import DivanHTTP
import Testing

/// The README's example, verbatim.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        var connection = HTTPServerConnection()
        let bytes = Array("GET /notes/a%2Fb?limit=3 HTTP/1.1\r\nHost: here\r\n\r\n".utf8)
        connection.receive(bytes.span)
        if let request = try connection.nextRequest() {
            let name = request.target.segments.last ?? ""  // "a/b"
            let text = Array("hello \(name)\n".utf8)
            let response = HTTPResponse(contentType: "text/plain", text)
            var output = connection.begin(response)
            output += connection.send(text)
            output += connection.end()

            #expect(name == "a/b")
            let sent = String(decoding: output, as: UTF8.self)
            #expect(sent.hasPrefix("HTTP/1.1 200 "))
            #expect(sent.contains("\r\n\r\nhello a/b\n"))
        } else {
            Issue.record("no request was read")
        }
    }
}
