import DivanBLIP
import DivanTestKit
import Testing

/// Frames that go-blip made or judged: the same messages, bytes and refusals here.
@Suite struct VectorTests {
    private let vectors: Vectors

    init() throws {
        vectors = try Vectors.load()
    }

    @Test(arguments: 0..<5)
    func `captured frames decode to the captured messages`(index: Int) throws {
        let capture = vectors.goBlipCaptures[index]
        let recording = try capture.recording()
        for direction in Recording.Direction.allCases {
            let received = try recording.received(direction)
            #expect(received == recording.expected(direction), "\(capture.name), \(direction)")
        }
    }

    @Test
    func `rebuilt frames have the captured headers and trailers`() throws {
        var comparedCount = 0
        for capture in vectors.goBlipCaptures {
            for (frame, rebuilt) in zip(capture.frames, try capture.recording().frames) {
                guard let head = frame.headHex, let tail = frame.tailHex,
                    (frame.flags ?? 0) & FrameBuilder.compressed == 0
                else { continue }
                #expect(rebuilt.bytes.hexText.hasPrefix(head))
                #expect(rebuilt.bytes.hexText.hasSuffix(tail))
                comparedCount += 1
            }
        }
        #expect(comparedCount == 27)
    }

    /// Our senders play both ends of a capture: uncompressed frames must have the same bytes, compressed ones the
    /// same header and checksum.
    ///
    /// (Long compressed messages are cut a little shorter here, so that incompressible bytes still fit a frame.)
    @Test(arguments: [0, 2])
    func `our senders produce the captured frames`(index: Int) throws {
        let capture = vectors.goBlipCaptures[index]
        var ends = [Recording.Direction.toServer: BLIPConnection(), .toClient: BLIPConnection()]
        try capture.queueRequests(on: &ends)
        for (frame, recorded) in zip(capture.frames, try capture.recording().frames) {
            let (sender, receiver) = (recorded.direction, recorded.direction.opposite)
            if frame.ackedBytes == nil {
                var made: [UInt8] = []
                while ends[sender]?.nextFrame(into: &made) == true, made.isAcknowledgement {
                    made = []
                }
                if (frame.flags ?? 0) & FrameBuilder.compressed == 0 {
                    #expect(made == recorded.bytes)
                } else {
                    #expect(made.suffix(4) == recorded.bytes.suffix(4))
                    #expect(made.prefix(2) == recorded.bytes.prefix(2))
                }
            }
            let events = try ends[receiver]?.events(of: [recorded.bytes]) ?? []
            for request in events.compactMap(\.request) where !request.isNoReply {
                let reply = try #require(capture.reply(to: request.id, from: receiver))
                ends[receiver]?.reply(to: request.id, with: reply)
            }
        }
    }

    @Test(arguments: [
        ("compressed requests, shared history", 3), ("one message in three compressed frames", 1),
        ("interleaved messages, per-frame compression flag differs inside a message", 2),
        ("properties split across frames", 1),
        ("unknown frame type 3 is ignored (but still checksummed)", 1),
        ("final compressed frame with zero payload bytes", 2),
    ])
    func `frames that go-blip accepts are accepted`(name: String, requestCount: Int) throws {
        let requests = try receive(name).compactMap(\.request)
        #expect(requests.count == requestCount)
        #expect(requests.allSatisfy { $0.profile == "echo" })
    }

    @Test
    func `bodies are decoded unchanged`() throws {
        func bodies(_ name: String) throws -> [String] {
            try receive(name).compactMap(\.request).map { String(decoding: $0.body, as: UTF8.self) }
        }
        let shared = #"{"hello":"hello hello hello hello"}"#
        #expect(try bodies("compressed requests, shared history") == [shared, shared, "plain"])
        let split = "final compressed frame with zero payload bytes"
        #expect(try bodies(split) == [#"{"a":1}"#, "next"])
        let mixed = "interleaved messages, per-frame compression flag differs inside a message"
        #expect(try bodies(mixed) == ["one-ONE", "two-TWO"])
    }

    @Test(arguments: [
        ("bad checksum", BLIPError.Reason.checksum(received: 0x5E1B_16E4, computed: 0x5E1B_16E5)),
        ("request number skips ahead", .requestNumber(2, expected: 1)),
        ("response frame to no request", .replyNumber(1)),
    ])
    func `frames that go-blip refuses are refused`(name: String, reason: BLIPError.Reason) throws {
        let error = #expect(throws: BLIPError.self) { try receive(name) }
        #expect(error?.reason == reason)
        #expect(error?.closeCode == 1002)
    }

    private func receive(_ name: String) throws -> [BLIPEvent] {
        let exchange = try #require(vectors.pythonToGoBlip.first { $0.name == name })
        var connection = BLIPConnection()
        return try connection.events(
            of: exchange.clientFrames.map { [UInt8](hex: $0.hex ?? "") ?? [] }
        )
    }
}

extension Recording.Direction {
    /// The other direction.
    var opposite: Self { self == .toServer ? .toClient : .toServer }
}

extension [UInt8] {
    /// Whether the frame is an ACK; numbers in tests take one byte or two.
    var isAcknowledgement: Bool {
        let flags = dropFirst(self[0] < 0x80 ? 1 : 2).first ?? 0
        return flags & 0x04 != 0
    }
}

extension Vectors.Capture {
    fileprivate func queueRequests(
        on ends: inout [Recording.Direction: BLIPConnection]
    ) throws {
        var flags: [String: UInt8] = [:]
        for frame in frames where frame.type == "REQ" {
            let key = "\(frame.dir ?? .toServer)\(frame.number ?? 0)"
            flags[key, default: 0] |= frame.flags ?? 0
            guard let message = frame.message else { continue }
            let bits = flags[key] ?? 0
            let request = BLIPRequest(
                properties: properties(message),
                body: .bytes(message.body(in: self)),
                isUrgent: bits & FrameBuilder.urgent != 0,
                isNoReply: bits & FrameBuilder.noReply != 0,
                isCompressed: bits & FrameBuilder.compressed != 0
            )
            ends[frame.dir ?? .toServer]?.send(request)
        }
    }

    fileprivate func reply(
        to id: BLIPRequestID,
        from sender: Recording.Direction
    ) -> BLIPReply? {
        let last = frames.last {
            $0.dir == sender && $0.number == id.rawValue && ["RES", "ERR"].contains($0.type ?? "")
        }
        guard let last, let message = last.message else { return nil }
        var reply = BLIPReply(
            properties: properties(message),
            body: .bytes(message.body(in: self)),
            isCompressed: (last.flags ?? 0) & FrameBuilder.compressed != 0
        )
        reply.isError = last.type == "ERR"
        return reply
    }

    private func properties(_ message: Vectors.Message) -> BLIPProperties {
        var properties: BLIPProperties = [:]
        for (name, value) in message.pairs { properties.append(name, value) }
        return properties
    }
}
