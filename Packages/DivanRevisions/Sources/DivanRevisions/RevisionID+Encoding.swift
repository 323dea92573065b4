extension RevisionID {
    /// Parses the bytes that `encode(into:)` writes; `nil` for any others.
    public init?(encoded bytes: Span<UInt8>) {
        var reader = ByteReader(bytes)
        guard let generation = try? reader.readNumber() else { return nil }
        self.init(
            generation: generation,
            digestBytes: bytes.extracting(droppingFirst: reader.offset)
        )
        // A varint with needless bytes would be a second spelling of the same ID.
        guard encodedByteCount == bytes.count else { return nil }
    }

    /// Appends the compact form: the generation as a varint, then the digest's bytes.
    ///
    /// The first byte is never 0, which is left to IDs of another kind (`revisions.md` §12).
    public func encode(into output: inout [UInt8]) {
        output.appendNumber(generation)
        appendDigestBytes(to: &output)
    }

    /// The compact form.
    public var encoded: [UInt8] {
        var output: [UInt8] = []
        encode(into: &output)
        return output
    }

    /// Bytes in the compact form: 2 to 49.
    var encodedByteCount: Int {
        (UInt64.bitWidth - generation.leadingZeroBitCount + 6) / 7 + digestByteCount
    }
}
