/// One format, written with as much effort as a connection can afford.
///
/// All parts write the same format, such as deflate by two libraries. By default the middle one compresses, or the
/// faster of two.
public struct GradedCodec: CompressionCodec {
    /// The grades, the densest first.
    public let grades: [any CompressionCodec]

    /// Creates a codec of one or more grades, the densest first.
    ///
    /// - Precondition: `grades` is not empty.
    public init(_ grades: [any CompressionCodec]) {
        precondition(!grades.isEmpty, "GradedCodec: pass at least one codec")
        self.grades = grades
    }

    /// The name of the first.
    public var name: String { grades[0].name }

    /// Returns the largest value of the grades.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        grades.reduce(0) { max($0, $1.maximumByteCount(for: inputByteCount)) }
    }

    /// Returns the middle grade's compressing half.
    public func makeCompressor() throws(CompressionError) -> any StreamCompressor {
        try grades[grades.count / 2].makeCompressor()
    }

    /// Returns the first grade's decompressing half, which reads the output of all.
    public func makeDecompressor() throws(CompressionError) -> any StreamDecompressor {
        try grades[0].makeDecompressor()
    }
}
