import DivanTestKit
import DivanWebSocket

/// Any bytes give the same messages and the same error however they are split, and no message
/// exceeds the limits.
enum WebSocketFrames: FuzzTarget {
    static let name = "websocket-frames"

    private static let limits = WebSocketLimits(
        payloadByteCount: 4_096,
        messageByteCount: 8_192,
        fragmentCount: 16
    )

    static func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let settings = reader.byte()
        let stream = reader.remainder()
        var generator = SeededGenerator(seed: UInt64(settings >> 2))
        let whole = outcome([stream[...]], settings)
        let pieces = stream.pieces(longest: 1 + Int(settings >> 2), using: &generator)
        let cut = outcome(pieces, settings)
        if whole != cut { return "cut: \(cut), in one piece: \(whole)" }
        if whole.longest > limits.messageByteCount { return "a message of \(whole.longest) bytes" }
        return nil
    }

    private struct Outcome: Equatable {
        var events: [WebSocketConnection.Event] = []
        var error: FrameError?
        var longest = 0
    }

    private static func outcome(_ pieces: [ArraySlice<UInt8>], _ settings: UInt8) -> Outcome {
        var outcome = Outcome()
        var configuration = WebSocketConnection.Configuration()
        configuration.limits = limits
        configuration.acceptsText = settings & 2 != 0
        var connection = WebSocketConnection(
            role: settings & 1 == 0 ? .server : .client,
            configuration: configuration,
            random: FixedRandom(),
            now: .zero
        )
        for piece in pieces {
            connection.receive(piece.span, at: .zero)
            do {
                while let event = try connection.next() {
                    if case .message(let bytes, _) = event {
                        outcome.longest = max(outcome.longest, bytes.count)
                        connection.send(Array(bytes).span)
                    }
                    outcome.events.append(event)
                }
            } catch {
                outcome.error = error
                _ = error.description
            }
            _ = connection.takeOutput()
        }
        return outcome
    }

    static func seeds() throws -> [[UInt8]] {
        let payloads: [(Opcode, [UInt8])] = [
            (.text, Array("Hello, wörld €😀".utf8)), (.binary, [UInt8](repeating: 7, count: 300)),
            (.binary, []), (.ping, [1, 2, 3]), (.pong, []), (.close, [0x03, 0xE8]),
            (.close, [0x03, 0xE9] + Array("going away".utf8)),
        ]
        var seeds: [[UInt8]] = []
        for (role, settings) in [(Role.client, UInt8(2)), (.server, 3)] {
            var encoder = FrameEncoder(role: role, random: FixedRandom())
            var all: [UInt8] = []
            for (opcode, payload) in payloads {
                var frame: [UInt8] = []
                encoder.encode(opcode, payload: payload.span, appendingTo: &frame)
                seeds.append([settings | 0x0C] + frame)
                all += frame
            }
            seeds.append([settings] + all)
        }
        seeds.append([7, 0x01, 0x03, 0x48, 0x65, 0x6C, 0x89, 0x00, 0x80, 0x02, 0x6C, 0x6F])
        return seeds
    }
}
