/// One format with several compression levels, between which a connection switches.
///
/// All levels write the same format, such as deflate by two libraries. The default is the middle level, or the
/// faster of two.
public struct GradedCodec: CompressionCodec {
    /// The levels, the densest first.
    public let grades: [any CompressionCodec]

    /// Creates a codec from one or more levels, the densest first.
    ///
    /// - Precondition: `grades` is not empty.
    public init(_ grades: [any CompressionCodec]) {
        precondition(!grades.isEmpty, "GradedCodec: pass at least one codec")
        self.grades = grades
    }

    /// The name of the first level.
    public var name: String { grades[0].name }

    /// Returns the maximum of all levels.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        grades.reduce(0) { max($0, $1.maximumByteCount(for: inputByteCount)) }
    }

    /// Returns the compressor of the middle level.
    public func makeCompressor() throws(CompressionError) -> any StreamCompressor {
        try grades[grades.count / 2].makeCompressor()
    }

    /// Returns the decompressor of the first level, which reads the output of all levels.
    public func makeDecompressor() throws(CompressionError) -> any StreamDecompressor {
        try grades[0].makeDecompressor()
    }
}
