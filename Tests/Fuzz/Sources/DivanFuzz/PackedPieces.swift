import DivanCompression
import DivanLZ4
import DivanZstd

/// Any bytes with any dictionary fill the space that they claim and nothing outside it, the same each time,
/// or are refused as corrupt; and the output, like any piece, can be packed and unpacked again.
///
/// An input is the source of the dictionary, the length that the piece claims, the dictionary, and the
/// piece: that of a packed body at rest, after its head. Here LZ4 reads it.
enum PackedPieces: FuzzTarget {
    static let name = "packed-pieces"
    private static let kind = PieceKind(LZ4DictionaryCodec())

    static func violation(of input: [UInt8]) -> String? { kind.violation(of: input) }

    static func seeds() throws -> [[UInt8]] { try kind.seeds() }
}

/// The same for zstd, if it is installed: also for dictionaries that it refuses.
enum ZstdPieces: FuzzTarget {
    static let name = "zstd-pieces"
    private static let kind = ZstdDictionaryCodec().map { PieceKind($0) }

    static func violation(of input: [UInt8]) -> String? { kind?.violation(of: input) }

    static func seeds() throws -> [[UInt8]] { try kind?.seeds() ?? [[]] }
}

/// Pieces of one codec.
private struct PieceKind {
    private let codec: any DictionaryCodec
    private let typical: [UInt8]
    private let longestPiece = 1 << 20

    init(_ codec: any DictionaryCodec) {
        self.codec = codec
        typical = codec.dictionary(from: routes(0..<200))
    }

    func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let source = reader.byte()
        let claimed = reader.count() | Int(reader.byte()) << 16
        let given = reader.piece()
        let packed = reader.remainder()
        let dictionary = source & 1 == 0 ? typical : given
        // A dictionary is used, or refused as corrupt.
        guard let coder = try? codec.makeCoder(dictionary: dictionary) else {
            return source & 1 == 0 ? "the dictionary of our own is refused" : nil
        }
        do throws(CompressionError) {
            // Like a reader of bodies before it allocates memory.
            let most = min(codec.maximumPlainByteCount(for: packed.count), longestPiece)
            if (1...max(1, most)).contains(claimed) {
                let other = try codec.makeCoder(dictionary: dictionary)
                if let flaw = unpackingFlaw(packed, claimed, coder, other) { return flaw }
            }
            return packed.isEmpty ? nil : try packingFlaw(packed, by: coder)
        } catch {
            return "with our own bytes: \(error)"
        }
    }

    private func unpackingFlaw(
        _ packed: [UInt8],
        _ count: Int,
        _ coder: any DictionaryCoder,
        _ other: any DictionaryCoder
    ) -> String? {
        do throws(CompressionError) {
            let plain = try guarded(packed, count, by: coder)
            guard plain.isGuardWhole else { return "\(count) bytes are written beyond the room" }
            if try guarded(packed, count, by: other).bytes != plain.bytes {
                return "\(count) bytes are not the same the second time"
            }
            return try packingFlaw(plain.bytes, by: coder)
        } catch {
            guard case .corrupt = error else { return "refused as \(error)" }
            return nil
        }
    }

    /// A piece between bytes that must not be touched.
    private func guarded(
        _ packed: [UInt8],
        _ count: Int,
        by coder: any DictionaryCoder
    ) throws(CompressionError) -> (bytes: [UInt8], isGuardWhole: Bool) {
        let (margin, filler) = (64, UInt8(0xA5))
        var room = [UInt8](repeating: filler, count: count + 2 * margin)
        // Borrowed for the call; the span ends with it.
        try room.withUnsafeMutableBufferPointer { room throws(CompressionError) in
            let middle = room.extracting(margin..<margin + count)
            try coder.unpack(packed.span, into: middle.mutableSpan)
        }
        let isWhole = (room.prefix(margin) + room.suffix(margin)).allSatisfy { $0 == filler }
        return (Array(room[margin..<margin + count]), isWhole)
    }

    private func packingFlaw(
        _ plain: [UInt8],
        by coder: any DictionaryCoder
    ) throws(CompressionError) -> String? {
        var packed: [UInt8] = []
        do throws(CompressionError) {
            try coder.pack(plain.span, appendingTo: &packed)
        } catch {
            // A dictionary that can be read with may not be one to write with; its collection's bodies stay plain.
            guard case .library = error else { return "not compressed: \(error)" }
            return nil
        }
        if codec.maximumPlainByteCount(for: packed.count) < plain.count {
            return "\(plain.count) bytes become \(packed.count), which a reader refuses"
        }
        if try guarded(packed, plain.count, by: coder).bytes != plain {
            return "\(plain.count) bytes come back changed"
        }
        return nil
    }

    func seeds() throws -> [[UInt8]] {
        let small = codec.dictionary(from: routes(0..<2))
        let pieces =
            routes(300..<303) + [[0], [UInt8](repeating: 65, count: 20_000), Array("{}".utf8)]
        var seeds: [[UInt8]] = [[], [1, 8, 0, 0, 0, 0, 0x80]]
        for (source, dictionary) in [(UInt8(0), typical), (1, small), (1, [])] {
            let coder = try codec.makeCoder(dictionary: dictionary)
            for plain in pieces {
                var packed: [UInt8] = []
                try coder.pack(plain.span, appendingTo: &packed)
                let count = [UInt8(plain.count & 255), UInt8(plain.count >> 8 & 255), 0]
                seeds.append([source] + count + piece(source == 0 ? [] : dictionary) + packed)
            }
        }
        return seeds
    }
}

/// Bodies that repeat each other's keys and values.
func routes(_ numbers: Range<Int>) -> [[UInt8]] {
    numbers.map { number in
        let stops = (0..<6).map { day in
            #"{"day":\#(day),"flight":"DV\#(100 + number * 7 % 900)","utc":"\#(10 + day):05:00"}"#
        }
        let city = ["Zürich", "Oslo", "東京"][number % 3]
        return Array(
            (#"{"airline":"Divan Air","city":"\#(city)","number":\#(number),"schedule":["#
                + stops.joined(separator: ",") + #"],"type":"route"}"#).utf8
        )
    }
}
