internal import CDivanZlib
internal import DivanCompression

/// The compressing half of one direction.
final class DeflateCompressor: StreamCompressor {
    private let level: Int
    private var deflater: OpaquePointer?  // freed in `deinit`, used by one thread at a time
    private lazy var step = StepBuffer()

    init(level: Int) {
        self.level = level
    }

    deinit {
        if let deflater { divan_deflater_free(deflater) }
    }

    func reset() {
        if let deflater { divan_deflater_reset(deflater) }
    }

    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard !input.isEmpty else { return }
        let deflater = try started()
        let start = output.count
        // The pointers are valid within the closure; the step buffer as long as this object.
        let isDone = input.withUnsafeBufferPointer { input in
            var next = input.baseAddress
            var rest = input.count
            var result = divan_zlib_more
            while result == divan_zlib_more {
                var count = 0
                let capacity = StepBuffer.byteCount
                result = divan_deflate(deflater, &next, &rest, step.start, capacity, &count)
                output.append(contentsOf: UnsafeBufferPointer(start: step.start, count: count))
            }
            return result == divan_zlib_done
        }
        guard isDone, output.count - start >= flushTrailer.count,
            output.suffix(flushTrailer.count).elementsEqual(flushTrailer)
        else { throw .library(codec: codecName, code: -2) }
        output.removeLast(flushTrailer.count)
    }

    private func started() throws(CompressionError) -> OpaquePointer {
        if let deflater { return deflater }
        guard let made = divan_deflater_make(Int32(level)) else {
            throw .library(codec: codecName, code: -4)
        }
        deflater = made
        return made
    }
}
