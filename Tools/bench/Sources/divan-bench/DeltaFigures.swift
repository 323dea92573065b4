import CDivanFloors
import DivanDelta
import DivanJSON
import DivanLZ4
import DivanZlib
import Foundation

/// Deltas of documents of some 5.6 KB, compared with the same in C, and old bodies at rest.
enum DeltaFigures {
    /// An old and a new text, and the delta between them.
    private struct Pair {
        let old: [UInt8]
        let new: [UInt8]
        var delta: [UInt8] = []
    }

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let hotels = try pairs(of: texts("hotels"), changing: "vacancy") {
            $0 == true ? false : true
        }
        try measureSpeed(hotels, into: &report)
        let routes = try pairs(of: workplace.documents.bodies, changing: "stops") { _ in 3 }
        try measureRest("old bodies that differ in a field", routes, into: &report)
        let others = zip(routes, routes.dropFirst() + routes.prefix(1))
        try measureRest(
            "old bodies that differ in much",
            others.map { Pair(old: $0.old, new: $1.new) },
            into: &report
        )
    }

    /// Both convert text to text, ours and the floor's; they take turns.
    private static func measureSpeed(_ pairs: [Pair], into report: inout Report) throws {
        var (make, apply, value) = (Double.infinity, Double.infinity, Double.infinity)
        var (floorMake, floorApply) = (Double.infinity, Double.infinity)
        for _ in 0..<5 {
            floorMake = min(floorMake, try floor(pairs, to: \.new, applies: false))
            floorApply = min(floorApply, try floor(pairs, to: \.delta, applies: true))
            let turn = try timings(pairs)
            (make, apply, value) = (
                min(make, turn.make), min(apply, turn.apply), min(value, turn.value)
            )
        }
        let size = pairs.reduce(0) { $0 + $1.old.count } / max(pairs.count, 1)
        for (name, seconds, floor) in [
            ("make", make, floorMake), ("apply", value, floorApply),
            ("apply and write", apply, floorApply),
        ] {
            report.add(
                Figure(
                    name: "delta \(name), one field of \(size) bytes",
                    unit: "µs",
                    ours: seconds / Double(pairs.count) * 1e6,
                    floor: floor / Double(pairs.count) * 1e6,
                    floorName: "C, from texts to a text, top level"
                )
            )
        }
    }

    private static func floor(
        _ pairs: [Pair],
        to target: (Pair) -> [UInt8],
        applies: Bool
    ) throws -> Double {
        let (old, other) = (Pieces(pairs.map(\.old)), Pieces(pairs.map(target)))
        // The results must have the length of ours, or the floor did something else.
        let expected = pairs.reduce(0) { $0 + (applies ? $1.new.count : $1.delta.count) }
        return try old.withFloor { old in
            try other.withFloor { other in
                try Stopwatch.bestWork(of: 3) {
                    guard floor_delta(old, other, applies ? 1 : 0) == expected else {
                        throw BenchFailure("the floor of deltas has a different result")
                    }
                }
            }
        }
    }

    private static func timings(
        _ pairs: [Pair]
    ) throws -> (make: Double, apply: Double, value: Double) {
        let make = try Stopwatch.bestWork(of: 3) {
            for pair in pairs {
                let old = try JSON(parsing: pair.old.span)
                let new = try JSON(parsing: pair.new.span)
                _ = try JSONDelta.make(from: old, to: new).canonicalBytes()
            }
        }
        let value = try Stopwatch.bestWork(of: 3) {
            for pair in pairs { _ = try applied(pair) }
        }
        let apply = try Stopwatch.bestWork(of: 3) {
            for pair in pairs { _ = try applied(pair).canonicalBytes() }
        }
        return (make, apply, value)
    }

    private static func applied(_ pair: Pair) throws -> JSON {
        let delta = try JSON(parsing: pair.delta.span)
        let old = try JSON(parsing: pair.old.span)
        return try JSONDelta.apply(delta, to: old)
    }

    /// The space of old bodies next to the new ones, and how fast they are packed and unpacked.
    private static func measureRest(
        _ what: String,
        _ pairs: [Pair],
        into report: inout Report
    ) throws {
        let codecs: [(String, BodyArchive.Bundled?)] = [
            ("no codec", nil), ("zlib", .deflate), ("LZ4", .lz4),
        ]
        let plain = Double(pairs.reduce(0) { $0 + $1.old.count })
        for (name, codec) in codecs {
            let archive = BodyArchive(packing: codec, deflate: DeflateCodec(), lz4: LZ4Codec())
            let packed = pairs.map { archive.packed($0.old, beside: $0.new) }
            let packing = Stopwatch.bestWork {
                for pair in pairs { _ = archive.packed(pair.old, beside: pair.new) }
            }
            let unpacking = try Stopwatch.bestWork {
                for (pair, bytes) in zip(pairs, packed) {
                    _ = try archive.unpacked(bytes, beside: pair.new, limit: 1 << 20)
                }
            }
            let each = Double(packed.reduce(0) { $0 + $1.count }) / Double(pairs.count)
            report.add(
                Figure(
                    name: "\(what), \(name)",
                    unit: "bytes",
                    ours: each,
                    floor: plain / Double(pairs.count),
                    floorName: String(
                        format: "the body; packed at %.0f MB/s, unpacked at %.0f",
                        plain / packing / 1e6,
                        plain / unpacking / 1e6
                    )
                )
            )
        }
    }

    // MARK: Documents

    /// Hotels of 5 to 6.2 KB.
    private static func texts(_ name: String) throws -> [[UInt8]] {
        let path = "Tests/Fixtures/travel/\(name).jsonl"
        guard let text = FileManager.default.contents(atPath: path) else {
            throw BenchFailure("\(path) is missing; run the bench from the checkout's root")
        }
        return text.split(separator: UInt8(ascii: "\n")).map { Array($0) }
            .filter { (5_000...6_200).contains($0.count) }
    }

    private static func pairs(
        of texts: [[UInt8]],
        changing key: String,
        _ change: (JSON?) -> JSON
    ) throws -> [Pair] {
        try texts.map { text in
            let old = try JSON(parsing: text.span)
            guard var members = old.object else {
                throw BenchFailure("a document is not an object")
            }
            members[key] = change(members[key])
            let new = JSON.object(members)
            return Pair(
                old: try old.canonicalBytes(),
                new: try new.canonicalBytes(),
                delta: try JSONDelta.make(from: old, to: new).canonicalBytes()
            )
        }
    }
}
