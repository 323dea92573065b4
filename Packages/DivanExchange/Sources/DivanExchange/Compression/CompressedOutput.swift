import DivanCompression

/// Compresses an output, and passes the compressed bytes on.
///
/// ```swift
/// let output = try CompressedOutput(.gzip, name: path, to: write)
/// try database.exportDocuments(to: output.write)
/// try output.finish()
/// ```
public final class CompressedOutput {
    private let compressor: any FileCompressor
    private let sink: ByteSink

    /// Begins an output.
    ///
    /// - Parameters:
    ///   - compression: How it is compressed.
    ///   - name: What messages call it.
    ///   - sink: Receives the compressed bytes.
    /// - Throws: `ExchangeError` with `invalid` if zstd is required and not installed; `CompressionError` if there is
    ///   no memory.
    public init(
        _ compression: FileCompression,
        name: String,
        to sink: @escaping ByteSink
    ) throws {
        compressor = try compression.makeCompressor(for: name)
        self.sink = sink
    }

    /// Compresses bytes.
    ///
    /// - Throws: `CompressionError`; errors of the sink.
    public func write(_ bytes: [UInt8]) throws {
        var packed: [UInt8] = []
        try compressor.compress(bytes.span, appendingTo: &packed)
        if !packed.isEmpty { try sink(packed) }
    }

    /// Writes the end; nothing can be written afterwards.
    ///
    /// - Throws: As ``write(_:)``.
    public func finish() throws {
        var packed: [UInt8] = []
        try compressor.finish(appendingTo: &packed)
        try sink(packed)
    }
}
