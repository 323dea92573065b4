import DivanTestKit
import DivanWebSocket
import Testing

/// How a server reads a request, and how it answers.
@Suite struct ServerHandshakeTests {
    @Test
    func `parses a request however it is split and accepts it with the right key`() throws {
        let bytes = upgrade()
        for cut in bytes.everyCut {
            let request = try #require(try serve(cut))
            #expect(request.path == "/db/_blipsync")
            #expect(request.defect == nil)
            #expect(
                request.firstSubprotocol(of: ["BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3"])
                    == "BLIP_3+CBMobile_3"
            )
        }
        let request = try #require(try serve([bytes[...]]))
        let text = """
            HTTP/1.1 101 Upgraded\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
            Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r
            Set-Cookie: a=b\r
            \r

            """
        let answer = try request.accept(
            subprotocol: "BLIP_3+CBMobile_3",
            headers: ["Set-Cookie": "a=b"]
        )
        #expect(String(decoding: answer, as: UTF8.self) == text)
    }

    @Test
    func `the order sent by the client decides the subprotocol`() throws {
        let bytes = upgrade(
            without: "Sec-WebSocket-Protocol",
            adding: HTTPHeaders([
                ("Sec-WebSocket-Protocol", "x, B"), ("sec-websocket-protocol", "A"),
            ])
        )
        let request = try #require(try serve([bytes[...]]))
        #expect(request.subprotocols == ["x", "B", "A"])
        #expect(request.firstSubprotocol(of: ["A", "B"]) == "B")
        #expect(request.firstSubprotocol(of: ["C"]) == nil)
    }

    @Test(arguments: defects)
    func `returns an invalid upgrade request with its defect`(
        _ bytes: [UInt8],
        status: Int,
        header: String?
    ) throws {
        let request = try #require(try serve([bytes[...]]))
        let defect = try #require(request.defect)
        let refusal = HandshakeRefusal(defect)
        #expect(refusal.status == status)
        if let header { #expect(refusal.headers[header] != nil) }
        #expect(throws: defect) { try request.accept(subprotocol: nil) }
    }

    @Test(arguments: malformed)
    func `refuses a malformed request`(_ text: String, status: Int) throws {
        let bytes = Array(text.utf8)
        for pieces in [[bytes[...]], bytes.singles] {
            let error = #expect(throws: HandshakeError.self) { try serve(pieces) }
            #expect(error?.status == status)
        }
    }

    @Test
    func `keeps refusing after an error`() {
        var handshake = ServerHandshake()
        handshake.receive(Array("nonsense\r\nGET / HTTP/1.1\r\n: x\r\n".utf8).span)
        let error = #expect(throws: HandshakeError.self) { try handshake.next() }
        handshake.receive(Array("GET / HTTP/1.1\r\n\r\n".utf8).span)
        let second = #expect(throws: HandshakeError.self) { try handshake.next() }
        #expect(error == second)
    }

    @Test
    func `limits the size of the head and its lines and the number of headers`() throws {
        let long = upgrade(adding: ["X": String(repeating: "x", count: 8300)])
        #expect(throws: HandshakeError(reason: .head(.lineLength(limit: 8192)))) {
            try serve([long[...]])
        }
        let many = upgrade(adding: HTTPHeaders((0..<100).map { ("X\($0)", "") }))
        #expect(throws: HandshakeError(reason: .head(.headerCount(limit: 100)))) {
            try serve([many[...]])
        }
        let wide = upgrade(
            adding: HTTPHeaders((0..<3).map { ("X\($0)", .init(repeating: "x", count: 6000)) })
        )
        #expect(throws: HandshakeError(reason: .head(.head(limit: 16_384)))) {
            try serve([wide[...]])
        }
        let endless = [UInt8](repeating: UInt8(ascii: "G"), count: 100_000)
        #expect(throws: HandshakeError(reason: .head(.lineLength(limit: 8192)))) {
            try serve(endless.chunks(of: 999))
        }
        let most = upgrade(adding: HTTPHeaders((0..<93).map { ("X\($0)", "") }))
        #expect(try serve([most[...]]) != nil)
    }

    @Test
    func `returns the bytes after the request`() throws {
        var handshake = ServerHandshake()
        handshake.receive((upgrade() + [1, 2, 3]).span)
        #expect(try handshake.next() != nil)
        #expect(handshake.takeLeftover() == [1, 2, 3])
    }

    @Test
    func `accepts an absolute URL as target and keeps the path encoded`() throws {
        let bytes = upgrade(line: "GET HTTPS://h:1/%2e%2e/db?x=1?2 HTTP/1.1")
        let request = try #require(try serve([bytes[...]]))
        #expect(request.path == "/%2e%2e/db")
        #expect(request.query == "x=1?2")
    }

    @Test
    func `writes a refusal with its reason`() throws {
        let refusal = HandshakeRefusal(
            status: 401,
            headers: ["WWW-Authenticate": "Basic charset=\"UTF-8\""],
            explanation: "Login required"
        )
        let text = """
            HTTP/1.1 401 Unauthorized\r
            WWW-Authenticate: Basic charset="UTF-8"\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: 15\r
            Connection: close\r
            \r
            Login required

            """
        let bytes = try refusal.bytes()
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        var client = try ClientHandshake(request(), key: sampleKey)
        client.receive(bytes.span)
        guard case .refused(let seen) = try client.next() else {
            Issue.record("the client did not see a refusal")
            return
        }
        #expect(seen.explanation == "Login required")
    }

    @Test
    func `refuses to write headers that contain line breaks`() throws {
        let request = try #require(try serve([upgrade()[...]]))
        #expect(throws: HandshakeError.self) {
            try request.accept(subprotocol: "A\r\nEvil: 1")
        }
        #expect(throws: HandshakeError.self) {
            try HandshakeRefusal(status: 400, headers: ["X": "\n"]).bytes()
        }
    }

    @Test(arguments: UInt64(0)..<60)
    func `gives the same result for a damaged request however it is split`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes = upgrade()
        let damaged = Int.random(in: bytes.indices, using: &generator)
        bytes[damaged] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        let whole = Served([bytes[...]])
        #expect(Served(bytes.singles) == whole, "seed \(seed)")
    }
}

/// Passes pieces until a request is complete.
func serve(_ pieces: [ArraySlice<UInt8>]) throws -> HandshakeRequest? {
    var handshake = ServerHandshake()
    for piece in pieces {
        handshake.receive(piece.span)
        if let request = try handshake.next() { return request }
    }
    return nil
}

/// A server's result for some bytes.
private struct Served: Equatable {
    var request: HandshakeRequest?
    var error: HandshakeError?

    init(_ pieces: [ArraySlice<UInt8>]) {
        do {
            request = try serve(pieces)
        } catch {
            self.error = error as? HandshakeError
        }
    }
}

/// A valid upgrade, with the given changes.
private func upgrade(
    line: String = "GET /db/_blipsync HTTP/1.1",
    without name: String? = nil,
    adding headers: HTTPHeaders = [:]
) -> [UInt8] {
    var all: HTTPHeaders = [
        "Host": "h", "Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": "BLIP_3+CBMobile_3,BLIP_3+CBMobile_2",
    ]
    if let name { all.remove(name) }
    for field in headers.fields { all.append(field.name, field.value) }
    let lines = all.fields.map { "\($0.name): \($0.value)\r\n" }
    return Array("\(line)\r\n\(lines.joined())\r\n".utf8)
}

private let defects: [([UInt8], Int, String?)] = [
    (upgrade(line: "POST /db/_blipsync HTTP/1.1"), 405, "Allow"),
    (upgrade(without: "Connection"), 426, "Upgrade"),
    (upgrade(without: "Upgrade"), 426, "Upgrade"),
    (upgrade(without: "Sec-WebSocket-Version"), 400, "Sec-WebSocket-Version"),
    (upgrade(without: "Sec-WebSocket-Version", adding: ["Sec-WebSocket-Version": "12"]), 400, nil),
    (upgrade(without: "Sec-WebSocket-Key"), 400, nil),
    (upgrade(without: "Sec-WebSocket-Key", adding: ["Sec-WebSocket-Key": "AAAA"]), 400, nil),
    (upgrade(adding: ["Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="]), 400, nil),
]

private let malformed: [(String, Int)] = [
    ("GET /db/_blipsync\r\n\r\n", 400),
    ("GET /db/_blipsync HTTP/1.0\r\n\r\n", 400),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", 400),
    ("GET / HTTP/1.1\nHost: h\n\n", 400),
    ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n: h\r\n\r\n", 400),
    ("GET  / HTTP/1.1\r\n\r\n", 400),
    ("GET /\u{FC} HTTP/1.1\r\n\r\n", 400),
    ("GET db HTTP/1.1\r\n\r\n", 400),
    ("\r\nGET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 4\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
]
