internal import CDivanZstd
public import DivanCompression

/// Compresses a file as one Zstandard frame with a checksum.
///
/// Source: RFC 8878.
public final class ZstdFileCompressor: FileCompressor {
    private static let stepByteCount = 128 << 10
    private static let codec = "zstd"

    private let writer: OpaquePointer  // freed in `deinit`, used by one thread at a time

    /// Creates a compressor; `nil` if zstd is not installed, or if memory cannot be allocated.
    ///
    /// - Parameter level: 1 (fast) to 19 (small); other values are clamped.
    public init?(level: Int = 3) {
        guard let made = divan_zstd_writer_make(Int32(min(max(level, 1), 19))) else { return nil }
        writer = made
    }

    deinit {
        divan_zstd_writer_free(writer)
    }

    /// Appends compressed bytes; some of the input remains in the compressor.
    public func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        try write(input, isLast: false, to: &output)
    }

    /// Appends the rest and the checksum.
    public func finish(appendingTo output: inout [UInt8]) throws(CompressionError) {
        let nothing: [UInt8] = []
        try write(nothing.span, isLast: true, to: &output)
    }

    private func write(
        _ input: Span<UInt8>,
        isLast: Bool,
        to output: inout [UInt8]
    ) throws(CompressionError) {
        var consumed = 0
        var result = divan_zstd_open
        repeat {
            var rest = input.count - consumed
            // Lent for the call, which writes at most `stepByteCount` bytes, and reads `input`.
            let piece = [UInt8](unsafeUninitializedCapacity: Self.stepByteCount) { room, count in
                input.extracting(consumed..<input.count).withUnsafeBufferPointer { input in
                    var next = input.baseAddress
                    result = divan_zstd_write(
                        writer,
                        isLast ? 1 : 0,
                        &next,
                        &rest,
                        room.baseAddress,
                        room.count,
                        &count
                    )
                }
            }
            consumed = input.count - rest
            output += piece
            if result == divan_zstd_failed { throw .library(codec: Self.codec, code: -1) }
        } while isLast ? result != divan_zstd_ended : consumed < input.count
    }
}
