import DivanBLIP
import DivanCompression
import DivanTestKit

/// Reads an input as frames, each after an order byte and a count, and feeds them to a connection.
///
/// A checksum that must match would keep mutated frames from everything behind it, so a frame
/// may ask for its last bytes to be computed, and for its payload to be compressed.
struct BLIPScript {
    /// What a frame's order byte asks for.
    private enum Order {
        static let repairsChecksum: UInt8 = 1
        static let compresses: UInt8 = 2
        static let replies: UInt8 = 4
        static let sends: UInt8 = 8
    }

    private let limits: BLIPConnection.Limits
    private var connection: BLIPConnection
    private let codec: any CompressionCodec
    private var forge: FrameForge
    private var error: BLIPError?

    init(codec: some CompressionCodec) {
        var limits = BLIPConnection.Limits()
        limits.frameByteCount = 20_000
        limits.messageByteCount = 100_000
        limits.openByteCount = 150_000
        limits.openMessageCount = 20
        limits.unansweredRequestCount = 40
        self.limits = limits
        self.codec = codec
        connection = BLIPConnection(codec: codec, limits: limits)
        forge = FrameForge(codec: codec)
    }

    mutating func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        greet()
        while !reader.isAtEnd {
            let order = reader.byte()
            var frame = reader.piece()
            if order & Order.compresses != 0 { frame = forge.compressed(frame) }
            if order & Order.repairsChecksum != 0 { frame = forge.repaired(frame) }
            if order & Order.sends != 0 { send(frame) }
            if let violation = feed(frame, replies: order & Order.replies != 0) {
                return violation
            }
        }
        return nil
    }

    /// Three requests, so that replies have something to answer: one whole, one in pieces, one
    /// that no caller waits for any more.
    private mutating func greet() {
        connection.send(BLIPRequest(profile: "a", body: .bytes([1])))
        connection.send(BLIPRequest(profile: "b", isCompressed: true, streamsReply: true))
        if let number = connection.send(BLIPRequest(profile: "c", isUrgent: true)) {
            connection.cancelReply(to: number)
        }
    }

    private mutating func send(_ body: [UInt8]) {
        connection.send(BLIPRequest(profile: "d", body: .bytes(body), isCompressed: true))
    }

    private mutating func feed(_ frame: [UInt8], replies: Bool) -> String? {
        do {
            try connection.receive(frame.span)
            if let error { return "accepts a frame after \(error)" }
        } catch {
            if let first = self.error, first != error { return "\(error) after \(first)" }
            self.error = error
            _ = error.description
        }
        var byteCount = 0
        while let event = connection.next() {
            byteCount += count(event)
            if replies, case .request(let request) = event {
                let body = BLIPBody.bytes(request.body)
                let reply = BLIPReply(properties: request.properties, body: body)
                connection.reply(to: request.id, with: reply)
            }
        }
        if byteCount > limits.messageByteCount { return "\(byteCount) bytes out of one frame" }
        return drain()
    }

    private func count(_ event: BLIPEvent) -> Int {
        switch event {
        case .request(let request): request.body.count + request.properties.byteCount
        case .reply(_, let reply): reply.body.count + reply.properties.byteCount
        case .replyPiece(_, let bytes, _): bytes.count
        case .bodyFailed: 0
        }
    }

    private mutating func drain() -> String? {
        var frame: [UInt8] = []
        while connection.nextFrame(into: &frame) {
            if frame.count > 16_384 { return "a frame of \(frame.count) bytes goes out" }
            frame = []
        }
        return nil
    }

    /// A recorded frame as an input whose checksum is recomputed.
    static func repaired(_ frame: [UInt8]) -> [UInt8] {
        [Order.repairsChecksum | Order.replies] + piece(frame)
    }

    /// What one of our connections sends: short, long, compressed and urgent messages.
    static func ownSeeds(codec: some CompressionCodec) throws -> [[UInt8]] {
        var connection = BLIPConnection(codec: codec)
        let text = Array(repeatElement("item of the list, ", count: 90).joined().utf8)
        for index in 0..<6 {
            connection.send(
                BLIPRequest(
                    profile: "rev",
                    properties: ["id": "d\(index)"],
                    body: .bytes(
                        index == 5 ? Array(repeatElement(text, count: 20).joined()) : text
                    ),
                    isUrgent: index == 2,
                    isNoReply: index == 3,
                    isCompressed: index % 2 == 1
                )
            )
        }
        var whole: [UInt8] = []
        var seeds: [[UInt8]] = []
        var frame: [UInt8] = []
        while connection.nextFrame(into: &frame) {
            seeds.append(repaired(frame))
            whole += repaired(frame)
            frame = []
        }
        let plain: [UInt8] = [1, 0x01, 10] + Array("Profile\0x\0".utf8) + text + [0, 0, 0, 0]
        return seeds + [whole, [Order.repairsChecksum | Order.compresses] + piece(plain)]
    }
}
