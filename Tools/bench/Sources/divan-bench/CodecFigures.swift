import CDivanFloors
import DivanCompression
import DivanDelta
import DivanISAL
import DivanJSON
import DivanLZ4
import DivanZlib
import Foundation

/// Size and speed of the codecs on the traffic of a replication, so that a user can choose.
enum CodecFigures {
    private static let flags = "/usr/share/iso-flags-png-320x240"

    static func measure(_ documents: Documents, into report: inout Report) throws {
        let corpora = [
            ("JSON documents", Pieces(documents.bodies), 3),
            ("deltas", Pieces(try deltas(of: documents)), 20),
            ("PNG", Pieces(try images()), 1),
        ]
        for (what, pieces, rounds) in corpora {
            for (name, level, codec, bare) in codecs {
                let outcome = try Outcome(of: codec, level: level, on: pieces, rounds: rounds)
                let size = 100 * Double(outcome.packedByteCount) / Double(pieces.byteCount)
                report.add(
                    Figure(
                        name: "\(name) on \(what), to \(String(format: "%.1f", size)) %",
                        unit: "MB/s",
                        ours: outcome.packing,
                        floor: outcome.floor.packing,
                        floorName: "\(bare), pack"
                    )
                )
                report.add(
                    Figure(
                        name: "\(name) on \(what), back",
                        unit: "MB/s",
                        ours: outcome.unpacking,
                        floor: outcome.floor.unpacking,
                        floorName: "\(bare), unpack"
                    )
                )
            }
        }
    }

    /// Each with the level of its floor; zlib is also the floor of ISA-L, to compare the two.
    static let codecs: [(name: String, level: Int, codec: any CompressionCodec, floor: String)] =
        [
            ("deflate -1", 1, DeflateCodec(level: 1), "bare library"),
            ("deflate -6", 6, DeflateCodec(level: 6), "bare library"),
            ("LZ4", 0, LZ4Codec(), "bare library"),
        ]
        + (1...3).compactMap { level in
            ISALCodec(level: level).map { ("deflate by ISA-L -\(level)", 6, $0, "bare zlib -6") }
        }

    /// The deltas when each route gets another airplane and one more stop.
    private static func deltas(of documents: Documents) throws -> [[UInt8]] {
        try documents.bodies.enumerated().map { index, body in
            let old = try JSON(parsing: body.span)
            guard var members = old.object else { throw BenchFailure("a route is not an object") }
            members["equipment"] = .string("A\(300 + index % 50)")
            members["stops"] = JSON(index % 3 + 1)
            members["updated"] = .string("2026-11-\(10 + index % 20)T10:00:00Z")
            return try JSONDelta.make(from: old, to: .object(members)).canonicalBytes()
        }
    }

    private static func images() throws -> [[UInt8]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: flags)
            .filter { $0.hasSuffix(".png") }.sorted()
        return names.compactMap { FileManager.default.contents(atPath: "\(flags)/\($0)") }
            .map { Array($0) }
    }

    /// A codec's results for pieces that share one stream; speeds in megabytes of plain bytes.
    private struct Outcome {
        let packedByteCount: Int
        let packing: Double
        let unpacking: Double
        let floor: (packing: Double, unpacking: Double)

        init(
            of codec: any CompressionCodec,
            level: Int,
            on pieces: Pieces,
            rounds: Int
        ) throws {
            let bare = pieces.withFloor { floor_codec($0, rounds, Int32(level)) }
            guard bare.packing > 0 else { throw BenchFailure("a bare library failed") }
            var packed = Packed()
            let packing = try Stopwatch.bestWork(of: 1) {
                for _ in 0..<rounds { try packed.pack(pieces, codec) }
            }
            let unpacking = try Stopwatch.bestWork(of: 1) {
                for _ in 0..<rounds { try packed.unpack(pieces, codec) }
            }
            packedByteCount = packed.bytes.count
            let megabytes = Double(rounds * pieces.byteCount) / 1e6
            self.packing = megabytes / packing
            self.unpacking = megabytes / unpacking
            floor = (megabytes / bare.packing, megabytes / bare.unpacking)
        }
    }

    /// Packed pieces one after another.
    private struct Packed {
        private(set) var bytes: [UInt8] = []
        private var ends: [Int] = []

        mutating func pack(_ pieces: Pieces, _ codec: any CompressionCodec) throws {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            let compressor = try codec.makeCompressor()
            for piece in pieces.bytes {
                try compressor.compress(piece.span, appendingTo: &bytes)
                ends.append(bytes.count)
            }
        }

        func unpack(_ pieces: Pieces, _ codec: any CompressionCodec) throws {
            let decompressor = try codec.makeDecompressor()
            var plain: [UInt8] = []
            var start = 0
            for (piece, end) in zip(pieces.bytes, ends) {
                plain.removeAll(keepingCapacity: true)
                let packed = bytes.span.extracting(start..<end)
                try decompressor.decompress(packed, limit: piece.count, appendingTo: &plain)
                guard plain.count == piece.count else { throw BenchFailure("a codec lost data") }
                start = end
            }
        }
    }
}
