import DivanCrypto
import DivanWebSocket

private struct NoRandom: RandomSource {
    func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
}

/// A client's masked frame; the key is zero.
private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var head = [first]
    switch payload.count {
    case ..<126: head.append(0x80 | UInt8(payload.count))
    case ..<65_536: head += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: head += [0xFF] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
    }
    return head + [0, 0, 0, 0] + payload
}

private func feeding(
    _ bytes: [UInt8],
    step: Int,
    text: Bool = false
) -> () throws -> Void {
    {
        let configuration = WebSocketConnection.Configuration(acceptsText: text)
        var socket = WebSocketConnection(
            role: .server,
            configuration: configuration,
            random: NoRandom(),
            now: .zero
        )
        var start = 0
        while start < bytes.count {
            let end = min(start + step, bytes.count)
            socket.receive(bytes.span.extracting(start..<end), at: .zero)
            while try socket.next() != nil {}
            start = end
        }
        _ = socket.takeOutput()
    }
}

let webSocketShapes: [Shape] = [
    Shape("WebSocket", "one frame, sixteen bytes at a time", from: 8_000, to: 1 << 20) { count in
        feeding(frame(0x82, [UInt8](repeating: 7, count: count)), step: 16)
    },
    Shape("WebSocket", "one text frame, sixteen bytes at a time", from: 8_000, to: 1 << 20) {
        count in
        feeding(frame(0x81, [UInt8](repeating: 97, count: count)), step: 16, text: true)
    },
    Shape("WebSocket", "pings in one piece", from: 500) { count in
        let ping = frame(0x89, [1, 2, 3])
        return feeding(Array(repeatElement(ping, count: count).joined()), step: 65_536)
    },
    Shape("WebSocket", "a message of many fragments", from: 125, to: 1_000) { count in
        let payload = [UInt8](repeating: 7, count: 800)
        let fragments =
            [frame(0x02, payload)] + Array(repeating: frame(0x00, payload), count: count - 2)
            + [frame(0x80, payload)]
        return feeding(Array(fragments.joined()), step: 65_536)
    },
    Shape("WebSocket", "small messages behind a piece of a large one", from: 500) { count in
        let small = frame(0x82, [1])
        let large = frame(0x82, [UInt8](repeating: 7, count: 900))
        let pair = small + large
        return feeding(Array(repeatElement(pair, count: count).joined()), step: 500)
    },
    Shape("ServerHandshake", "a request, a byte at a time", from: 250, to: 14_000) { count in
        let field = "X-A: " + String(repeating: "x", count: 100) + "\r\n"
        let text =
            "GET / HTTP/1.1\r\n" + String(repeating: field, count: max(1, count / field.utf8.count))
        let bytes = Array(text.utf8)
        return {
            for _ in 0..<10 {
                var handshake = ServerHandshake()
                for index in bytes.indices {
                    handshake.receive(bytes.span.extracting(index..<index + 1))
                    _ = try handshake.next()
                }
            }
        }
    },
]
