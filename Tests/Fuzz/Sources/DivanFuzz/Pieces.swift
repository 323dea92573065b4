import DivanCompression
import DivanISAL
import DivanLZ4
import DivanZlib

/// Any pieces give at most `limit` bytes each or an error, and the output can be packed and
/// unpacked again, for deflate.
enum DeflatePieces: FuzzTarget {
    static let name = "deflate-pieces"

    static func violation(of input: [UInt8]) -> String? { flaw(of: .deflate, on: input) }

    static func seeds() throws -> [[UInt8]] { try packedSeeds(.deflate) }
}

/// Any pieces give at most `limit` bytes each or an error, and the output can be packed and
/// unpacked again, for LZ4.
enum LZ4Pieces: FuzzTarget {
    static let name = "lz4-pieces"

    static func violation(of input: [UInt8]) -> String? { flaw(of: .lz4, on: input) }

    static func seeds() throws -> [[UInt8]] { try packedSeeds(.lz4) }
}

/// The same for deflate by ISA-L, if it is installed, and zlib, alternating with LZ4; besides, all
/// levels alternate at each piece and one reader follows.
enum MixedPieces: FuzzTarget {
    static let name = "mixed-pieces"
    private static let deflates: [any CompressionCodec] =
        [DeflateCodec()] + (1...3).compactMap { ISALCodec(level: $0) }
    private static let codec = MixedCodec([GradedCodec(deflates), LZ4Codec()])

    static func violation(of input: [UInt8]) -> String? {
        flaw(of: codec, on: input) ?? turnFlaw(on: input)
    }

    static func seeds() throws -> [[UInt8]] { try packedSeeds(codec) }

    private static func turnFlaw(on input: [UInt8]) -> String? {
        var reader = InputReader(input)
        do throws(CompressionError) {
            let compressors = try codec.grades.map { grade throws(CompressionError) in
                try grade.makeCompressor()
            }
            let decompressor = try codec.makeDecompressor()
            while !reader.isAtEnd {
                let turn = Int(reader.byte()) % compressors.count
                let piece = reader.piece()
                var packed: [UInt8] = []
                try compressors[turn].compress(piece.span, appendingTo: &packed)
                var plain: [UInt8] = []
                let limit = piece.count
                try decompressor.decompress(packed.span, limit: limit, appendingTo: &plain)
                if plain != piece { return "grade \(turn): \(limit) bytes come back changed" }
            }
            return nil
        } catch {
            return "grades by turns: \(error)"
        }
    }
}

private func flaw(of codec: some CompressionCodec, on input: [UInt8]) -> String? {
    var reader = InputReader(input)
    let limit = 1 << Int(reader.byte() % 18)
    do throws(CompressionError) {
        let decompressor = try codec.makeDecompressor()
        while !reader.isAtEnd {
            let packed = reader.piece()
            var plain: [UInt8] = []
            do throws(CompressionError) {
                try decompressor.decompress(packed.span, limit: limit, appendingTo: &plain)
            } catch {
                if plain.count > limit { return "\(plain.count) bytes before \(error)" }
                decompressor.reset()
                continue
            }
            if plain.count > limit { return "\(plain.count) bytes, the limit is \(limit)" }
            let again = try codec.compressed(plain.span)
            if again.count > codec.maximumByteCount(for: plain.count) {
                return "\(plain.count) bytes become \(again.count)"
            }
            if try codec.decompressed(again.span, limit: plain.count) != plain {
                return "\(plain.count) bytes come back changed"
            }
        }
        return nil
    } catch {
        return "packing or unpacking our own bytes: \(error)"
    }
}

private func packedSeeds(_ codec: some CompressionCodec) throws -> [[UInt8]] {
    let text = Array(#"{"airline":"AF","distance":2881.6,"stops":0}"#.utf8)
    let samples = [
        text, [0], Array(repeatElement(text, count: 60).joined()),
        [UInt8](repeating: 65, count: 70_000), (0..<600).map { UInt8(truncatingIfNeeded: $0 * 91) },
    ]
    let compressor = try codec.makeCompressor()
    var whole: [UInt8] = [17]
    for sample in samples {
        var packed: [UInt8] = []
        try compressor.compress(sample.span, appendingTo: &packed)
        whole += piece(packed)
    }
    let singles = try samples.map { [UInt8(17)] + piece(try codec.compressed($0.span)) }
    return singles + [whole]
}
