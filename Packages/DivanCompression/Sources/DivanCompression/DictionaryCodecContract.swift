/// The requirements for every codec with dictionaries, as a check for any test framework.
public enum DictionaryCodecContract {
    /// Returns one sentence for each violated requirement; none if the codec is correct.
    public static func violations(of codec: some DictionaryCodec) -> [String] {
        do throws(CompressionError) {
            var violations = codec.name.isEmpty ? ["The name is empty."] : []
            if codec.dictionaryByteCount < 1 {
                violations.append("dictionaryByteCount is less than 1.")
            }
            let made = codec.dictionary(from: samples)
            if made.count > codec.dictionaryByteCount {
                violations.append("A dictionary exceeds dictionaryByteCount: \(made.count).")
            }
            for dictionary in [made, codec.dictionary(from: [])] {
                violations += try roundTrip(codec, dictionary)
            }
            let typical = codec.dictionary(from: (0..<40).map(record))
            return try violations + gain(codec, typical) + lengths(codec, typical)
        } catch {
            return ["A call failed on valid bytes: \(error)."]
        }
    }

    /// Pieces are restored in any order, by another coder with the same dictionary.
    private static func roundTrip(
        _ codec: some DictionaryCodec,
        _ dictionary: [UInt8]
    ) throws(CompressionError) -> [String] {
        let coder = try codec.makeCoder(dictionary: dictionary)
        var violations: [String] = []
        var packed: [[UInt8]] = []
        for piece in samples {
            var output: [UInt8] = [7]
            try coder.pack(piece.span, appendingTo: &output)
            if output.first != 7 { violations.append("pack overwrites existing output.") }
            packed.append(Array(output.dropFirst()))
        }
        let other = try codec.makeCoder(dictionary: dictionary)
        for (index, piece) in samples.enumerated().reversed() {
            let most = codec.maximumPlainByteCount(for: packed[index].count)
            if most < piece.count {
                violations.append("Piece \(index) exceeds maximumPlainByteCount: \(most).")
            }
            if try unpacked(packed[index], piece.count, by: other) != piece {
                violations.append("Piece \(index) is not restored unchanged.")
            }
        }
        return violations
    }

    /// A dictionary of similar pieces makes the next one shorter.
    private static func gain(
        _ codec: some DictionaryCodec,
        _ dictionary: [UInt8]
    ) throws(CompressionError) -> [String] {
        let piece = record(41)
        var packed: [UInt8] = []
        try codec.makeCoder(dictionary: dictionary).pack(piece.span, appendingTo: &packed)
        return packed.count < piece.count / 2 ? [] : ["A dictionary does not reduce the size."]
    }

    /// A piece of another length is refused.
    private static func lengths(
        _ codec: some DictionaryCodec,
        _ dictionary: [UInt8]
    ) throws(CompressionError) -> [String] {
        let coder = try codec.makeCoder(dictionary: dictionary)
        let piece = record(1)
        var packed: [UInt8] = []
        try coder.pack(piece.span, appendingTo: &packed)
        return [piece.count - 1, piece.count + 1].compactMap { count in
            let plain = try? unpacked(packed, count, by: coder)
            return plain.map { _ in "A wrong length is accepted when unpacking a piece." }
        }
    }

    private static func unpacked(
        _ packed: [UInt8],
        _ count: Int,
        by coder: any DictionaryCoder
    ) throws(CompressionError) -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: count)
        try coder.unpack(packed.span, into: plain.mutableSpan)
        return plain
    }

    private static var samples: [[UInt8]] {
        (0..<40).map(record) + [[0], [UInt8](repeating: 65, count: 300_000)]
    }

    private static func record(_ number: Int) -> [UInt8] {
        let city = ["Oslo", "Ulm", "Zürich"][number % 3]
        return Array(
            #"{"airline":"Divan Air","city":"\#(city)","number":\#(number),"stops":[],"type":"route"}"#
                .utf8
        )
    }
}
