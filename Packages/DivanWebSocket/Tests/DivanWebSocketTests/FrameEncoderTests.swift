import DivanTestKit
import DivanWebSocket
import Testing

/// What we send matches RFC 6455 §5.7 and is what the decoder reads.
@Suite struct FrameEncoderTests {
    @Test(
        arguments: [
            (0, [0x82, 0x00]),
            (125, [0x82, 0x7D]),
            (126, [0x82, 0x7E, 0x00, 0x7E]),
            (65_535, [0x82, 0x7E, 0xFF, 0xFF]),
            (65_536, [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])]
    )
    func `encodes a length in its shortest form`(byteCount: Int, header: [UInt8]) {
        let payload = [UInt8](repeating: 3, count: byteCount)
        #expect(frame(.binary, payload, by: .server) == header + payload)
    }

    @Test
    func `masks client frames with a new key for each frame`() throws {
        var encoder = FrameEncoder(role: .client, random: FixedRandom(seed: 7))
        var bytes: [UInt8] = []
        let payload = Array("Hello".utf8)
        for _ in 0..<200 {
            encoder.encode(.text, payload: payload.span, appendingTo: &bytes)
        }
        let written = bytes.chunks(of: 11)
        #expect(written.allSatisfy { $0.prefix(2) == [0x81, 0x85] })
        #expect(Set(written.map { Array($0.dropFirst(2).prefix(4)) }).count == 200)
        let read = try frames(in: bytes, by: .client)
        #expect(
            read
                == Array(
                    repeating: Frame(opcode: .text, isFinal: true, payload: payload),
                    count: 200
                )
        )
    }

    /// The masking loop works in blocks; every length near their edges must round-trip.
    @Test(arguments: UInt64(0)..<8)
    func `round-trips every length up to 200 bytes`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for role in [Role.client, .server] {
            var encoder = FrameEncoder(role: role, random: FixedRandom(seed: seed))
            var bytes: [UInt8] = []
            let sent = (0..<200).map { [UInt8].random(count: $0, using: &generator) }
            for payload in sent {
                encoder.encode(.binary, payload: payload.span, appendingTo: &bytes)
            }
            #expect(
                try frames(in: bytes, by: role).map { Array($0.payload) } == sent,
                "seed \(seed)"
            )
        }
    }

    @Test
    func `masking matches the byte-wise definition`() {
        let bytes = frame(.binary, [UInt8](0..<100))
        let key = bytes[2..<6]
        let expected = (0..<100).map { UInt8($0) ^ key[key.startIndex + $0 % 4] }
        #expect(Array(bytes[6...]) == expected)
    }
}
