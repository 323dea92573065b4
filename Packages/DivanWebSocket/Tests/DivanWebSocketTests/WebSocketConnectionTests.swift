import DivanTestKit
import DivanWebSocket
import Testing

/// Two ends communicate through arrays; every effect of one is the other's input.
@Suite struct WebSocketConnectionTests {
    @Test(arguments: [Role.client, .server])
    func `sends messages in both directions`(role: Role) throws {
        var (near, far) = (connection(role), connection(role.peer))
        let nothing: [UInt8] = []
        near.send([1, 2, 3].span)
        near.send(nothing.span)
        far.send([9].span)
        #expect(try far.events(of: near.takeOutput()) == [message([1, 2, 3]), message([])])
        #expect(try near.events(of: far.takeOutput()) == [message([9])])
        #expect(near.outputByteCount == 0)
    }

    @Test
    func `joins fragments that are separated by control frames`() throws {
        var server = connection(.server)
        let bytes =
            frame(.binary, [1], isFinal: false) + frame(.ping, [7])
            + frame(.continuation, [2], isFinal: false) + frame(.pong)
            + frame(.continuation, [3]) + frame(.binary, [4])
        for cut in bytes.everyCut {
            server = connection(.server)
            let events = try cut.flatMap { try server.events(of: Array($0)) }
            #expect(events == [.pong, message([1, 2, 3]), message([4])])
            #expect(server.takeOutput() == frame(.pong, [7], by: .server))
        }
    }

    @Test
    func `answers each of a few pings, and only the latest of a flood`() throws {
        var server = connection(.server)
        let few = (0..<10).flatMap { frame(.ping, [UInt8($0)]) }
        #expect(try server.events(of: few).isEmpty)
        #expect(server.takeOutput() == (0..<10).flatMap { frame(.pong, [UInt8($0)], by: .server) })

        let flood = (0..<200).flatMap { frame(.ping, [UInt8($0)]) }
        #expect(try server.events(of: flood).isEmpty)
        #expect(server.outputByteCount == 16 * 3)
        #expect(server.outlet == (isOpen: true, byteCount: 16 * 3))
        let pongs = try frames(in: server.takeOutput(), by: .server)
        #expect(pongs.count == 17)
        #expect(pongs.last?.payload == [199])
    }

    @Test
    func `ignores an unsolicited pong`() throws {
        var server = connection(.server)
        #expect(try server.events(of: frame(.pong, [1, 2])) == [.pong])
        #expect(server.takeOutput().isEmpty)
    }

    // MARK: Closing

    @Test(arguments: [Role.client, .server])
    func `the connection is closed after both ends sent a close`(role: Role) throws {
        var (near, far) = (connection(role), connection(role.peer))
        near.close(code: 1000, reason: "done", at: .zero)
        #expect(!near.isOpen)
        let status = CloseStatus(code: 1000, reason: "done", isByPeer: true)
        #expect(try far.events(of: near.takeOutput()) == [.closed(status)])
        let echo = CloseStatus(code: 1000, reason: "done", isByPeer: false)
        #expect(try near.events(of: far.takeOutput()) == [.closed(echo)])
        #expect(near.deadline == nil)
        #expect(far.deadline == nil)
    }

    @Test
    func `simultaneous closes end both sides`() throws {
        var (client, server) = (connection(.client), connection(.server))
        client.close(code: 1000, at: .zero)
        server.close(code: 1001, at: .zero)
        let (fromClient, fromServer) = (client.takeOutput(), server.takeOutput())
        #expect(
            try server.events(of: fromClient) == [.closed(CloseStatus(code: 1000, isByPeer: false))]
        )
        #expect(
            try client.events(of: fromServer) == [.closed(CloseStatus(code: 1001, isByPeer: false))]
        )
        #expect(client.takeOutput().isEmpty)
        #expect(server.takeOutput().isEmpty)
    }

    @Test
    func `an empty close is echoed empty and reported as 1005`() throws {
        var server = connection(.server)
        let status = CloseStatus(code: 1005, isByPeer: true)
        #expect(try server.events(of: frame(.close)) == [.closed(status)])
        #expect(server.takeOutput() == [0x88, 0x00])
    }

    @Test
    func `ignores everything after the close`() throws {
        var server = connection(.server)
        let bytes = frame(.close, [0x03, 0xE8]) + frame(.binary, [1]) + [0xFF, 0xFF]
        #expect(try server.events(of: bytes).count == 1)
        #expect(try server.events(of: [0xFF, 0xFF]).isEmpty)
        server.send([1].span)
        server.close(code: 1000, at: .zero)
        #expect(server.takeOutput() == [0x88, 0x02, 0x03, 0xE8])
    }

    @Test
    func `drops messages that arrive after our own close`() throws {
        var server = connection(.server)
        server.close(code: 1001, at: .zero)
        #expect(try server.events(of: frame(.binary, [1])).isEmpty)
    }

    @Test
    func `gives up waiting for the answer to a close`() {
        var client = connection(.client)
        client.close(code: 1000, at: .seconds(10))
        #expect(client.deadline == .seconds(15))
        #expect(client.advance(to: .seconds(14)) == nil)
        #expect(client.advance(to: .seconds(15)) == .noCloseEcho)
    }

    @Test(arguments: [UInt16(0), 999, 1004, 1005, 1006, 1015, 2999, 5000])
    func `does not send reserved or invalid close codes`(code: UInt16) {
        var server = connection(.server)
        server.close(code: code, reason: "x", at: .zero)
        #expect(server.takeOutput() == [0x88, 0x00])
    }

    @Test
    func `truncates a long reason at a character boundary`() throws {
        var (server, client) = (connection(.server), connection(.client))
        server.close(code: 1001, reason: String(repeating: "é", count: 100), at: .zero)
        let reason = String(repeating: "é", count: 61)
        #expect(
            try client.events(of: server.takeOutput())
                == [.closed(CloseStatus(code: 1001, reason: reason, isByPeer: true))]
        )
    }

    // MARK: Heartbeat

    @Test
    func `pings a silent peer and gives up`() throws {
        var server = connection(.server)
        #expect(server.deadline == .seconds(300))
        #expect(server.advance(to: .seconds(300)) == nil)
        #expect(server.takeOutput() == [0x89, 0x00])
        #expect(server.deadline == .seconds(320))
        #expect(server.advance(to: .seconds(320)) == .noPong)
    }

    @Test
    func `any received byte counts as a pong`() throws {
        var server = connection(.server)
        #expect(server.advance(to: .seconds(300)) == nil)
        server.receive([0x82].span, at: .seconds(310))
        #expect(try server.next() == nil)
        #expect(server.deadline == .seconds(610))
    }

    // MARK: Text

    @Test
    func `delivers text only if it is enabled`() throws {
        var talker = connection(.server, acceptsText: true)
        let text = Array("Grüße 🌍".utf8)
        let bytes =
            frame(.text, Array(text.prefix(4)), isFinal: false)
            + frame(.continuation, Array(text.dropFirst(4)))
        #expect(try talker.events(of: bytes) == [.message(text[...], isText: true)])

        var silent = connection(.server)
        let error = #expect(throws: FrameError.self) { try silent.events(of: bytes) }
        #expect(error?.closeCode == 1003)
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFE], [0x80],
            [0xE2, 0x82], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xC3, 0x28],
        ] as [[UInt8]]
    )
    func `refuses text that is not UTF-8`(bytes: [UInt8]) {
        var server = connection(.server, acceptsText: true)
        let error = #expect(throws: FrameError.self) { try server.events(of: frame(.text, bytes)) }
        #expect(error?.reason == .encoding(.text))
        #expect(error?.closeCode == 1007)
    }
}

func connection(
    _ role: Role,
    limits: WebSocketLimits = WebSocketLimits(),
    acceptsText: Bool = false
) -> WebSocketConnection {
    WebSocketConnection(
        role: role,
        configuration: .init(limits: limits, acceptsText: acceptsText),
        random: FixedRandom(seed: 1),
        now: .zero
    )
}

func message(_ bytes: [UInt8]) -> WebSocketConnection.Event {
    .message(bytes[...], isText: false)
}

extension WebSocketConnection {
    /// Passes bytes and drains, as the contract requires.
    mutating func events(of bytes: [UInt8]) throws(FrameError) -> [Event] {
        receive(bytes.span, at: .zero)
        var events: [Event] = []
        while let event = try next() { events.append(event) }
        return events
    }
}
