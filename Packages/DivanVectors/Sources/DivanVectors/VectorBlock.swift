/// Codes of several vectors, as they are stored in one row of a table.
///
/// After the head of `CheckedBytes`: the kind of the encoding (1), its bits (1), padding (1), the number of codes (4),
/// and the codes, one after another. A block is checked when it is read from a file; the codes in it are then scanned
/// where they are, without a copy.
public enum VectorBlock {
    /// The number of bytes before the first code.
    public static let headByteCount = CheckedBytes.headByteCount + 7

    /// Returns a block.
    ///
    /// - Parameters:
    ///   - codes: Codes of the codec, one after another.
    ///   - codec: The codec that wrote them.
    /// - Returns: The bytes of the block.
    /// - Throws: `VectorError.damaged` if the codes have another length.
    public static func make(
        _ codes: RawSpan,
        of codec: VectorCodec
    ) throws(VectorError) -> [UInt8] {
        guard codes.byteCount.isMultiple(of: codec.codeByteCount) else {
            throw .damaged(
                "\(codes.byteCount) is not a multiple of the code size \(codec.codeByteCount)"
            )
        }
        return CheckedBytes.make { bytes in
            bytes += [codec.encoding.kind, codec.encoding.bits, 0]
            bytes.append(number: UInt32(codes.byteCount / codec.codeByteCount))
            codes.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
    }

    /// Checks a block, and returns where its codes are.
    ///
    /// - Parameters:
    ///   - block: What `make` returned.
    ///   - codec: The codec that wrote the codes.
    /// - Returns: The positions of the codes' bytes, one code after another.
    /// - Throws: `VectorError.damaged` for any other bytes, or codes of another encoding or length.
    public static func codes(
        in block: RawSpan,
        of codec: VectorCodec
    ) throws(VectorError) -> Range<Int> {
        let start = CheckedBytes.headByteCount
        try CheckedBytes.check(block, atLeast: headByteCount - start)
        guard block.byte(at: start) == codec.encoding.kind,
            block.byte(at: start + 1) == codec.encoding.bits
        else { throw .damaged("the block has a different encoding") }
        let byteCount = Int(block.number(at: start + 3)) * codec.codeByteCount
        guard block.byteCount == headByteCount + byteCount else {
            throw .damaged("a block with \(byteCount) bytes of codes has \(block.byteCount) bytes")
        }
        return headByteCount..<block.byteCount
    }
}

extension Centroids {
    /// The vectors in blocks of at most 64 KiB, each a row of a table.
    public var blocks: [[UInt8]] {
        get throws(VectorError) {
            let codec = try VectorCodec(dimensions: dimensions, metric: .euclideanSquared)
            let room = VectorLimits.blockByteCount - VectorBlock.headByteCount
            var blocks: [[UInt8]] = []
            for start in stride(from: 0, to: count, by: room / codec.codeByteCount) {
                var codes: [UInt8] = []
                for vector in start..<min(start + room / codec.codeByteCount, count) {
                    try codec.encode(self[vector].span, appendingTo: &codes)
                }
                blocks.append(try VectorBlock.make(codes.span.bytes, of: codec))
            }
            return blocks
        }
    }

    /// Reads vectors from blocks.
    ///
    /// - Parameters:
    ///   - blocks: What `blocks` returned, in the same order.
    ///   - dimensions: The number of dimensions.
    /// - Throws: `VectorError.damaged` for any other bytes, `.dimensions` or `.centroids`.
    public init(blocks: [[UInt8]], dimensions: Int) throws(VectorError) {
        let codec = try VectorCodec(dimensions: dimensions, metric: .euclideanSquared)
        var rows: [Float] = []
        for block in blocks {
            let bytes = block.span.bytes
            let range = try VectorBlock.codes(in: bytes, of: codec)
            rows += bytes.extracting(range).floats(from: 0)
            guard rows.count / dimensions <= VectorLimits.centroidCount else {
                throw .centroids(rows.count / dimensions)
            }
        }
        guard rows.allSatisfy(\.isFinite) else { throw .damaged("a centroid is not finite") }
        try self.init(rows, dimensions: dimensions)
    }
}
