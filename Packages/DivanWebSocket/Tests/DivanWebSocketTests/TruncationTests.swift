import DivanTestKit
import DivanWebSocket
import Testing

/// A stream that stops anywhere yields nothing incomplete, and no error before its end.
@Suite struct TruncationTests {
    private static let upgrade = Array(
        """
        GET /db/_blipsync HTTP/1.1\r
        Host: h\r
        Connection: Upgrade\r
        Upgrade: websocket\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Protocol: BLIP_3+CBMobile_3\r
        \r

        """.utf8
    )

    @Test
    func `an incomplete request waits for more bytes`() throws {
        for count in Self.upgrade.indices {
            var handshake = ServerHandshake()
            let start = Array(Self.upgrade[..<count])
            handshake.receive(start.span)
            #expect(try handshake.next() == nil, "after \(count) bytes")
        }
        var handshake = ServerHandshake()
        let whole = Self.upgrade
        handshake.receive(whole.span)
        #expect(try handshake.next()?.defect == nil)
    }

    @Test
    func `an incomplete response waits for more bytes, and its end is an error`() throws {
        var server = ServerHandshake()
        let upgrade = Self.upgrade
        server.receive(upgrade.span)
        let accepted = try #require(try server.next())
        let answer = try accepted.accept(subprotocol: "BLIP_3+CBMobile_3")
        for count in answer.indices {
            var client = try ClientHandshake(request(), key: sampleKey)
            let start = Array(answer[..<count])
            client.receive(start.span)
            #expect(try client.next() == nil, "after \(count) bytes")
            client.receiveEnd()
            let error = #expect(throws: HandshakeError.self) { try client.next() }
            #expect(error?.reason == .ended, "after \(count) bytes")
        }
    }

    /// Every type of frame, both senders, all three forms of the length.
    @Test(
        arguments: [
            (.text, 5), (.binary, 0), (.binary, 125), (.binary, 126), (.binary, 70_000), (.ping, 4),
            (.pong, 4), (.close, 2),
        ] as [(Opcode, Int)],
        [Role.client, .server]
    )
    func `an incomplete frame waits for more bytes`(kind: (Opcode, Int), sender: Role) throws {
        let payload = kind.0 == .close ? [0x03, 0xE8] : [UInt8](repeating: 65, count: kind.1)
        let whole = frame(kind.0, payload, by: sender)
        let receiver: Role = sender == .client ? .server : .client
        let counts = Array(0..<min(whole.count, 200)) + [whole.count - 1]
        for count in counts {
            var end = connection(receiver, acceptsText: true)
            #expect(try end.events(of: Array(whole[..<count])).isEmpty, "after \(count) bytes")
            #expect(end.takeOutput().isEmpty)
        }
        var end = connection(receiver, acceptsText: true)
        let events = try end.events(of: whole)
        #expect(events.count == (kind.0 == .ping ? 0 : 1))
    }

    @Test
    func `a client refuses masked frames, and closes with 1002`() throws {
        var client = connection(.client)
        let error = #expect(throws: FrameError.self) {
            try client.events(of: frame(.binary, [1], by: .client))
        }
        #expect(error?.closeCode == 1002)
        let close = try frames(in: client.takeOutput(), by: .client)
        #expect(close.map { Array($0.payload) } == [[0x03, 0xEA]])
    }

    @Test
    func `a character may be split across fragments, but not cut off at the end`() throws {
        let text = Array("aé€😀z".utf8)
        for cut in 0...text.count {
            let bytes =
                frame(.text, Array(text[..<cut]), isFinal: false)
                + frame(.continuation, Array(text[cut...]))
            var server = connection(.server, acceptsText: true)
            let events = try server.events(of: bytes)
            #expect(events == [.message(text[...], isText: true)], "cut at \(cut)")
        }
        // The emoji's four bytes without the last, and with a wrong third one.
        for broken in [Array("😀".utf8.dropLast()), [0xF0, 0x9F, 0x28, 0x80]] {
            for cut in 1..<broken.count {
                let bytes =
                    frame(.text, Array(broken[..<cut]), isFinal: false)
                    + frame(.continuation, Array(broken[cut...]))
                var server = connection(.server, acceptsText: true)
                let error = #expect(throws: FrameError.self) { try server.events(of: bytes) }
                #expect(error?.closeCode == 1007, "cut at \(cut)")
            }
        }
    }
}
