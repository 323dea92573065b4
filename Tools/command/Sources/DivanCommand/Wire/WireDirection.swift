import DivanBLIP
import DivanCompression
import DivanWebSocket

/// What one end sends after the handshake: frames in, events out.
struct WireDirection {
    private var decoder: FrameDecoder
    private var mirror: BLIPDecoder
    private var fragments: [UInt8] = []
    private var isOver = false

    init(from sender: WireEnd, codec: any CompressionCodec, keeping bodyByteCount: Int) {
        var limits = WebSocketLimits()
        limits.payloadByteCount = WireLimits.messageByteCount
        decoder = FrameDecoder(sender: sender.role, limits: limits)
        mirror = BLIPDecoder(codec: codec, keeping: bodyByteCount)
    }

    /// Takes bytes; if they cannot be decoded, that is the last event.
    mutating func receive(_ bytes: [UInt8]) -> [WireEvent.Content] {
        guard !isOver else { return [] }
        var events: [WireEvent.Content] = []
        decoder.receive(bytes.span)
        do {
            while let frame = try decoder.next() { try take(frame, into: &events) }
        } catch {
            isOver = true
            events.append(.problem("\(error)"))
        }
        return events
    }

    private mutating func take(_ frame: Frame, into events: inout [WireEvent.Content]) throws {
        switch frame.opcode {
        case .ping: events.append(.ping)
        case .pong: events.append(.pong)
        case .close:
            let code =
                frame.payload.count < 2
                ? nil : frame.payload.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            let reason = String(decoding: frame.payload.dropFirst(2), as: UTF8.self)
            events.append(.closed(code: code, reason: reason))
        case .text, .binary, .continuation:
            guard fragments.count + frame.payload.count <= WireLimits.messageByteCount else {
                throw TooLong()
            }
            fragments += frame.payload
            guard frame.isFinal else { return }
            var message: [UInt8] = []
            swap(&message, &fragments)
            let outline = try BLIPFrameOutline(message.span)
            events.append(.frame(outline))
            events += try mirror.receive(message, outline).map { .message($0) }
        }
    }

    private struct TooLong: Error, CustomStringConvertible {
        let description = "a WebSocket message exceeds \(WireLimits.messageByteCount) bytes"
    }
}
