import DivanBLIP
import DivanZlib

/// Frames that a sender creates from messages, to be fed to one of our receivers.
private func frames(_ messages: (inout BLIPConnection) -> Void) -> [[UInt8]] {
    var sender = BLIPConnection(codec: DeflateCodec())
    messages(&sender)
    var frames: [[UInt8]] = []
    var frame: [UInt8] = []
    while sender.nextFrame(into: &frame) {
        frames.append(frame)
        frame = []
    }
    return frames
}

private func feeding(_ frames: [[UInt8]]) -> () throws -> Void {
    {
        var receiver = BLIPConnection(codec: DeflateCodec())
        for frame in frames {
            try receiver.receive(frame.span)
            while receiver.next() != nil {}
        }
    }
}

/// A message split into frames of `step` plain bytes, unlike those of our senders.
private func crumbs(of message: [UInt8], step: Int, number: UInt8 = 1) -> [[UInt8]] {
    var checksum = CRC32()
    var frames: [[UInt8]] = []
    for start in stride(from: 0, to: message.count, by: step) {
        let piece = Array(message[start..<min(start + step, message.count)])
        let isLast = start + step >= message.count
        checksum.update(piece)
        frames.append([number, isLast ? 0 : 0x40] + piece + checksum.bytes)
    }
    return frames
}

/// The running checksum of a direction; the table makes it fast enough for large inputs.
private struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ (value >> 1)
        }
    }
    private var state = UInt32.max

    mutating func update(_ bytes: [UInt8]) {
        for byte in bytes {
            state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8)
        }
    }

    var bytes: [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: ~state >> (8 * UInt32($0))) }
    }
}

private func message(propertyByteCount: Int, bodyByteCount: Int = 0) -> [UInt8] {
    let property =
        [UInt8(ascii: "a"), 0] + [UInt8](repeating: 120, count: propertyByteCount - 3) + [0]
    var length = property.count
    var head: [UInt8] = []
    while length >= 0x80 {
        head.append(UInt8(length & 0x7F) | 0x80)
        length >>= 7
    }
    return head + [UInt8(length)] + property + [UInt8](repeating: 7, count: bodyByteCount)
}

let blipShapes: [Shape] = [
    Shape("BLIP", "properties in frames of eight bytes", from: 2_000, to: 100_000) { count in
        feeding(crumbs(of: message(propertyByteCount: count), step: 8))
    },
    Shape("BLIP", "a body in frames of eight bytes", from: 4_000) { count in
        feeding(crumbs(of: message(propertyByteCount: 8, bodyByteCount: count), step: 8))
    },
    Shape("BLIP", "a body of zeros, compressed", from: 64_000, to: 24 << 20) { count in
        feeding(
            frames { sender in
                var request = BLIPRequest(
                    profile: "rev",
                    properties: [:],
                    body: .bytes([UInt8](repeating: 0, count: min(count, 120_000)))
                )
                request.isCompressed = true
                for _ in 0..<max(1, count / 120_000) { sender.send(request) }
            }
        )
    },
    Shape("BLIP", "many small requests", from: 500, to: 9_000) { count in
        feeding(
            frames { sender in
                for _ in 0..<count { sender.send(BLIPRequest(profile: "x", properties: [:])) }
            }
        )
    },
    Shape("BLIP", "unacknowledged replies and urgent replies", from: 250, to: 8_000) {
        count in
        let requests = frames { sender in
            for number in 0..<count {
                var request = BLIPRequest(profile: "x", properties: [:])
                request.isUrgent = number % 2 == 0
                sender.send(request)
            }
        }
        return {
            var receiver = BLIPConnection(codec: DeflateCodec())
            let body = BLIPBody.bytes([UInt8](repeating: 1, count: 300))
            for frame in requests {
                try receiver.receive(frame.span)
                while case .request(let request)? = receiver.next() {
                    receiver.reply(to: request.id, with: BLIPReply(body: body))
                }
            }
            var frame: [UInt8] = []
            while receiver.nextFrame(into: &frame) { frame = [] }
        }
    },
    Shape("BLIP", "properties of many pairs, looked up", from: 500, to: 20_000) { count in
        var properties = BLIPProperties()
        for number in 0..<count { properties.append("\(number)", "") }
        properties.append("last", "1")
        return { for _ in 0..<20 { _ = properties["last"] } }
    },
]
