public import DivanCompression

/// Replaces phrases that the dictionary contains with their positions, and copies all other bytes.
///
/// A piece is a sequence of parts: a number of copied bytes, these bytes, then a position in the dictionary
/// and the number of bytes there.
public struct PhraseCodec: DictionaryCodec {
    /// Creates the codec.
    public init() {}

    /// The name that settings use.
    public var name: String { "phrases" }

    /// A position has two bytes.
    public var dictionaryByteCount: Int { 65_535 }

    /// A part of six bytes may expand to the whole dictionary.
    public func maximumPlainByteCount(for packedByteCount: Int) -> Int {
        let most = packedByteCount.multipliedReportingOverflow(by: dictionaryByteCount)
        return most.overflow ? Int.max : most.partialValue
    }

    /// Creates a coder that finds phrases of at least 8 bytes.
    public func makeCoder(dictionary: [UInt8]) -> any DictionaryCoder {
        PhraseCoder(Array(dictionary.suffix(dictionaryByteCount)))
    }
}

private final class PhraseCoder: DictionaryCoder {
    private static let phraseByteCount = 8
    private let dictionary: [UInt8]
    private var places: [ArraySlice<UInt8>: Int] = [:]

    init(_ dictionary: [UInt8]) {
        self.dictionary = dictionary
        for place in stride(from: 0, through: dictionary.count - Self.phraseByteCount, by: 1) {
            places[dictionary[place..<place + Self.phraseByteCount]] = place
        }
    }

    func pack(_ plain: Span<UInt8>, appendingTo output: inout [UInt8]) {
        let piece = plain.withUnsafeBufferPointer(Array.init)
        var (start, next) = (0, 0)
        while next < piece.count {
            let phrase = piece[next...].prefix(Self.phraseByteCount)
            let place = places[phrase]
            let count = place.map { zip(dictionary[$0...], piece[next...]).prefix(while: ==).count }
            // The lengths of a part have two bytes.
            let isFull = next - start == 65_535
            let isLast = next == piece.count - 1
            if count != nil || isFull || isLast {
                let end = count == nil && !isFull ? piece.count : next
                for number in [end - start, place ?? 0, count ?? 0] {
                    output += [UInt8(number >> 8), UInt8(number & 0xFF)]
                }
                output += piece[start..<end]
                next = end + (count ?? 0)
                start = next
            } else {
                next += 1
            }
        }
    }

    func unpack(
        _ packed: Span<UInt8>,
        into output: consuming MutableSpan<UInt8>
    ) throws(CompressionError) {
        var (next, filled) = (0, 0)
        while next < packed.count {
            guard packed.count - next >= 6 else { throw Self.corrupt("half a part") }
            let numbers = stride(from: next, to: next + 6, by: 2).map {
                Int(packed[$0]) << 8 | Int(packed[$0 + 1])
            }
            next += 6
            guard numbers[0] <= packed.count - next, numbers[1] + numbers[2] <= dictionary.count,
                numbers[0] + numbers[2] <= output.count - filled
            else { throw Self.corrupt("a part reaches too far") }
            for place in 0..<numbers[0] { output[filled + place] = packed[next + place] }
            (next, filled) = (next + numbers[0], filled + numbers[0])
            for place in 0..<numbers[2] { output[filled + place] = dictionary[numbers[1] + place] }
            filled += numbers[2]
        }
        guard filled == output.count else { throw Self.corrupt("it has another length") }
    }

    private static func corrupt(_ detail: String) -> CompressionError {
        .corrupt(codec: "phrases", detail: detail)
    }
}
