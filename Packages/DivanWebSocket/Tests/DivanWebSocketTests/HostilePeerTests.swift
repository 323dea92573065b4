import DivanTestKit
import DivanWebSocket
import Testing

/// What a hostile client can send after the handshake, and the close that answers it.
@Suite struct HostilePeerTests {
    @Test(arguments: breaches)
    func `closes with the code of the protocol violation`(_ breach: Breach) throws {
        var server = connection(
            .server,
            limits: .init(payloadByteCount: 256, messageByteCount: 300)
        )
        let error = #expect(throws: FrameError.self) { try server.events(of: breach.bytes) }
        #expect(error?.closeCode == breach.code)
        let code = [UInt8(breach.code >> 8), UInt8(breach.code & 0xFF)]
        #expect(server.takeOutput() == frame(.close, code, by: .server))
        #expect(throws: try #require(error)) { try server.events(of: frame(.binary, [1])) }
        #expect(server.takeOutput().isEmpty)
        #expect(server.deadline == nil)
    }

    @Test(arguments: breaches)
    func `an error states the position, the problem and the solution`(_ breach: Breach) {
        var server = connection(
            .server,
            limits: .init(payloadByteCount: 256, messageByteCount: 300)
        )
        let error = #expect(throws: FrameError.self) { try server.events(of: breach.bytes) }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("WebSocket frame at byte "))
        #expect(text.contains("; "))
    }

    @Test
    func `refuses a message with too many fragments`() {
        var server = connection(.server)
        let rest = (0..<1024).flatMap { _ in frame(.continuation, [], isFinal: false) }
        let bytes = frame(.binary, [], isFinal: false) + rest
        let error = #expect(throws: FrameError.self) { try server.events(of: bytes) }
        #expect(error?.reason == .fragments(limit: 1024))
    }

    /// Damage may change or end the conversation, but the result never depends on how it was split.
    @Test(arguments: UInt64(0)..<100)
    func `gives the same result for damaged bytes however they are split`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes =
            frame(.binary, [UInt8](0..<20), isFinal: false) + frame(.ping, [1, 2])
            + frame(.continuation, [5]) + frame(.binary, [UInt8](repeating: 1, count: 130))
            + frame(.close, [0x03, 0xE8, 0x41])
        for _ in 0..<2 {
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        let whole = Conversation([bytes[...]])
        let pieces = bytes.pieces(longest: 9, using: &generator)
        #expect(Conversation(pieces) == whole, "seed \(seed)")
        #expect(Conversation(bytes.singles) == whole, "seed \(seed)")
    }
}

/// Bytes that violate one rule.
struct Breach: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let code: UInt16
}

private let breaches: [Breach] = [
    Breach(testDescription: "reserved bit", bytes: [0xC2, 0x80, 0, 0, 0, 0], code: 1002),
    Breach(testDescription: "reserved opcode", bytes: [0x8B, 0x80, 0, 0, 0, 0], code: 1002),
    Breach(testDescription: "no mask", bytes: [0x82, 0x01, 0x41], code: 1002),
    Breach(testDescription: "stray continuation", bytes: frame(.continuation, [1]), code: 1002),
    Breach(
        testDescription: "start inside a message",
        bytes: frame(.binary, [1], isFinal: false) + frame(.binary, [2]),
        code: 1002
    ),
    Breach(testDescription: "fragmented ping", bytes: [0x09, 0x80, 0, 0, 0, 0], code: 1002),
    Breach(testDescription: "long ping", bytes: [0x89, 0xFE, 0x00, 0x7E], code: 1002),
    Breach(
        testDescription: "top bit",
        bytes: [0x82, 0xFF] + .init(repeating: 0xFF, count: 12),
        code: 1002
    ),
    Breach(testDescription: "long form", bytes: [0x82, 0xFE, 0, 5, 0, 0, 0, 0], code: 1002),
    Breach(testDescription: "long frame", bytes: [0x82, 0xFE, 1, 1, 0, 0, 0, 0], code: 1009),
    Breach(
        testDescription: "long message",
        bytes: frame(.binary, .init(repeating: 1, count: 200), isFinal: false)
            + frame(.continuation, .init(repeating: 1, count: 101)),
        code: 1009
    ),
    Breach(testDescription: "text", bytes: frame(.text, [0x41]), code: 1003),
    Breach(testDescription: "half a code", bytes: frame(.close, [0x03]), code: 1002),
    Breach(testDescription: "code 999", bytes: frame(.close, [0x03, 0xE7]), code: 1002),
    Breach(testDescription: "code 1004", bytes: frame(.close, [0x03, 0xEC]), code: 1002),
    Breach(testDescription: "code 1005", bytes: frame(.close, [0x03, 0xED]), code: 1002),
    Breach(testDescription: "code 1006", bytes: frame(.close, [0x03, 0xEE]), code: 1002),
    Breach(testDescription: "code 1015", bytes: frame(.close, [0x03, 0xF7]), code: 1002),
    Breach(testDescription: "code 5000", bytes: frame(.close, [0x13, 0x88]), code: 1002),
    Breach(testDescription: "bad reason", bytes: frame(.close, [0x03, 0xE8, 0xFF]), code: 1007),
]

/// Everything that a server read from some bytes.
private struct Conversation: Equatable {
    var events: [WebSocketConnection.Event] = []
    var error: FrameError?
    var output: [UInt8]

    init(_ pieces: [ArraySlice<UInt8>]) {
        var server = connection(.server)
        do throws(FrameError) {
            for piece in pieces {
                server.receive(piece.span, at: .zero)
                while let event = try server.next() { events.append(event) }
            }
        } catch {
            self.error = error
        }
        output = server.takeOutput()
    }
}
