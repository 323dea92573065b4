import DivanBLIP
import DivanCompression
import DivanZlib

/// Writes frames by hand, valid or not, with its own checksum.
struct FrameBuilder {
    private var checksum: UInt32 = 0
    private let compressor = DeflateCodec().makeCompressor()

    static let request: UInt8 = 0
    static let reply: UInt8 = 1
    static let errorReply: UInt8 = 2
    static let compressed: UInt8 = 0x08
    static let urgent: UInt8 = 0x10
    static let noReply: UInt8 = 0x20
    static let moreComing: UInt8 = 0x40

    /// A frame with the correct checksum; compressed if the flags say so.
    mutating func frame(_ number: UInt64, _ flags: UInt8, _ plain: [UInt8]) -> [UInt8] {
        var payload = plain
        if flags & Self.compressed != 0 {
            payload = []
            try? compressor.compress(plain.span, appendingTo: &payload)
        }
        return frame(number, flags, plain: plain, payload: payload)
    }

    /// A frame whose payload need not match its uncompressed bytes.
    mutating func frame(
        _ number: UInt64,
        _ flags: UInt8,
        plain: [UInt8],
        payload: [UInt8]
    ) -> [UInt8] {
        checksum = crc32(plain, continuing: checksum)
        let last = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> UInt32($0)) }
        return varint(number) + [flags] + payload + last
    }

    /// A complete message of one frame.
    mutating func message(
        _ number: UInt64,
        _ flags: UInt8,
        _ properties: [(String, String)],
        _ body: [UInt8] = []
    ) -> [UInt8] {
        frame(number, flags, plainMessage(properties, body))
    }
}

/// Properties with their length, and the body.
func plainMessage(_ properties: [(String, String)], _ body: [UInt8]) -> [UInt8] {
    let block = Array(properties.map { "\($0)\0\($1)\0" }.joined().utf8)
    return varint(UInt64(block.count)) + block + body
}

/// Unsigned LEB128.
func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
}

/// CRC-32 bit by bit, straight from its definition.
func crc32(_ bytes: [UInt8], continuing checksum: UInt32 = 0) -> UInt32 {
    var register = ~checksum
    for byte in bytes {
        register ^= UInt32(byte)
        for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    return ~register
}

extension BLIPConnection {
    /// A connection with the standard codec.
    init(limits: Limits = Limits()) {
        self.init(codec: .deflate, limits: limits)
    }

    /// Receives frames and returns all their events.
    mutating func events(of frames: [[UInt8]]) throws(BLIPError) -> [BLIPEvent] {
        var events: [BLIPEvent] = []
        for frame in frames {
            try receive(frame.span)
            while let event = next() { events.append(event) }
        }
        return events
    }

    /// Returns every frame that can be sent now, one by one.
    mutating func takeFrames() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var frame: [UInt8] = []
        while nextFrame(into: &frame) {
            frames.append(frame)
            frame = []
        }
        return frames
    }
}

extension BLIPEvent {
    /// The request, if it is one.
    var request: BLIPIncomingRequest? {
        if case .request(let request) = self { request } else { nil }
    }

    /// The reply, if it is one.
    var reply: (number: BLIPRequestNumber, reply: BLIPIncomingReply)? {
        if case .reply(let number, let reply) = self { (number, reply) } else { nil }
    }

    /// The piece, if it is one.
    var piece: (bytes: [UInt8], isFinal: Bool)? {
        if case .replyPiece(_, let bytes, let isFinal) = self { (bytes, isFinal) } else { nil }
    }
}

extension CompressionCodec where Self == DeflateCodec {
    /// Deflate with an effort from 0 to 9.
    static func deflate(level: Int) -> DeflateCodec { DeflateCodec(level: level) }
}
