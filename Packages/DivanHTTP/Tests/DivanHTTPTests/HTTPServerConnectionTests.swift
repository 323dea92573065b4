import DivanHTTP
import DivanTestKit
import Testing

/// Requests in, answers out.
@Suite struct HTTPServerConnectionTests {
    private let get = "GET /a%2Fb/c?x=1&y=a+b HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func `a request is read and answered, and the connection becomes idle`() throws {
        var client = Client()
        client.say(get)
        let request = try #require(try client.connection.nextRequest())
        #expect(request.method == "GET")
        #expect(request.target.segments == ["a/b", "c"])
        #expect(request.target["x"] == "1")
        #expect(request.target["y"] == "a b")
        #expect(try client.connection.nextRequest() == nil, "one at a time")
        let answer = client.answer("ahoj")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("Content-Length: 4\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nahoj"))
        #expect(client.connection.isIdle && !client.connection.isClosed)
    }

    @Test func `pipelined requests are answered in order`() throws {
        var client = Client()
        client.say((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
        for number in 0..<100 {
            let request = try #require(try client.connection.nextRequest())
            #expect(request.target.segments == ["\(number)"])
            _ = client.answer("")
        }
        #expect(client.connection.isIdle)
    }

    @Test func `empty lines do not start a request`() throws {
        var client = Client()
        for _ in 0..<10 {
            for piece in ["\r", "\n", "\r\n", "\r"] {
                client.say(piece)
                #expect(try client.connection.nextRequest() == nil)
                #expect(client.connection.isIdle)
            }
            client.say("\n")
            #expect(try client.connection.nextRequest() == nil)
        }
        client.say("\rG")
        _ = try? client.connection.nextRequest()
        #expect(!client.connection.isIdle)
    }

    @Test func `a request is parsed the same however it is split`() throws {
        let text =
            "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\nA;q=1\r\n0123456789\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"
        let seed = TestSeed.choose()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var client = Client()
            var request: HTTPRequest?
            var body: [UInt8]?
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...20, using: &random))
                rest = rest.dropFirst(piece.count)
                client.connection.receive(Array(piece).span)
                if request == nil, let next = try client.connection.nextRequest() {
                    request = next
                    _ = try client.connection.readBody()
                }
                if body == nil, let next = try client.connection.nextBody() { body = next }
            }
            #expect(request?.method == "POST", "seed \(seed)")
            #expect(body == Array("abc0123456789".utf8), "seed \(seed)")
            _ = client.answer("")
            #expect(try client.connection.nextRequest()?.method == "GET", "seed \(seed)")
        }
    }

    @Test func `empty lines before a request are skipped however they are split`() throws {
        for cut in 0...4 {
            var client = Client()
            let text = "\r\n\r\n" + get
            client.say(String(decoding: Array(text.utf8).prefix(cut), as: UTF8.self))
            #expect(try client.connection.nextRequest() == nil)
            client.say(String(decoding: Array(text.utf8).dropFirst(cut), as: UTF8.self))
            #expect(try client.connection.nextRequest()?.method == "GET", "cut at \(cut)")
        }
    }

    /// A reverse proxy may decide by the path (RFC 3986 §3.2).
    @Test(arguments: [
        ("http://h?x=/secret/a", "/", "/secret/a"), ("http://h/p?x=/s", "/p", "/s"),
        ("http://h?x=1", "/", "1"), ("HTTPS://h:1/?x=1", "/", "1"), ("/a?x=/b", "/a", "/b"),
    ])
    func `a slash in the query is not part of the path`(
        text: String,
        path: String,
        value: String
    ) throws {
        let target = try HTTPTarget(text)
        #expect(target.path == path && target["x"] == value)
    }

    @Test(arguments: ["my db", "50%41", "a/b", "a?b", "..", ".", "é", "a.b-c_d~e"])
    func `an escaped path segment is decoded to the original`(_ name: String) throws {
        #expect(try HTTPTarget("/\(HTTPTarget.segment(name))/x").segments == [name, "x"])
    }

    @Test func `a response with Connection: close ends the connection`() throws {
        var client = Client()
        client.say(get)
        _ = try #require(try client.connection.nextRequest())
        let headers: HTTPHeaders = ["Connection": "Close", "X": "y"]
        let head = client.connection.begin(HTTPResponse(status: 204, headers: headers))
        let fields = String(decoding: head, as: UTF8.self).split(separator: "\r\n").dropFirst()
        #expect(fields == ["X: y", "Connection: close"])
        _ = client.connection.end()
        #expect(client.connection.isClosed)
    }

    @Test func `an unread request body ends the connection after the response`() throws {
        var client = Client()
        client.say("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 40\r\n\r\nGET /evil HTTP/1.1\r\n")
        _ = try #require(try client.connection.nextRequest())
        #expect(client.answer("no", status: 401).contains("Connection: close\r\n"))
        #expect(client.connection.isClosed)
        #expect(try client.connection.nextRequest() == nil)
    }

    @Test func `100 Continue is sent only to a client that expects it`() throws {
        let head = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        var waiting = Client()
        waiting.say(head)
        _ = try waiting.connection.nextRequest()
        let consent = try waiting.connection.readBody()
        #expect(String(decoding: consent, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
        waiting.say("ab")
        #expect(try waiting.connection.nextBody() == Array("ab".utf8))
        var eager = Client()
        eager.say(head + "ab")
        _ = try eager.connection.nextRequest()
        #expect(try eager.connection.readBody().isEmpty)
        #expect(try eager.connection.nextBody() == Array("ab".utf8))
    }

    @Test func `a streamed body is chunked, but not for HTTP 1.0`() throws {
        var new = Client()
        new.say(get)
        _ = try new.connection.nextRequest()
        let response = HTTPResponse(status: 200, body: .pieces(NoPieces(), byteCount: nil))
        var text = String(decoding: new.connection.begin(response), as: UTF8.self)
        #expect(text.contains("Transfer-Encoding: chunked\r\n"))
        #expect(new.connection.send([1, 2]) == Array("2\r\n".utf8) + [1, 2] + Array("\r\n".utf8))
        #expect(new.connection.send([]).isEmpty, "an empty chunk would be the end")
        #expect(new.connection.end() == Array("0\r\n\r\n".utf8))
        #expect(!new.connection.isClosed)
        var old = Client()
        old.say("GET / HTTP/1.0\r\n\r\n")
        _ = try old.connection.nextRequest()
        text = String(decoding: old.connection.begin(response), as: UTF8.self)
        #expect(text.contains("Connection: close\r\n") && !text.contains("chunked"))
        #expect(old.connection.send([1, 2]) == [1, 2])
        #expect(old.connection.end().isEmpty)
        #expect(old.connection.isClosed)
    }

    @Test func `an HTTP 1.0 client gets a Connection header`() throws {
        for (request, response, connection) in [
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", [1], "keep-alive"),
            ("GET / HTTP/1.0\r\n\r\n", [1], "close"),
            ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", [UInt8](), nil),
        ] as [(String, [UInt8], String?)] {
            var client = Client()
            client.say(request)
            _ = try client.connection.nextRequest()
            let answer = HTTPResponse(status: 200, body: .bytes(response))
            let head = String(decoding: client.connection.begin(answer), as: UTF8.self)
            if let connection {
                #expect(head.contains("Connection: \(connection)\r\n"), "\(request)")
            } else {
                #expect(!head.contains("Connection:"), "\(request)")
            }
            _ = client.connection.send(response)
            _ = client.connection.end()
            #expect(client.connection.isClosed == (connection == "close"))
        }
    }

    @Test func `a body never exceeds Content-Length, and a short body ends the connection`() throws
    {
        var client = Client()
        client.say(get)
        _ = try client.connection.nextRequest()
        let response = HTTPResponse(status: 200, body: .pieces(NoPieces(), byteCount: 3))
        _ = client.connection.begin(response)
        #expect(client.connection.send([1, 2]) == [1, 2])
        #expect(client.connection.end().isEmpty)
        #expect(client.connection.isClosed)
    }

    @Test func `the response to HEAD has the length and no body`() throws {
        var client = Client()
        client.say("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try client.connection.nextRequest()
        let answer = client.answer("ahoj")
        #expect(answer.contains("Content-Length: 4\r\n") && answer.hasSuffix("\r\n\r\n"))
        #expect(client.connection.isIdle)
    }

    @Test func `a header with a line break is not sent`() throws {
        var client = Client()
        client.say(get)
        _ = try client.connection.nextRequest()
        let response = HTTPResponse(status: 200, headers: ["X": "a\r\nSet-Cookie: b", "Y": "c"])
        let head = String(decoding: client.connection.begin(response), as: UTF8.self)
        #expect(!head.contains("Set-Cookie") && head.contains("Y: c\r\n"))
    }

    @Test(arguments: Refused.requests)
    func `ambiguous requests are rejected`(_ text: String, _ status: Int) {
        var client = Client()
        #expect(client.refusal(of: text)?.status == status, "\(text.prefix(80))")
    }

    @Test func `a chunked body over the limit is rejected before it is stored`() throws {
        var client = Client(limits: HTTPLimits(bodyByteCount: 10))
        client.say(post("Transfer-Encoding: chunked") + "8\r\n01234567\r\n3\r\n")
        _ = try #require(try client.connection.nextRequest())
        _ = try client.connection.readBody()
        #expect(throws: HTTPError(413, "the body exceeds 10 bytes; send less at a time")) {
            try client.connection.nextBody()
        }
    }

    @Test func `random bytes never crash the parser, and an error ends the connection`() {
        let seed = TestSeed.choose()
        var random = SeededGenerator(seed: seed)
        let words = ["GET ", "/", " HTTP/1.1", "\r\n", "Host: h", "%4", "?a=", "\n", ":", "\u{0}"]
        for _ in 0..<2_000 {
            var client = Client()
            let text = (0..<Int.random(in: 1...30, using: &random))
                .map { _ in words[Int.random(in: 0..<words.count, using: &random)] }.joined()
            if let error = client.refusal(of: text) {
                #expect((400...505).contains(error.status), "seed \(seed)")
                let answer = String(decoding: client.connection.refusal(error), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 \(error.status) "), "seed \(seed)")
                #expect(client.connection.isClosed, "seed \(seed)")
            }
        }
    }
}

/// Requests that no server should accept, and the status for each.
private enum Refused {
    static let requests: [(String, Int)] = heads + framings + chunks

    private static let heads: [(String, Int)] = [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        ("GET /\r\n\r\n", 400),
        ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("G@T / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: h\n\n", 400),
        ("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET /%ff HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}", 400),
        ("GET /" + String(repeating: "x", count: 9_000), 431),
    ]

    private static let framings: [(String, Int)] = [
        (post("Content-Length: 5\r\nContent-Length: 5"), 400),
        (post("Content-Length: 5\r\nTransfer-Encoding: chunked"), 400),
        (post("Content-Length: -1"), 400),
        (post("Content-Length: +5"), 400),
        (post("Content-Length: 99999999999999999999"), 413),
        (post("Content-Length: 5,5"), 400),
        (post("Content-Length: 99999999999"), 413),
        (post("Transfer-Encoding: gzip, chunked"), 501),
        (post("Transfer-Encoding: x"), 501),
    ]

    private static let chunks: [(String, Int)] = [
        (chunked("zz\r\n"), 400),
        (chunked("FFFFFFFFF\r\n"), 400),
        (chunked("FFFFFFFF\r\n"), 413),
        (chunked("1\r\nab\r\n"), 400),
        (chunked("1\nb"), 400),
        (chunked("1;" + String(repeating: "x", count: 300)), 400),
        (chunked("0\r\n" + String(repeating: "a: b\r\n", count: 1_000)), 431),
    ]

    private static func chunked(_ body: String) -> String {
        post("Transfer-Encoding: chunked") + body
    }
}

private func post(_ fields: String) -> String {
    "POST / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n"
}
