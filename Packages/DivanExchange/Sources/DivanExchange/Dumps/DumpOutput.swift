import DivanCrypto

/// Where a dump is written.
///
/// A quarter of a megabyte is buffered at a time.
final class DumpOutput {
    private static let bufferByteCount = 1 << 18

    private let sink: ByteSink
    private var pending: [UInt8] = []
    private var hash = SHA256()

    /// Bytes written.
    private(set) var byteCount: UInt64 = 0

    init(to sink: @escaping ByteSink) {
        self.sink = sink
    }

    /// Writes a line.
    ///
    /// - Throws: `DumpDamage` for one that is too long to be read again, and any error of
    ///   writing.
    func write(_ line: DumpLine) throws {
        var lineByteCount = 0
        try line.write { piece in
            lineByteCount += piece.count
            guard lineByteCount < ExchangeLimits.lineByteCount else {
                throw DumpDamage(
                    "larger than \(ExchangeLimits.lineByteCount.inUnits) with its revisions, "
                        + "the limit of a dump",
                    hint: "put large content into blobs"
                )
            }
            try append(piece)
        }
        pending.append(UInt8(ascii: "\n"))
        byteCount += UInt64(lineByteCount) + 1
        if pending.count > Self.bufferByteCount { try flush() }
    }

    /// Adds a piece; a long one is not copied.
    private func append(_ piece: [UInt8]) throws {
        guard piece.count > Self.bufferByteCount else {
            pending += piece
            return
        }
        try flush()
        try pass(piece)
    }

    /// Ends a section; its last line has the digest of those before.
    func write(_ end: DumpEnd) throws {
        try flush()
        var end = end
        end.digest = Hex.encode(hash.finalize().span)
        hash = SHA256()
        try write(.end(end))
        try flush()
    }

    private func flush() throws {
        try pass(pending)
        pending.removeAll(keepingCapacity: true)
    }

    private func pass(_ bytes: [UInt8]) throws {
        hash.update(bytes.span)
        try sink(bytes)
    }
}
