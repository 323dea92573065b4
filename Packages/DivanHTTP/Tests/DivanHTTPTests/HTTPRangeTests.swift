import Testing

@testable import DivanHTTP

@Suite struct HTTPRangeTests {
    private func range(
        _ text: String?,
        of byteCount: Int = 10,
        method: String = "GET",
        ifRange: String? = nil
    ) throws -> HTTPRange {
        var headers: HTTPHeaders = ["Host": "x"]
        if let text { headers.append("Range", text) }
        if let ifRange { headers.append("If-Range", ifRange) }
        let head = HTTPHead(startLine: "\(method) / HTTP/1.1", headers: headers)
        return HTTPRange(of: try HTTPRequest(head), byteCount: byteCount, tag: "\"a\"")
    }

    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=2-5", 2..<6), ("bytes=2-", 2..<10), ("bytes=9-99", 9..<10),
        ("bytes=-3", 7..<10), ("bytes=-99", 0..<10), ("BYTES= 2-5 ", 2..<6),
        ("bytes=0-99999999999999999999999999", 0..<10),
        ("bytes=-9223372036854775807", 0..<10), ("bytes=0-9223372036854775807", 0..<10),
    ])
    func `a single byte range is served as a part`(text: String, expected: Range<Int>) throws {
        #expect(try range(text) == .part(expected))
    }

    @Test(arguments: ["bytes=10-", "bytes=99-100", "bytes=-0", "bytes=99999999999999999999-"])
    func `a range after the end of the content is unsatisfiable`(text: String) throws {
        #expect(try range(text) == .unsatisfiable)
        #expect(try range(text).contentRange(byteCount: 10) == "bytes */10")
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=1-2,4-5",
        "items=0-1", "bytes=--1", "bytes=1-2-3", "bytes=+1-2", "bytes=0x1-2", "bytes=١-٢",
        "bytes=1 -2",
    ])
    func `an invalid or multiple range is answered with the complete content`(
        text: String?
    ) throws {
        #expect(try range(text) == .whole)
    }

    @Test func `a range of empty content is unsatisfiable`() throws {
        for text in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
            #expect(try range(text, of: 0) == .unsatisfiable)
        }
    }

    @Test func `a range is served only if If-Range matches the ETag`() throws {
        #expect(try range("bytes=1-", ifRange: "\"a\"") == .part(1..<10))
        for other in ["\"b\"", "W/\"a\"", "Sun, 06 Nov 1994 08:49:37 GMT", ""] {
            #expect(try range("bytes=1-", ifRange: other) == .whole)
        }
    }

    @Test func `a range applies only to GET`() throws {
        #expect(try range("bytes=1-", method: "HEAD") == .whole)
    }

    @Test func `the response contains Content-Range`() throws {
        #expect(try range("bytes=2-5").contentRange(byteCount: 10) == "bytes 2-5/10")
        #expect(try range(nil).contentRange(byteCount: 10) == nil)
    }
}
