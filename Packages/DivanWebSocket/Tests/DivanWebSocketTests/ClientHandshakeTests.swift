import DivanTestKit
import DivanWebSocket
import Testing

/// What a client sends, and how it reads answers.
@Suite struct ClientHandshakeTests {
    @Test
    func `writes the request in the order that peers expect`() throws {
        let request = ClientHandshake.Request(
            host: "h:4984",
            target: "/travel/_blipsync",
            subprotocols: ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"],
            headers: [
                "Authorization": "Basic YTpi", "Cookie": "a=1", "X-Extra": "x", "cookie": "b=2",
            ]
        )
        let text = """
            GET /travel/_blipsync HTTP/1.1\r
            Host: h:4984\r
            User-Agent: Divan\r
            Authorization: Basic YTpi\r
            Cookie: a=1; b=2\r
            X-Extra: x\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Protocol: BLIP_3+CBMobile_3,BLIP_3+CBMobile_2\r
            \r

            """
        let handshake = try ClientHandshake(request, key: sampleKey)
        #expect(String(decoding: handshake.request(), as: UTF8.self) == text)
    }

    @Test
    func `lets the caller set the user agent`() throws {
        let handshake = try ClientHandshake(
            request(headers: ["user-agent": "Mine/1"]),
            key: sampleKey
        )
        let lines = String(decoding: handshake.request(), as: UTF8.self).split(separator: "\r\n")
        #expect(lines.filter { $0.lowercased().hasPrefix("user-agent") } == ["user-agent: Mine/1"])
    }

    @Test(
        arguments: [
            ["X": "a\r\nEvil: 1"], ["X": "a\nb"], ["X": "a\0"], ["X\r\n": "a"], ["": "a"],
            ["a b": "c"],
            ["Host": "x"], ["connection": "close"], ["Sec-WebSocket-Key": "x"],
            ["Content-Length": "3"],
        ] as [HTTPHeaders]
    )
    func `refuses to send malformed or reserved headers`(headers: HTTPHeaders) {
        #expect(throws: HandshakeError.self) {
            try ClientHandshake(request(headers: headers), key: sampleKey)
        }
    }

    @Test(arguments: ["no-slash", "/a b", "/a\r\nEvil: 1", "/ü"])
    func `refuses an invalid request target`(target: String) {
        let request = ClientHandshake.Request(host: "h", target: target, subprotocols: [])
        #expect(throws: HandshakeError.self) { try ClientHandshake(request, key: sampleKey) }
    }

    /// RFC 9110 §15.2.
    @Test func `skips interim responses up to a limit`() throws {
        let hint = Array("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".utf8)
        let busy = Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8)
        for bytes in [hint + answer(), hint + hint + busy] {
            for cut in bytes.everyCut {
                var handshake = try ClientHandshake(request(), key: sampleKey)
                var outcome: ClientHandshake.Outcome?
                for piece in cut where outcome == nil {
                    handshake.receive(piece.span)
                    outcome = try handshake.next()
                }
                switch try #require(outcome) {
                case .accepted: #expect(bytes.count == hint.count + answer().count)
                case .refused(let refusal): #expect(refusal.status == 503)
                case .redirected: Issue.record("no place was named")
                }
            }
        }
        var handshake = try ClientHandshake(request(), key: sampleKey)
        for _ in 0..<9 { handshake.receive(hint.span) }
        #expect(throws: HandshakeError(reason: .status(103))) { try handshake.next() }
    }

    @Test
    func `accepts a response split anywhere, and keeps the first frames`() throws {
        let bytes = answer() + [0x82, 0x01, 0x07]
        for cut in bytes.everyCut {
            var handshake = try ClientHandshake(request(), key: sampleKey)
            var leftover: [UInt8] = []
            var accepted: ClientHandshake.Acceptance?
            for piece in cut {
                guard accepted == nil else {
                    leftover += piece
                    continue
                }
                handshake.receive(piece.span)
                guard case .accepted(let acceptance) = try handshake.next() else { continue }
                accepted = acceptance
                leftover += acceptance.leftover
            }
            #expect(accepted?.subprotocol == "BLIP_3+CBMobile_3")
            #expect(leftover == [0x82, 0x01, 0x07])
        }
    }

    @Test(
        arguments: [
            (["Sec-WebSocket-Accept": "AAAA"], 1002),
            (["Sec-WebSocket-Accept": nil], 1002),
            (["Upgrade": "h2c"], 1002),
            (["Connection": "close"], 1002),
            (["Sec-WebSocket-Protocol": "BLIP_3+CBMobile_9"], 403),
            (["Sec-WebSocket-Protocol": nil], 1002),
            (["Sec-WebSocket-Extensions": "permessage-deflate"], 1002),
        ] as [([String: String?], Int)]
    )
    func `refuses an invalid upgrade response`(changes: [String: String?], code: Int) throws {
        var handshake = try ClientHandshake(request(), key: sampleKey)
        handshake.receive(answer(changing: changes).span)
        let error = #expect(throws: HandshakeError.self) { try handshake.next() }
        #expect(error?.code == code)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n\r\n", 1002),
        ("HTTP/1.1 204 No Content\r\n\r\n", 1002),
        ("SSH-2.0-OpenSSH_9.2\r\n", 400),
        ("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", 1006),
        ("HTTP/1.1 abc\r\n\r\n", 400),
        ("HTTP/1.1 101 Upgraded\nUpgrade: websocket\n\n", 400),
        ("HTTP/1.1 101 Upgraded\r\n folded\r\n\r\n", 400),
        ("HTTP/1.1 101 Upgraded\r\nA: b\u{0}c\r\n\r\n", 400),
        ("HTTP/1.1 101 Upgraded\r\nNo colon\r\n\r\n", 400),
    ])
    func `classifies responses that are not an upgrade`(text: String, code: Int) throws {
        let bytes = Array(text.utf8)
        for pieces in [[bytes[...]], bytes.singles] {
            var handshake = try ClientHandshake(request(), key: sampleKey)
            let error = #expect(throws: HandshakeError.self) {
                for piece in pieces {
                    handshake.receive(piece.span)
                    _ = try handshake.next()
                }
            }
            #expect(error?.code == code)
        }
    }

    @Test
    func `reports a redirect and leaves it to the caller`() throws {
        var handshake = try ClientHandshake(request(), key: sampleKey)
        handshake.receive(Array("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n".utf8).span)
        let outcome = try handshake.next()
        #expect(outcome == .redirected(status: 302, location: "/x", headers: ["Location": "/x"]))
    }

    @Test
    func `treats 303 as a refusal`() throws {
        #expect(try refusal("HTTP/1.1 303 See Other\r\nLocation: /x\r\n\r\n").status == 303)
    }

    @Test(arguments: [
        (
            "application/json", #"{"error":"Unauthorized","reason":"Invalid login"}"#,
            "Invalid login"
        ),
        ("application/json", #"{"reason" : "a \"b\" é\n", "x": 1}"#, "a \"b\" é\n"),
        ("application/json", #"{"error":"Unauthorized"}"#, "Unauthorized"),
        ("application/json", "[", "Unauthorized"),
        ("text/plain; charset=utf-8", "I only speak BLIP\nmore", "I only speak BLIP"),
        ("text/html", "<p>no</p>", "Unauthorized"),
        ("text/plain", "", "Unauthorized"),
    ])
    func `reports a refusal with the message of the server`(
        type: String,
        body: String,
        text: String
    ) throws {
        let head = "HTTP/1.1 401 Unauthorized\r\nContent-Type: \(type)\r\n"
        let length = "Content-Length: \(body.utf8.count)\r\n\r\n"
        #expect(try refusal(head + length + body).explanation == text)
        #expect(try refusal(head + "\r\n" + body).explanation == text, "ended by the connection")
    }

    @Test
    func `reads only as much of a refusal as it shows`() throws {
        let body = String(repeating: "x", count: 100_000)
        let text = "HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"
        #expect(try refusal(text + body).explanation.utf8.count == 4096)
    }

    @Test
    func `excludes bytes after the body from the refusal message`() throws {
        let text =
            "HTTP/1.1 401 No\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nfirst second"
        #expect(try refusal(text).explanation == "first")
        let negative = text.replacing("Length: 5", with: "Length: -5")
        #expect(try refusal(negative).explanation == "No")
    }

    @Test
    func `reports an end before the response`() throws {
        var handshake = try ClientHandshake(request(), key: sampleKey)
        handshake.receive(Array("HTTP/1.1 101 Upg".utf8).span)
        #expect(try handshake.next() == nil)
        handshake.receiveEnd()
        let error = #expect(throws: HandshakeError.self) { try handshake.next() }
        #expect(error?.reason == .ended)
    }

    @Test(arguments: UInt64(0)..<60)
    func `gives the same result for a damaged response however it is split`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = answer()
        let damaged = Int.random(in: bytes.indices, using: &generator)
        bytes[damaged] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        let whole = try Answered([bytes[...]])
        #expect(try Answered(bytes.singles) == whole, "seed \(seed)")
        #expect(try Answered(bytes.pieces(longest: 30, using: &generator)) == whole, "seed \(seed)")
    }
}

/// The key of the RFC's example.
let sampleKey = Array("the sample nonce".utf8)

func request(headers: HTTPHeaders = [:]) -> ClientHandshake.Request {
    ClientHandshake.Request(
        host: "h:4984",
        target: "/db/_blipsync",
        subprotocols: ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"],
        headers: headers
    )
}

/// A correct answer to `sampleKey`, with some headers replaced or removed.
private func answer(changing changes: [String: String?] = [:]) -> [UInt8] {
    var headers = [
        "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "Upgrade": "websocket", "Sec-WebSocket-Protocol": "BLIP_3+CBMobile_3",
    ]
    for (name, value) in changes { headers[name] = value }
    let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
    return Array("HTTP/1.1 101 Upgraded\r\n\(lines.joined())\r\n".utf8)
}

private func refusal(_ text: String) throws -> ClientHandshake.Refusal {
    var handshake = try ClientHandshake(request(), key: sampleKey)
    handshake.receive(Array(text.utf8).span)
    var outcome = try handshake.next()
    if outcome == nil {
        handshake.receiveEnd()
        outcome = try handshake.next()
    }
    guard case .refused(let refusal) = try #require(outcome) else {
        throw UnexpectedOutcome()
    }
    return refusal
}

private struct UnexpectedOutcome: Error {}

/// A client's result for an answer, without the bytes after its head.
private struct Answered: Equatable {
    var subprotocol: String?
    var status: Int?
    var error: HandshakeError?

    init(_ pieces: [ArraySlice<UInt8>]) throws {
        var handshake = try ClientHandshake(request(), key: sampleKey)
        do throws(HandshakeError) {
            for piece in pieces {
                handshake.receive(piece.span)
                switch try handshake.next() {
                case .accepted(let acceptance): subprotocol = acceptance.subprotocol
                case .refused(let refusal): status = refusal.status
                case .redirected(let code, _, _): status = code
                case nil: continue
                }
                return
            }
            handshake.receiveEnd()
            _ = try handshake.next()
        } catch {
            self.error = error
        }
    }
}
