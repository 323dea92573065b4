internal import DivanCompression

/// Makes frames: header, compression, running checksum.
///
/// One for each connection, because checksum and compressor run over all frames of a direction.
struct FrameWriter {
    private let codec: any CompressionCodec
    private var compressor: (any StreamCompressor)?
    private var canCompress = true
    private var checksum = Checksum()
    private var plain: [UInt8] = []  // one frame's payload before compression

    init(codec: any CompressionCodec) {
        self.codec = codec
    }

    /// What became of a message's turn.
    struct Outcome {
        let hasMore: Bool
        /// Bytes behind the header, as flow control counts them.
        let countedByteCount: Int
    }

    /// Appends the next frame of `message`, of at most `byteCount` bytes.
    mutating func write(
        _ message: inout OutgoingMessage,
        byteCount: Int,
        into output: inout [UInt8]
    ) -> Outcome {
        let room = byteCount - varintByteCount(message.number) - 1 - Wire.checksumByteCount
        appendVarint(message.number, to: &output)
        let flagsIndex = output.count
        output.append(message.flags.bits)
        let payloadStart = output.count
        let hasMore: Bool
        if message.isCompressed, canCompress {
            hasMore = writeCompressed(&message, room: room, flagsIndex: flagsIndex, into: &output)
        } else {
            let limit = min(room, Wire.plainByteCount)
            hasMore = message.appendPlain(upTo: limit, to: &output)
            checksum.update(output.span.extracting(payloadStart..<output.count))
        }
        if hasMore { output[flagsIndex] |= FrameFlags.moreComing }
        checksum.append(to: &output)
        return Outcome(hasMore: hasMore, countedByteCount: output.count - payloadStart)
    }

    private mutating func writeCompressed(
        _ message: inout OutgoingMessage,
        room: Int,
        flagsIndex: Int,
        into output: inout [UInt8]
    ) -> Bool {
        plain.removeAll(keepingCapacity: true)
        let limit = min(plainByteCount(fitting: room), Wire.plainByteCount)
        let hasMore = message.appendPlain(upTo: limit, to: &plain)
        checksum = checksum.updated(with: plain.span)
        let payloadStart = output.count
        do throws(CompressionError) {
            let compressor = try started()
            try compressor.compress(plain.span, appendingTo: &output)
            // An empty compressed frame puts Couchbase Lite out of step (`blip.md` §4).
            if output.count > payloadStart { output[flagsIndex] |= FrameFlags.compressed }
        } catch {
            // The peer has seen none of the lost history: from here on everything goes plain.
            canCompress = false
            output.removeLast(output.count - payloadStart)
            output.append(contentsOf: plain)
        }
        return hasMore
    }

    /// How many plain bytes surely fit: those that do not get shorter must not outgrow the frame.
    private func plainByteCount(fitting room: Int) -> Int {
        let growth = codec.maximumByteCount(for: room) - room
        guard growth > room / 2 else { return room - growth }
        // A codec of somebody else's may double what it cannot make shorter.
        var (low, high) = (1, room)
        while low < high {
            let middle = (low + high + 1) / 2
            if codec.maximumByteCount(for: middle) <= room {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return low
    }

    private mutating func started() throws(CompressionError) -> any StreamCompressor {
        if let compressor { return compressor }
        let made = try codec.makeCompressor()
        compressor = made
        return made
    }
}
