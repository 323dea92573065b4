import DivanBLIP
import DivanCompression
import DivanTestKit
import DivanZlib

/// `blip_frames.json`.
struct Vectors: Decodable {
    let goBlipCaptures: [Capture]
    let pythonToGoBlip: [Exchange]

    static func load() throws -> Vectors {
        try Fixture("blip_frames.json").decoded(as: Vectors.self)
    }

    struct Capture: Decodable {
        let name: String
        let frames: [Frame]
    }

    struct Exchange: Decodable {
        let name: String
        let clientFrames: [Frame]
    }

    struct Frame: Decodable {
        let dir: Recording.Direction?
        let hex: String?
        let headHex: String?
        let tailHex: String?
        let length: Int?
        let number: UInt64?
        let flags: UInt8?
        let type: String?
        let checksum: String?
        let plainLength: Int?
        let ackedBytes: UInt64?
        let message: Message?
    }

    struct Message: Decodable {
        let properties: [[String]]
        let bodyHex: String?
        let bodyLength: Int?
    }
}

extension Vectors.Message {
    var pairs: [(String, String)] { properties.map { ($0[0], $0[1]) } }

    /// The body; a long one is generated as in the capture.
    func body(in capture: Vectors.Capture) -> [UInt8] {
        if let bodyHex { return [UInt8](hex: bodyHex) ?? [] }
        let count = bodyLength ?? 0
        return capture.name.contains("acks") ? binary(count) : text(count)
    }

    /// `bodyGenerators.text` of the file.
    private func text(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var number = 0
        while bytes.count < count {
            let item = (number * 7919) % 10_007
            bytes += Array("{\"i\":\(number),\"s\":\"item \(item) of the list\"}\n".utf8)
            number += 1
        }
        return Array(bytes.prefix(count))
    }

    /// `bodyGenerators.bin` of the file.
    private func binary(_ count: Int) -> [UInt8] {
        var state: UInt32 = 12_345
        return (0..<count).map { _ in
            state = state &* 1_103_515_245 &+ 12_345
            return UInt8(truncatingIfNeeded: state >> 16)
        }
    }
}

extension Vectors.Capture {
    /// The frames as bytes; those too long to be stored are rebuilt from their message.
    func recording() throws -> Recording {
        var rests = plainPayloads()
        var compressors = [Recording.Direction.toServer: DeflateCodec().makeCompressor()]
        compressors[.toClient] = DeflateCodec().makeCompressor()
        let bytes = try frames.map { frame in
            let direction = frame.dir ?? .toServer
            let key = "\(direction)\(frame.number ?? 0)"
            let plain = Array((rests[key] ?? []).prefix(frame.plainLength ?? 0))
            rests[key]?.removeFirst(plain.count)
            var bytes = frame.hex.flatMap { [UInt8](hex: $0) } ?? []
            if frame.hex == nil {
                var payload = plain
                if (frame.flags ?? 0) & FrameBuilder.compressed != 0 {
                    payload = []
                    try compressors[direction]?.compress(plain.span, appendingTo: &payload)
                }
                bytes = varint(frame.number ?? 0) + [frame.flags ?? 0] + payload
                bytes += [UInt8](hex: frame.checksum ?? "") ?? []
            }
            return Recording.Frame(direction: direction, bytes: bytes)
        }
        return Recording(description: name, frames: bytes, messages: messages)
    }

    var messages: [WireMessage] {
        frames.compactMap { frame in
            guard let kind = frame.type.flatMap(WireMessage.Kind.init), let message = frame.message
            else { return nil }
            return WireMessage(
                direction: frame.dir ?? .toServer,
                kind: kind,
                number: frame.number ?? 0,
                isNoReply: (frame.flags ?? 0) & FrameBuilder.noReply != 0,
                properties: Dictionary(message.pairs) { first, _ in first },
                body: .bytes(message.body(in: self))
            )
        }
    }

    private func plainPayloads() -> [String: [UInt8]] {
        var payloads: [String: [UInt8]] = [:]
        for frame in frames {
            guard let message = frame.message else { continue }
            let key = "\(frame.dir ?? .toServer)\(frame.number ?? 0)"
            payloads[key] = plainMessage(message.pairs, message.body(in: self))
        }
        return payloads
    }
}
