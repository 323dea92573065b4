/// The requirements for every codec, as a check for any test framework.
public enum CodecContract {
    /// Returns one sentence for each violated requirement; none if the codec is correct.
    public static func violations(of codec: some CompressionCodec) -> [String] {
        do throws(CompressionError) {
            return try roundTrip(codec) + parts(codec) + limit(codec) + reset(codec) + alone(codec)
                + turns(codec)
        } catch {
            return ["A call failed on valid bytes: \(error)."]
        }
    }

    /// Pieces are restored one by one, use no more bytes than announced, and are appended to existing output.
    private static func roundTrip(
        _ codec: some CompressionCodec
    ) throws(CompressionError) -> [String] {
        let compressor = try codec.makeCompressor()
        let decompressor = try codec.makeDecompressor()
        var violations: [String] = []
        for (index, piece) in samples.enumerated() {
            var packed: [UInt8] = [7]
            try compressor.compress(piece.span, appendingTo: &packed)
            if packed.first != 7 { violations.append("compress overwrites existing output.") }
            packed = Array(packed.dropFirst())
            if packed.count > codec.maximumByteCount(for: piece.count) {
                violations.append("Piece \(index) exceeds maximumByteCount: \(packed.count).")
            }
            var plain: [UInt8] = [7]
            try decompressor.decompress(packed.span, limit: piece.count, appendingTo: &plain)
            if plain != [7] + piece {
                violations.append("Piece \(index) is not restored unchanged.")
            }
            if piece.isEmpty, !packed.isEmpty {
                violations.append("An empty piece is compressed to \(packed.count) bytes.")
            }
        }
        return violations
    }

    /// A piece in two parts is restored as one, whichever of them is empty or longer.
    private static func parts(_ codec: some CompressionCodec) throws(CompressionError) -> [String] {
        let compressor = try codec.makeCompressor()
        let decompressor = try codec.makeDecompressor()
        var violations: [String] = []
        for (index, piece) in samples.enumerated() {
            for cut in [piece.count / 40, piece.count / 2, piece.count] {
                let (head, body) = (Array(piece[..<cut]), Array(piece[cut...]))
                var packed: [UInt8] = []
                try compressor.compress(head.span, followedBy: body.span, appendingTo: &packed)
                if packed.count > codec.maximumByteCount(for: piece.count) {
                    violations.append("Two parts exceed maximumByteCount: \(packed.count).")
                }
                var plain: [UInt8] = []
                try decompressor.decompress(packed.span, limit: piece.count, appendingTo: &plain)
                if plain != piece {
                    violations.append("Piece \(index) in two parts is not restored unchanged.")
                }
            }
        }
        return violations
    }

    private static func limit(_ codec: some CompressionCodec) throws(CompressionError) -> [String] {
        let packed = try codec.compressed([UInt8](repeating: 65, count: 100_000).span)
        var plain: [UInt8] = []
        do throws(CompressionError) {
            let decompressor = try codec.makeDecompressor()
            try decompressor.decompress(packed.span, limit: 99_999, appendingTo: &plain)
        } catch .outputTooLarge {
            return plain.count > 99_999 ? ["The output exceeded the limit before the error."] : []
        }
        return ["A piece longer than the limit is not rejected with outputTooLarge."]
    }

    private static func reset(_ codec: some CompressionCodec) throws(CompressionError) -> [String] {
        let compressor = try codec.makeCompressor()
        let decompressor = try codec.makeDecompressor()
        let text = Array(repeatElement("history ", count: 40).joined().utf8)
        var discarded: [UInt8] = []
        try compressor.compress(text.span, appendingTo: &discarded)
        compressor.reset()
        decompressor.reset()
        var packed: [UInt8] = []
        try compressor.compress(text.span, appendingTo: &packed)
        var plain: [UInt8] = []
        try decompressor.decompress(packed.span, limit: text.count, appendingTo: &plain)
        return plain == text ? [] : ["History survives reset."]
    }

    private static func alone(_ codec: some CompressionCodec) throws(CompressionError) -> [String] {
        var violations = codec.name.isEmpty ? ["The name is empty."] : []
        for piece in samples {
            let packed = try codec.compressed(piece.span)
            if try codec.decompressed(packed.span, limit: piece.count) != piece {
                violations.append("\(piece.count) bytes alone are not restored unchanged.")
            }
        }
        return violations
    }

    /// Grades alternate, and one decompressor reads them all.
    private static func turns(_ codec: some CompressionCodec) throws(CompressionError) -> [String] {
        guard !codec.grades.isEmpty else { return ["There are no grades."] }
        let decompressor = try codec.makeDecompressor()
        var violations: [String] = []
        for (number, grade) in (codec.grades + codec.grades).enumerated() {
            let compressor = try grade.makeCompressor()
            for piece in samples {
                var packed: [UInt8] = []
                try compressor.compress(piece.span, appendingTo: &packed)
                if packed.count > codec.maximumByteCount(for: piece.count) {
                    violations.append("Turn \(number) exceeds maximumByteCount: \(packed.count).")
                }
                var plain: [UInt8] = []
                try decompressor.decompress(packed.span, limit: piece.count, appendingTo: &plain)
                if plain != piece { violations.append("Turn \(number) is not restored unchanged.") }
            }
        }
        return violations
    }

    /// Short and long, compressible and not, and longer than any codec's window.
    private static var samples: [[UInt8]] {
        let text = Array(#"{"name":"Hôtel du Divan","stars":4}"#.utf8)
        let noise = unlike(count: 70_000)
        return [
            text, text, [], [0], Array(noise.prefix(16_374)), text,
            [UInt8](repeating: 0, count: 200_000), noise, noise + noise, [],
            Array(repeatElement(text, count: 300).joined()), text,
            // The start of a block that begins with noise may have left a library's window before the library decides
            // to store it.
            Array(noise.prefix(33_000)) + Array(repeatElement(text, count: 1_000).joined()),
        ]
    }

    /// Bytes without repetition (the generator of `blip_frames.json`).
    private static func unlike(count: Int) -> [UInt8] {
        var state: UInt32 = 12_345
        return (0..<count).map { _ in
            state = state &* 1_103_515_245 &+ 12_345
            return UInt8(truncatingIfNeeded: state >> 16)
        }
    }
}
