internal import DivanCompression

/// Parses frames: header, decompression, running checksum.
///
/// One for each connection, because checksum and decompressor run over all frames of a direction.
struct FrameReader {
    private let codec: any CompressionCodec
    private var decompressor: (any StreamDecompressor)?
    private var checksum = Checksum()

    init(codec: any CompressionCodec) {
        self.codec = codec
    }

    /// Appends the uncompressed payload of a message's frame to `plain`, verified.
    ///
    /// The message already has `held` uncompressed bytes and may have `limit` in all.
    mutating func read(
        _ frame: Span<UInt8>,
        header: FrameHeader,
        held: Int,
        limit: Int,
        into plain: inout [UInt8]
    ) throws(BLIPError.Reason) {
        guard header.flags.isCompressed else {
            let payload = try readPlain(frame, header: header, room: limit - held, of: limit)
            frame.extracting(payload).withUnsafeBufferPointer { plain.append(contentsOf: $0) }
            return
        }
        let payload = try Self.payload(of: frame, header)
        try decompress(frame.extracting(payload), held: held, limit: limit, into: &plain)
        try check(plain.span, of: frame)
    }

    /// The verified position of an uncompressed frame's payload, which is read in place.
    ///
    /// It may have `room` bytes; `limit` is the maximum of its message.
    mutating func readPlain(
        _ frame: Span<UInt8>,
        header: FrameHeader,
        room: Int,
        of limit: Int
    ) throws(BLIPError.Reason) -> Range<Int> {
        let payload = try Self.payload(of: frame, header)
        guard payload.count <= room else { throw .messageTooLarge(limit: limit) }
        try check(frame.extracting(payload), of: frame)
        return payload
    }

    /// The position of a frame's payload.
    private static func payload(
        of frame: Span<UInt8>,
        _ header: FrameHeader
    ) throws(BLIPError.Reason) -> Range<Int> {
        let end = frame.count - Wire.checksumByteCount
        guard header.byteCount <= end else { throw .truncatedFrame(byteCount: frame.count) }
        return header.byteCount..<end
    }

    /// Adds a payload to the checksum, which must then equal the frame's.
    private mutating func check(
        _ plain: Span<UInt8>,
        of frame: Span<UInt8>
    ) throws(BLIPError.Reason) {
        checksum.update(plain)
        let received = Self.lastWord(of: frame)
        guard received == checksum.value else {
            throw .checksum(received: received, computed: checksum.value)
        }
    }

    /// Skips a frame of unknown type.
    ///
    /// Couchbase Lite leaves it out of its checksum and go-blip does not (`blip.md` §3); the frame's own last bytes
    /// show which of them sent it.
    mutating func skip(_ frame: Span<UInt8>, header: FrameHeader) {
        let payloadEnd = frame.count - Wire.checksumByteCount
        guard header.byteCount <= payloadEnd else { return }
        var continued = checksum
        continued.update(frame.extracting(header.byteCount..<payloadEnd))
        if continued.value == Self.lastWord(of: frame) { checksum = continued }
    }

    /// The checksum at the end of a frame of four bytes or more.
    private static func lastWord(of frame: Span<UInt8>) -> UInt32 {
        var word: UInt32 = 0
        for index in frame.count - Wire.checksumByteCount..<frame.count {
            word = word << 8 | UInt32(frame[index])
        }
        return word
    }

    private mutating func decompress(
        _ payload: Span<UInt8>,
        held: Int,
        limit: Int,
        into plain: inout [UInt8]
    ) throws(BLIPError.Reason) {
        // An empty payload has no bytes: the decompressor must not see it (`blip.md` §4).
        guard !payload.isEmpty else { return }
        do throws(CompressionError) {
            let decompressor = try started()
            try decompressor.decompress(payload, limit: limit - held, appendingTo: &plain)
        } catch .outputTooLarge {
            throw .messageTooLarge(limit: limit)
        } catch {
            throw .compression(error.description)
        }
    }

    private mutating func started() throws(CompressionError) -> any StreamDecompressor {
        if let decompressor { return decompressor }
        let made = try codec.makeDecompressor()
        decompressor = made
        return made
    }
}
