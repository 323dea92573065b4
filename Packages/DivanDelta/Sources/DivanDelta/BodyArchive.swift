public import DivanCompression
import DivanJSON

/// Stores old bodies in few bytes: as the delta from a given body, compressed, or both, whichever is shortest.
///
/// The codec is a setting; each compressed body contains the number of its codec, so bodies remain readable when
/// the setting changes. Can be used from any thread; it keeps a codec's memory between calls.
///
/// A body that begins with a byte below 0x80, as all JSON text does, is stored unchanged if compression does not
/// make it shorter. A packed body begins with the byte `0x80 + 0x40 if it is a delta + the codec's number, 0 for
/// none`.
public struct BodyArchive: Sendable {
    /// A codec with its number in packed bodies.
    public typealias NumberedCodec = DivanDelta.NumberedCodec

    /// Only deltas, without compression.
    public static let deltas = BodyArchive(packing: nil)

    /// The codecs that Divan databases use, with their numbers.
    public enum Bundled: UInt8, CaseIterable, Sendable {
        /// Raw DEFLATE, which is smaller.
        case deflate = 1
        /// LZ4, which is faster.
        case lz4 = 2
    }

    private let packer: CodecPool?
    private let readers: [CodecPool]

    /// Creates an archive.
    ///
    /// - Parameters:
    ///   - packing: The codec for new bodies; `nil` disables compression.
    ///   - reading: The codecs of earlier bodies.
    public init(packing: NumberedCodec?, reading: [NumberedCodec] = []) {
        let readers = reading.map(CodecPool.init)
        let known = readers.first { $0.codec.number == packing?.number }
        packer = known ?? packing.map(CodecPool.init)
        self.readers = readers + (known == nil ? packer.map { [$0] } ?? [] : [])
    }

    /// Creates the archive of Divan databases, which reads bodies of both codecs.
    ///
    /// - Parameters:
    ///   - packing: The codec for new bodies; `nil` disables compression.
    ///   - deflate: The codec of number 1.
    ///   - lz4: The codec of number 2.
    public init(
        packing: Bundled?,
        deflate: any CompressionCodec,
        lz4: any CompressionCodec
    ) {
        let codecs = [
            NumberedCodec(number: Bundled.deflate.rawValue, codec: deflate),
            NumberedCodec(number: Bundled.lz4.rawValue, codec: lz4),
        ].compactMap(\.self)
        self.init(packing: codecs.first { $0.number == packing?.rawValue }, reading: codecs)
    }

    /// The shortest form of a body.
    ///
    /// - Parameters:
    ///   - body: Any bytes; deltas are created only for JSON.
    ///   - base: The base that is also passed to `unpacked`, such as the document's current body.
    /// - Returns: At most one byte more than `body`.
    public func packed(_ body: [UInt8], beside base: [UInt8]) -> [UInt8] {
        let delta = Self.delta(from: base, to: body)
        let plain = delta ?? body
        let head = Self.isPacked | (delta == nil ? 0 : Self.isDelta)
        let mustPack = body.first.map { $0 >= Self.isPacked } ?? false
        // For shorter bodies a codec's own overhead exceeds what it saves.
        if let packer, plain.count >= 64,
            let short = packer.compressed(plain, after: head | packer.codec.number),
            short.count <= plain.count, mustPack || short.count < body.count
        {
            return short
        }
        return mustPack || plain.count + 1 < body.count ? [head] + plain : body
    }

    /// The body that was passed to `packed`.
    ///
    /// - Parameters:
    ///   - bytes: The result of `packed`, with any codec that this archive reads.
    ///   - base: The base that was passed to `packed`.
    ///   - limit: The maximum decompressed size.
    /// - Returns: The original body.
    /// - Throws: `BodyArchiveError`.
    public func unpacked(
        _ bytes: [UInt8],
        beside base: [UInt8],
        limit: Int
    ) throws(BodyArchiveError) -> [UInt8] {
        guard let head = bytes.first, head & Self.isPacked != 0 else { return bytes }
        let plain = try decompressed(bytes, by: head & 0x3F, limit: limit)
        guard head & Self.isDelta != 0 else { return plain }
        do {
            let delta = try JSON(parsing: plain.span)
            return try JSONDelta.apply(delta, to: JSON(parsing: base.span)).canonicalBytes()
        } catch {
            throw .damaged("\(error)")
        }
    }

    /// What follows the first byte, decompressed by the codec of a number.
    private func decompressed(
        _ bytes: [UInt8],
        by number: UInt8,
        limit: Int
    ) throws(BodyArchiveError) -> [UInt8] {
        guard number != 0 else { return Array(bytes.dropFirst()) }
        guard let reader = readers.first(where: { $0.codec.number == number }) else {
            throw .unknownCodec(number: number)
        }
        return try reader.decompressed(bytes, from: 1, limit: limit)
    }

    private static let isPacked: UInt8 = 0x80
    private static let isDelta: UInt8 = 0x40

    /// Whether bytes are a packed body that can be unpacked without a base.
    ///
    /// They stay valid when the base changes, and need not be packed again.
    public static func isPackedAlone(_ bytes: [UInt8]) -> Bool {
        bytes.first.map { $0 & (isPacked | isDelta) == isPacked } ?? false
    }

    /// A delta that reproduces exactly these bytes, and takes at most half of them.
    ///
    /// This is verified, as a body received from a peer need not be canonical.
    private static func delta(from base: [UInt8], to body: [UInt8]) -> [UInt8]? {
        guard JSONDelta.bodyByteCounts.contains(body.count),
            base.count <= JSONDelta.bodyByteCounts.upperBound
        else { return nil }
        do {
            let old = try JSON(parsing: base.span)
            let delta = JSONDelta.make(from: old, to: try JSON(parsing: body.span))
            let text = try delta.canonicalBytes()
            guard text.count * 2 <= body.count else { return nil }
            let result = try JSONDelta.apply(JSON(parsing: text.span), to: old)
            return try result.canonicalBytes() == body ? text : nil
        } catch {
            // Not JSON, or nothing that a delta can express: the body is kept whole.
            return nil
        }
    }
}
