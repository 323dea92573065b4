internal import CDivanZlib
public import DivanCompression

/// Compresses a file as one gzip member, without a name or a time: equal contents become equal files.
///
/// Uses about 400 KB of memory.
///
/// Source: RFC 1952.
public final class GzipCompressor: FileCompressor {
    private static let codec = "gzip"

    private let deflater: OpaquePointer  // freed in `deinit`, used by one thread at a time
    private lazy var step = StepBuffer()

    /// Creates a compressor.
    ///
    /// - Parameter level: 1 (fast) to 9 (small); values outside 0...9 are clamped.
    /// - Throws: `CompressionError` with `library` if memory cannot be allocated.
    public init(level: Int = 6) throws(CompressionError) {
        guard let made = divan_deflater_make_gzip(Int32(min(max(level, 0), 9))) else {
            throw .library(codec: Self.codec, code: -4)
        }
        deflater = made
    }

    deinit {
        divan_deflater_free(deflater)
    }

    /// Appends compressed bytes; up to 400 KB of the input remain in the compressor.
    public func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard !input.isEmpty else { return }
        guard write(input, isLast: false, to: &output) == divan_zlib_done else {
            throw .library(codec: Self.codec, code: -2)
        }
    }

    /// Appends the rest, the checksum and the length.
    public func finish(appendingTo output: inout [UInt8]) throws(CompressionError) {
        let nothing: [UInt8] = []
        guard write(nothing.span, isLast: true, to: &output) == divan_zlib_ended else {
            throw .library(codec: Self.codec, code: -2)
        }
    }

    private func write(
        _ input: Span<UInt8>,
        isLast: Bool,
        to output: inout [UInt8]
    ) -> divan_zlib_step {
        // The pointers are valid within the closure; the step buffer as long as this object.
        input.withUnsafeBufferPointer { input in
            var next = input.baseAddress
            var rest = input.count
            var result = divan_zlib_more
            while result == divan_zlib_more {
                var count = 0
                result = divan_gzip(
                    deflater,
                    isLast ? 1 : 0,
                    &next,
                    &rest,
                    step.start,
                    StepBuffer.byteCount,
                    &count
                )
                output.append(contentsOf: UnsafeBufferPointer(start: step.start, count: count))
            }
            return result
        }
    }
}
