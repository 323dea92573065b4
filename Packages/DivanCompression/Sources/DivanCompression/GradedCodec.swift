/// One format, made with the effort that a connection turns out to need.
///
/// All parts write the same format, such as deflate by two libraries. Without a choice the middle
/// one compresses, the faster of two.
public struct GradedCodec: CompressionCodec {
    /// The parts, the densest first.
    public let grades: [any CompressionCodec]

    /// Creates a codec of one part or more, the densest first.
    ///
    /// - Precondition: `grades` is not empty.
    public init(_ grades: [any CompressionCodec]) {
        precondition(!grades.isEmpty, "GradedCodec: pass one codec or more")
        self.grades = grades
    }

    /// The name of the first.
    public var name: String { grades[0].name }

    /// Returns the largest answer of the parts.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        grades.reduce(0) { max($0, $1.maximumByteCount(for: inputByteCount)) }
    }

    /// Returns the middle part's compressing half.
    public func makeCompressor() throws(CompressionError) -> any StreamCompressor {
        try grades[grades.count / 2].makeCompressor()
    }

    /// Returns the first part's decompressing half, which reads what any of them wrote.
    public func makeDecompressor() throws(CompressionError) -> any StreamDecompressor {
        try grades[0].makeDecompressor()
    }
}
