import DivanCrypto
import DivanTestKit
import DivanWebSocket
import Synchronization

/// Random bytes determined by a seed.
final class FixedRandom: RandomSource {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }
}

extension [UInt8] {
    /// The bytes in pieces of `count`, the last one shorter.
    func chunks(of count: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: self.count, by: count).map {
            self[$0..<Swift.min($0 + count, self.count)]
        }
    }
}

/// A frame as sent by `role`.
func frame(
    _ opcode: Opcode,
    _ payload: [UInt8] = [],
    isFinal: Bool = true,
    by role: Role = .client
) -> [UInt8] {
    var encoder = FrameEncoder(role: role, random: FixedRandom(seed: 1))
    var bytes: [UInt8] = []
    encoder.encode(opcode, isFinal: isFinal, payload: payload.span, appendingTo: &bytes)
    return bytes
}

/// The frames in bytes sent by `role`.
func frames(in bytes: [UInt8], by role: Role) throws -> [Frame] {
    var decoder = FrameDecoder(sender: role)
    decoder.receive(bytes.span)
    var frames: [Frame] = []
    while let frame = try decoder.next() { frames.append(frame) }
    return frames
}
