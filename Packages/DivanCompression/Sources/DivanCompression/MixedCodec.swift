/// Several formats in one stream: each piece begins with a byte that identifies its format.
///
/// For peers that support all of them and determine during the connection which format suits the network and the
/// processors. Its levels are those of all formats, so a sender switches formats in the same way as levels of one
/// format. Empty input results in an empty piece.
public struct MixedCodec: CompressionCodec {
    private let formats: [any CompressionCodec]

    /// `"mixed"`.
    public let name = "mixed"

    /// Creates a codec of 1 to 256 formats, the densest first; both sides need the same formats in the same order.
    ///
    /// - Precondition: `formats` has 1 to 256 members.
    public init(_ formats: [any CompressionCodec]) {
        precondition((1...256).contains(formats.count), "MixedCodec: pass 1 to 256 formats")
        self.formats = formats
    }

    /// The levels of the formats, one format after the other.
    public var grades: [any CompressionCodec] {
        formats.enumerated().flatMap { number, format in
            format.grades.map { TaggedCodec(grade: $0, tag: UInt8(number), whole: self) }
        }
    }

    /// Returns the maximum of all formats, plus one.
    public func maximumByteCount(for inputByteCount: Int) -> Int {
        guard inputByteCount > 0 else { return 0 }
        return 1 + formats.reduce(0) { max($0, $1.maximumByteCount(for: inputByteCount)) }
    }

    /// Returns the compressor of the middle level.
    public func makeCompressor() throws(CompressionError) -> any StreamCompressor {
        let grades = grades
        return try grades[grades.count / 2].makeCompressor()
    }

    /// Returns a decompressor that contains a decompressor for each format received so far.
    public func makeDecompressor() throws(CompressionError) -> any StreamDecompressor {
        MixedDecompressor(formats: formats)
    }
}

/// One grade of one format within a mixed stream.
private struct TaggedCodec: CompressionCodec {
    let grade: any CompressionCodec
    let tag: UInt8
    let whole: MixedCodec

    var name: String { grade.name }

    func maximumByteCount(for inputByteCount: Int) -> Int {
        inputByteCount == 0 ? 0 : 1 + grade.maximumByteCount(for: inputByteCount)
    }

    func makeCompressor() throws(CompressionError) -> any StreamCompressor {
        TaggedCompressor(inner: try grade.makeCompressor(), tag: tag)
    }

    func makeDecompressor() throws(CompressionError) -> any StreamDecompressor {
        try whole.makeDecompressor()
    }
}

private final class TaggedCompressor: StreamCompressor {
    private let inner: any StreamCompressor
    private let tag: UInt8

    init(inner: any StreamCompressor, tag: UInt8) {
        self.inner = inner
        self.tag = tag
    }

    func reset() { inner.reset() }

    func compress(
        _ input: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        try compress(input, followedBy: Span(), appendingTo: &output)
    }

    func compress(
        _ head: Span<UInt8>,
        followedBy body: Span<UInt8>,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard !head.isEmpty || !body.isEmpty else { return }
        output.append(tag)
        try inner.compress(head, followedBy: body, appendingTo: &output)
    }
}

private final class MixedDecompressor: StreamDecompressor {
    private let formats: [any CompressionCodec]
    private var halves: [(any StreamDecompressor)?]

    init(formats: [any CompressionCodec]) {
        self.formats = formats
        halves = Array(repeating: nil, count: formats.count)
    }

    func reset() {
        for half in halves { half?.reset() }
    }

    func decompress(
        _ input: Span<UInt8>,
        limit: Int,
        appendingTo output: inout [UInt8]
    ) throws(CompressionError) {
        guard !input.isEmpty else { return }
        let tag = Int(input[0])
        guard tag < formats.count else {
            throw .corrupt(codec: "mixed", detail: "unknown format \(tag)")
        }
        if halves[tag] == nil { halves[tag] = try formats[tag].makeDecompressor() }
        try halves[tag]?.decompress(input.extracting(1...), limit: limit, appendingTo: &output)
    }
}
