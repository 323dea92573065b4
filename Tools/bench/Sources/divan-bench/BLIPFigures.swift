import CDivanFloors
import DivanBLIP
import DivanCompression

/// BLIP messages in memory, plain and compressed, compared with loops that do the unavoidable part.
enum BLIPFigures {
    private static let plainRounds = 40

    static func measure(_ documents: Documents, into report: inout Report) throws {
        try measurePlain(documents, into: &report)
        for (name, level, codec, floor) in CodecFigures.codecs {
            try measure(codec, name, (level, floor), documents, into: &report)
        }
    }

    private static func measurePlain(_ documents: Documents, into report: inout Report) throws {
        let count = Double(plainRounds * documents.bodies.count)
        let messages = BLIPMessages(documents, isCompressed: false)
        let frames = messages.frames(with: .none)
        var (encoding, decoding, floor) = (Double.infinity, Double.infinity, Double.infinity)
        for _ in 0..<5 {
            let turn = Stopwatch.bestWork(of: 1) {
                messages.encode(with: .none, rounds: plainRounds)
            }
            encoding = min(encoding, turn)
            let back = try Stopwatch.bestWork(of: 1) {
                try messages.decode(frames, with: .none, rounds: plainRounds)
            }
            decoding = min(decoding, back)
            floor = min(floor, floorSeconds(documents))
        }
        for (name, seconds) in [("encode", encoding), ("decode", decoding)] {
            report.add(
                Figure(
                    name: "BLIP \(name), 1.3 KB messages, plain, CRC",
                    unit: "msg/s",
                    ours: count / seconds,
                    floor: count / floor,
                    floorName: "C loop: copy and zlib's crc32"
                )
            )
        }
    }

    private static func floorSeconds(_ documents: Documents) -> Double {
        var copy = [UInt8](repeating: 0, count: 1 << 16)
        return Stopwatch.bestWork(of: 1) {
            var crc: UInt32 = 0
            for _ in 0..<plainRounds {
                for body in documents.bodies {
                    crc = floor_copy_crc(&copy, body, body.count, crc)
                }
            }
        }
    }

    /// The floor compresses the same plain payloads, properties and body, one at a time.
    private static func measure(
        _ codec: any CompressionCodec,
        _ name: String,
        _ bare: (level: Int, name: String),
        _ documents: Documents,
        into report: inout Report
    ) throws {
        let level = bare.level
        let (rounds, turns) = level == 0 ? (20, 60) : (2, 15)
        let messages = BLIPMessages(documents, isCompressed: true)
        var ours = (packing: Double.infinity, unpacking: Double.infinity)
        var floor = ours
        // In turns, so that a noisy moment affects both, and often enough that both have a quiet one.
        for _ in 0..<turns {
            let best = messages.payloads.withFloor { floor_codec($0, rounds, Int32(level)) }
            guard best.packing > 0 else { throw BenchFailure("the \(bare.name) failed") }
            floor = (min(floor.packing, best.packing), min(floor.unpacking, best.unpacking))
            let packing = Stopwatch.bestWork(of: 1) { messages.encode(with: codec, rounds: rounds) }
            let frames = messages.frames(with: codec)
            let unpacking = try Stopwatch.bestWork(of: 1) {
                for _ in 0..<rounds { try messages.decode(frames, with: codec, rounds: 1) }
            }
            ours = (min(ours.packing, packing), min(ours.unpacking, unpacking))
        }
        let count = Double(rounds * documents.bodies.count)
        func add(_ verb: String, _ ours: Double, _ floor: Double) {
            report.add(
                Figure(
                    name: "BLIP \(verb), 1.3 KB messages, \(name)",
                    unit: "msg/s",
                    ours: count / ours,
                    floor: count / floor,
                    floorName: "\(bare.name), one stream, a flush for each"
                )
            )
        }
        add("encode", ours.packing, floor.packing)
        add("decode", ours.unpacking, floor.unpacking)
    }
}
