import DivanBLIP
import DivanCompression
import DivanLZ4
import DivanTestKit
import DivanZlib

/// Any frames give events or one permanent error, with deflate; what is held and what is sent stays
/// within the limits.
enum BLIPDeflateFrames: FuzzTarget {
    static let name = "blip-deflate"

    static func violation(of input: [UInt8]) -> String? {
        var script = BLIPScript(codec: .deflate)
        return script.violation(of: input)
    }

    static func seeds() throws -> [[UInt8]] {
        let names = [
            "litecore-push-revtree", "litecore-pull-revtree", "sync-gateway-10-push-revs",
            "sync-gateway-29-batches",
        ]
        var seeds = try BLIPScript.ownSeeds(codec: .deflate)
        for name in names {
            let file = try Fixtures.json("DivanBLIP", "\(name).json")
            seeds += Fixtures.values(named: "frames", in: file).compactMap { frames in
                let texts = Fixtures.texts(named: "hex", in: frames)
                let bytes = texts.compactMap { [UInt8](hex: $0) }.filter { $0.count < 1_024 }
                return bytes.isEmpty ? nil : bytes.flatMap { BLIPScript.repaired($0) }
            }
        }
        return seeds
    }
}

/// Any frames give events or one permanent error, with LZ4; what is held and what is sent stays
/// within the limits.
enum BLIPLZ4Frames: FuzzTarget {
    static let name = "blip-lz4"

    static func violation(of input: [UInt8]) -> String? {
        var script = BLIPScript(codec: .lz4)
        return script.violation(of: input)
    }

    static func seeds() throws -> [[UInt8]] { try BLIPScript.ownSeeds(codec: .lz4) }
}
