extension RevisionID {
    /// Parses an ID of a tree, `generation-digest`: a decimal number from 1 without leading zeros, and an even
    /// number of lower-case hexadecimal digits; `nil` for any other text.
    public init?(_ text: String) {
        self.init(utf8: text.utf8.span)
    }

    /// Parses UTF-8 text as `init(_:)` does.
    public init?(utf8 text: Span<UInt8>) {
        var generation: UInt64 = 0
        var offset = 0
        while offset < text.count, case let digit = text[offset] &- 0x30, digit <= 9 {
            // Nineteen digits fit 64 bits.
            guard offset < 19 else { return nil }
            generation = generation * 10 + UInt64(digit)
            offset += 1
        }
        guard offset > 0, text[0] != UInt8(ascii: "0"), offset < text.count,
            text[offset] == UInt8(ascii: "-")
        else { return nil }
        let digits = text.extracting(droppingFirst: offset + 1)
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * Self.maximumDigestByteCount else {
            return nil
        }
        // Padded with zeros to the longest digest.
        var text = [10 of UInt64](repeating: 0x3030_3030_3030_3030)
        withUnsafeMutableBytes(of: &text) { text in
            // 80 bytes are there, and no more are copied.
            digits.withUnsafeBytes { text.copyMemory(from: $0) }
        }
        var words = [5 of UInt64](repeating: 0)
        for index in words.indices where 16 * index < digits.count {
            let high = HexadecimalDigits(bytes: UInt64(bigEndian: text[2 * index]))
            let low = HexadecimalDigits(bytes: UInt64(bigEndian: text[2 * index + 1]))
            guard let high = high.value, let low = low.value else { return nil }
            words[index] = UInt64(high) << 32 | UInt64(low)
        }
        self.init(generation: generation, words: words, digestByteCount: digits.count / 2)
    }

    /// The text behind the dash: lower-case hexadecimal digits; empty for a version.
    public var digest: String {
        var text: [UInt8] = []
        appendDigest(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses an ID of a tree or a version; `nil` for any other text.
    public init?(ofAnyScheme text: String) {
        self.init(utf8OfAnyScheme: text.utf8.span)
    }

    /// Parses UTF-8 text as `init(ofAnyScheme:)` does.
    public init?(utf8OfAnyScheme text: Span<UInt8>) {
        if let version = Version(utf8: text) {
            self.init(version)
        } else {
            self.init(utf8: text)
        }
    }

    /// Appends `generation-digest`, or `time@source`, as UTF-8.
    public func appendText(to output: inout [UInt8]) {
        if let version { return version.appendText(to: &output) }
        output.append(contentsOf: String(generation).utf8)
        output.append(UInt8(ascii: "-"))
        appendDigest(to: &output)
    }

    private func appendDigest(to output: inout [UInt8]) {
        var text = [10 of UInt64](repeating: 0)
        for index in words.indices {
            let (high, low) = (words[index] >> 32, words[index])
            text[2 * index] = HexadecimalDigits(UInt32(high)).bytes.bigEndian
            text[2 * index + 1] = HexadecimalDigits(UInt32(truncatingIfNeeded: low)).bytes.bigEndian
        }
        // Twice as many digits as there are bytes, and there are 40 of those at most.
        withUnsafeBytes(of: text) { output.append(contentsOf: $0.prefix(2 * digestByteCount)) }
    }
}

extension RevisionID: CustomStringConvertible {
    /// The text `generation-digest` or `time@source`.
    public var description: String {
        if let version { return version.description }
        var text: [UInt8] = []
        appendText(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
