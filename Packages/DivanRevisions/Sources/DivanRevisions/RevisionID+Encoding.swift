extension RevisionID {
    /// Parses the bytes that `encode(into:)` writes; `nil` for other bytes.
    public init?(encoded bytes: Span<UInt8>) {
        if bytes.count > 0, bytes[0] == 0 {
            guard let version = VersionVector.onlyVersion(encoded: bytes) else { return nil }
            self.init(version)
            return
        }
        var offset = 0
        guard let generation = try? ByteReader.readNumber(of: bytes, at: &offset) else {
            return nil
        }
        self.init(
            generation: generation,
            digestBytes: bytes.extracting(droppingFirst: offset)
        )
        // A varint with superfluous bytes would be a second spelling of the same ID.
        guard encodedByteCount == bytes.count else { return nil }
    }

    /// Appends the compact form: the generation as a varint, then the digest's bytes; or a vector
    /// of one version, which begins with a zero byte, unlike any generation.
    public func encode(into output: inout [UInt8]) {
        if let version { return VersionVector(version).encode(into: &output) }
        output.appendNumber(generation)
        appendDigestBytes(to: &output)
    }

    /// The compact form.
    public var encoded: [UInt8] {
        var output: [UInt8] = []
        encode(into: &output)
        return output
    }

    /// Bytes in the compact form: 2 to 45.
    var encodedByteCount: Int {
        if isVersion { return encoded.count }
        return (UInt64.bitWidth - generation.leadingZeroBitCount + 6) / 7 + digestByteCount
    }
}
