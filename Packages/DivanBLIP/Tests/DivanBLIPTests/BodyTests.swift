import DivanBLIP
import DivanTestKit
import Testing

/// Bodies that are read while they are sent, and replies that arrive in pieces.
@Suite struct BodyTests {
    @Test(arguments: [0, 1, 16_359, 16_360, 32_733, 32_734, 65_536, 100_000])
    func `a body source arrives complete and without empty frames`(byteCount: Int) throws {
        for isCompressed in [false, true] {
            var (asker, answerer) = (BLIPConnection(), BLIPConnection())
            let source = CountingSource(byteCount: byteCount)
            asker.send(
                BLIPRequest(profile: "put", body: .source(source), isCompressed: isCompressed)
            )
            let frames = asker.takeFrames()
            let body = try answerer.events(of: frames).first?.request?.body
            #expect(body == [UInt8](repeating: 0x42, count: byteCount))
            #expect(frames.allSatisfy { $0.count > 6 })
            #expect(!frames.contains { Seen($0).hasMore } || byteCount > 16_300)
        }
    }

    @Test
    func `a large source is read only as far as the send window allows`() {
        var sender = BLIPConnection()
        let source = CountingSource(byteCount: 100 << 20)
        sender.send(BLIPRequest(profile: "put", body: .source(source)))
        #expect(sender.takeFrames().count == 8)
        #expect(source.readCount == 2)
        #expect(sender.queuedByteCount < 65_536)
    }

    @Test
    func `a reply is streamed in pieces`() throws {
        var link = Link()
        let number = try link.ask(streams: true) { id in
            let source = CountingSource(byteCount: 1_000_000)
            return (id, BLIPReply(properties: ["a": "b"], body: .source(source)))
        }
        let events = try link.run()
        #expect(events.first?.reply?.number == number)
        #expect(events.first?.reply?.reply.properties == ["a": "b"])
        #expect(events.first?.reply?.reply.body == [])
        let pieces = events.dropFirst().compactMap(\.piece)
        #expect(pieces.count == events.count - 1)
        #expect(pieces.map(\.bytes.count).reduce(0, +) == 1_000_000)
        #expect(pieces.map(\.isFinal) == pieces.indices.map { $0 == pieces.count - 1 })
        #expect(link.asker.waitingRequests.isEmpty)
    }

    @Test
    func `a streamed reply without a body ends with an empty piece`() throws {
        var link = Link()
        try link.ask(streams: true) { ($0, BLIPReply(properties: ["a": "b"])) }
        let events = try link.run()
        #expect(events.count == 2)
        #expect(events.first?.reply?.reply.properties == ["a": "b"])
        #expect(events.last?.piece?.bytes == [])
        #expect(events.last?.piece?.isFinal == true)
    }

    @Test
    func `a streamed reply may exceed the message size limit`() throws {
        for streams in [true, false] {
            var link = Link(limits: .small)
            try link.ask(streams: streams) { ($0, BLIPReply(body: .zeros(400_000))) }
            if streams {
                let events = try link.run()
                #expect(events.compactMap(\.piece).map(\.bytes.count).reduce(0, +) == 400_000)
            } else {
                let error = #expect(throws: BLIPError.self) { try link.run() }
                #expect(error?.reason == .messageTooLarge(limit: 100_000))
            }
        }
    }

    @Test
    func `an error reply to a streaming request arrives complete`() throws {
        var link = Link()
        let text = String(repeating: "long ", count: 10_000)
        try link.ask(streams: true) {
            ($0, .error(domain: "HTTP", code: 404, message: text))
        }
        let events = try link.run()
        #expect(events.count == 1)
        let error = events.first?.reply?.reply.error
        #expect(error?.domain == "HTTP")
        #expect(error?.code == 404)
        #expect(error?.message.utf8.count == 4096)
    }

    @Test(arguments: [false, true])
    func `a cancelled reply is read to its end and discarded`(streams: Bool) throws {
        var link = Link()
        let number = try link.ask(streams: streams) { ($0, BLIPReply(body: .zeros(1_000_000))) }
        _ = try link.asker.events(of: Array(link.answerer.takeFrames().prefix(3)))
        var fresh = Link()
        let again = try fresh.ask(streams: streams) { ($0, BLIPReply(body: .zeros(1_000_000))) }
        fresh.asker.cancelReply(to: again)
        #expect(try fresh.run().isEmpty)
        #expect(fresh.asker.waitingRequests.isEmpty)
        #expect(!fresh.answerer.hasOutput)
        #expect(fresh.answerer.queuedByteCount == 0)
        link.asker.cancelReply(to: number)
        link.asker.cancelReply(to: number)
        #expect(link.asker.waitingRequests == [number])
    }

    @Test
    func `a reply whose source fails immediately becomes an error`() throws {
        var link = Link()
        try link.ask(streams: true) {
            ($0, BLIPReply(body: .source(CountingSource(byteCount: 0, failsAtEnd: true))))
        }
        let events = try link.run()
        #expect(events.first?.reply?.reply.error?.code == 500)
        #expect(events.count == 1)
        guard case .bodyFailed(let failure) = link.answerer.next() else {
            Issue.record("the answerer is not told")
            return
        }
        #expect(failure.isReply)
        #expect(failure.number == 1)
        #expect(failure.cause is CountingSource.Failure)
        #expect(link.answerer.next() == nil)
    }

    @Test
    func `a message whose source fails partway ends early, and others continue`() throws {
        var (sender, receiver) = (BLIPConnection(), BLIPConnection())
        let source = CountingSource(byteCount: 70_000, failsAtEnd: true)
        sender.send(BLIPRequest(profile: "put", body: .source(source)))
        sender.send(BLIPRequest(profile: "next"))
        let requests = try receiver.events(of: sender.takeFrames()).compactMap(\.request)
        #expect(requests.map(\.profile) == ["next", "put"])
        #expect(requests.last?.body.count == 70_000)
        guard case .bodyFailed(let failure) = sender.next() else {
            Issue.record("the sender is not told")
            return
        }
        #expect(!failure.isReply)
    }

    @Test(
        arguments: [
            (["Error-Domain": "HTTP", "Error-Code": "409"], "HTTP", 409),
            (["Error-Code": "409"], "BLIP", 409),
            (["Error-Domain": "HTTP"], "HTTP", 501),
            (["Error-Domain": "HTTP", "Error-Code": "conflict"], "HTTP", 501),
            (["Error-Domain": "HTTP", "Error-Code": "0"], "HTTP", 501),
            (["Error-Domain": "HTTP", "Error-Code": "4294967296"], "HTTP", 501),
            ([:], "BLIP", 501),
        ] as [(BLIPProperties, String, Int)]
    )
    func `an error reply without domain or code is still an error`(
        properties: BLIPProperties,
        domain: String,
        code: Int
    ) throws {
        var link = Link()
        try link.ask(streams: false) { id in
            var reply = BLIPReply(properties: properties, body: .bytes(Array("why".utf8)))
            reply.isError = true
            return (id, reply)
        }
        let error = try link.run().first?.reply?.reply.error
        #expect(error == BLIPRemoteError(domain: domain, code: code, message: "why"))
    }

    @Test
    func `a second reply and an unwanted reply are discarded`() throws {
        var scribe = FrameBuilder()
        var connection = BLIPConnection()
        let frames = [
            scribe.message(1, FrameBuilder.noReply, []),
            scribe.message(2, FrameBuilder.request, []),
        ]
        let requests = try connection.events(of: frames).compactMap(\.request)
        for _ in 0..<2 {
            for request in requests { connection.reply(to: request.id, with: .noHandler) }
        }
        let sent = connection.takeFrames()
        #expect(sent.map { Seen($0).number } == [2])
        #expect(sent.first?.suffix(4 + 22).dropLast(4) == ArraySlice("no handler for message".utf8))
        connection.reply(to: requests[1].id, with: .empty)
        #expect(!connection.hasOutput)
    }
}

/// One end sends requests, the other replies; frames are exchanged until none is left.
private struct Link {
    var asker: BLIPConnection
    var answerer: BLIPConnection

    init(limits: BLIPConnection.Limits = BLIPConnection.Limits()) {
        asker = BLIPConnection(limits: limits)
        answerer = BLIPConnection(limits: limits)
    }

    @discardableResult
    mutating func ask(
        streams: Bool,
        _ answer: (BLIPRequestID) -> (BLIPRequestID, BLIPReply)
    ) throws -> BLIPRequestNumber {
        let number = asker.send(BLIPRequest(profile: "get", streamsReply: streams))
        let request = try #require(try answerer.events(of: asker.takeFrames()).first?.request)
        let (id, reply) = answer(request.id)
        answerer.reply(to: id, with: reply)
        return try #require(number)
    }

    mutating func run() throws(BLIPError) -> [BLIPEvent] {
        var events: [BLIPEvent] = []
        while answerer.hasOutput || asker.hasOutput {
            events += try asker.events(of: answerer.takeFrames())
            for frame in asker.takeFrames() { try answerer.receive(frame.span) }
        }
        return events
    }
}
