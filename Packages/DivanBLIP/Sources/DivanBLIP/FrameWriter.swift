internal import DivanCompression

/// Creates frames: header, compression, running checksum.
///
/// One for each connection, because checksum and compressor run over all frames of a direction.
struct FrameWriter {
    private let codec: any CompressionCodec
    private let grades: [any CompressionCodec]
    /// The codec's grade, from the next frame on.
    private(set) var grade: Int
    private var compressor: (any StreamCompressor)?
    private var canCompress = true
    private var checksum = Checksum()
    private var fit = (room: 0, plainByteCount: 0)  // the last answer of `plainByteCount(fitting:)`

    init(codec: any CompressionCodec) {
        self.codec = codec
        grades = codec.grades
        grade = grades.count / 2
    }

    /// Changes the grade; values outside the range are clamped.
    mutating func use(grade: Int) {
        let chosen = min(max(grade, 0), grades.count - 1)
        guard chosen != self.grade else { return }
        self.grade = chosen
        compressor = nil
    }

    /// The result of a message's turn.
    struct Outcome {
        let hasMore: Bool
        /// Bytes after the header, as flow control counts them.
        let countedByteCount: Int
    }

    /// Appends the next frame of `message`, of at most `byteCount` bytes.
    mutating func write(
        _ message: inout OutgoingMessage,
        byteCount: Int,
        into output: inout [UInt8]
    ) -> Outcome {
        let start = output.count
        appendVarint(message.number, to: &output)
        output.append(message.flags.bits)
        let payloadStart = output.count
        let flagsIndex = payloadStart - 1
        let room = byteCount - (payloadStart - start) - Wire.checksumByteCount
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
        let limit = min(plainByteCount(fitting: room), Wire.plainByteCount)
        let payloadStart = output.count
        var hasMore = false
        if message.isWhole(within: limit) {
            // Most messages: the body is read in place.
            message.takeWhole { compress($0, followedBy: $1, into: &output) }
        } else {
            var plain: [UInt8] = []
            hasMore = message.appendPlain(upTo: limit, to: &plain)
            compress(plain.span, followedBy: Span(), into: &output)
        }
        // An empty compressed frame desynchronizes Couchbase Lite (`blip.md` §4).
        if canCompress, output.count > payloadStart {
            output[flagsIndex] |= FrameFlags.compressed
        }
        return hasMore
    }

    /// Appends a payload, uncompressed if the compressor fails.
    private mutating func compress(
        _ head: Span<UInt8>,
        followedBy body: Span<UInt8>,
        into output: inout [UInt8]
    ) {
        checksum.update(head, body)
        let payloadStart = output.count
        do throws(CompressionError) {
            if compressor == nil { compressor = try grades[grade].makeCompressor() }
            try compressor?.compress(head, followedBy: body, appendingTo: &output)
        } catch {
            // The peer has not seen the lost history: from here on everything is sent uncompressed.
            canCompress = false
            output.removeLast(output.count - payloadStart)
            head.withUnsafeBufferPointer { output.append(contentsOf: $0) }
            body.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// How many uncompressed bytes are sure to fit: incompressible ones must not exceed the frame.
    private mutating func plainByteCount(fitting room: Int) -> Int {
        if fit.room != room { fit = (room, findPlainByteCount(fitting: room)) }
        return fit.plainByteCount
    }

    private func findPlainByteCount(fitting room: Int) -> Int {
        let growth = codec.maximumByteCount(for: room) - room
        guard growth > room / 2 else { return room - growth }
        // Another codec may double what it cannot compress.
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
}
