import DivanBLIP
import DivanTestKit

/// The contents of a message, which depend only on its salt.
///
/// Most bodies are short, as in a sync; a few take several frames, and some many. Half of them
/// are text, which compresses, half are noise.
struct StormMessage {
    let properties: BLIPProperties
    let body: [UInt8]

    init(salt: UInt64) {
        var generator = SeededGenerator(seed: salt)
        var properties = BLIPProperties()
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            properties.append("p\(generator.next() % 7)", String(generator.next(), radix: 36))
        }
        self.properties = properties
        let count = Self.byteCount(using: &generator)
        body =
            Bool.random(using: &generator)
            ? Self.text(count, using: &generator) : Self.noise(count, using: &generator)
    }

    private static func byteCount(using generator: inout SeededGenerator) -> Int {
        switch Int.random(in: 0..<1_000, using: &generator) {
        case 0: Int.random(in: 0..<300_000, using: &generator)
        case 1..<20: Int.random(in: 0..<40_000, using: &generator)
        case 20..<100: 0
        case 100..<500: Int.random(in: 0..<64, using: &generator)
        default: Int.random(in: 0..<1_000, using: &generator)
        }
    }

    private static func text(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 40)
        while bytes.count < count {
            bytes += #"{"id":\#(generator.next() % 10_000),"name":"stop"},"#.utf8
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    private static func noise(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = generator.next()
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
