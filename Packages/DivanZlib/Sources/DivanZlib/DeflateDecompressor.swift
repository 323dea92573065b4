internal import CDivanZlib
internal import DivanCompression

/// The decompressing half of one direction.
final class DeflateDecompressor: StreamDecompressor {
    private var inflater: OpaquePointer?  // freed in `deinit`, used by one thread at a time
    private lazy var step = StepBuffer()

    deinit {
        if let inflater { divan_inflater_free(inflater) }
    }

    func reset() {
        if let inflater { divan_inflater_reset(inflater) }
    }

    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        // The trailer alone would desynchronize the library (`blip.md` §4, empty frames).
        guard !input.isEmpty else { return }
        let inflater = try started()
        var room = limit
        try inflate(input, with: inflater, room: &room, limit: limit, into: &output)
        let trailer = flushTrailer
        try inflate(trailer.span, with: inflater, room: &room, limit: limit, into: &output)
    }

    private func inflate(
        _ input: Span<UInt8>,
        with inflater: OpaquePointer,
        room: inout Int,
        limit: Int,
        into output: inout [UInt8]
    ) throws(CompressionError) {
        // The pointers are valid within the closure; the step buffer as long as this object.
        let result = input.withUnsafeBufferPointer { input in
            var next = input.baseAddress
            var rest = input.count
            var result = divan_zlib_more
            while result == divan_zlib_more, room >= 0 {
                var count = 0
                let capacity = StepBuffer.byteCount
                result = divan_inflate(inflater, &next, &rest, step.start, capacity, &count)
                let kept = min(count, room)
                output.append(contentsOf: UnsafeBufferPointer(start: step.start, count: kept))
                room -= count
            }
            return result
        }
        guard room >= 0 else { throw .outputTooLarge(codec: codecName, limit: limit) }
        switch result {
        case divan_zlib_done: return
        case divan_zlib_ended: throw .corrupt(codec: codecName, detail: "unexpected end of stream")
        default:
            let detail = String(cString: divan_inflater_message(inflater))
            throw .corrupt(codec: codecName, detail: detail)
        }
    }

    private func started() throws(CompressionError) -> OpaquePointer {
        if let inflater { return inflater }
        guard let made = divan_inflater_make() else {
            throw .library(codec: codecName, code: -4)
        }
        inflater = made
        return made
    }
}
