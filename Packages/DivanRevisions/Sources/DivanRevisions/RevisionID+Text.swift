extension RevisionID {
    /// Parses a tree ID, `generation-digest`: a decimal number from 1 without leading zeros, and an even number of
    /// lower-case hexadecimal digits; `nil` for other text.
    public init?(_ text: String) {
        self.init(utf8: text.utf8.span)
    }

    /// Parses UTF-8 text as `init(_:)` does.
    public init?(utf8 text: Span<UInt8>) {
        var generation: UInt64 = 0
        var offset = 0
        while offset < text.count, case let digit = text[offset] &- 0x30, digit <= 9 {
            // Nineteen digits fit into 64 bits.
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
            // There are 80 bytes, and no more are copied.
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

    /// The text after the dash: lower-case hexadecimal digits; empty for a version.
    public var digest: String {
        var text = [96 of UInt8](repeating: 0)
        let digitCount = 2 * digestByteCount
        writeDigest(digitCount: digitCount, into: &text, at: 0)
        return text.span.extracting(first: digitCount).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Parses a tree ID or a version; `nil` for other text.
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
        withText { text in text.withUnsafeBufferPointer { output.append(contentsOf: $0) } }
    }

    /// Passes `generation-digest`, or `time@source`, as UTF-8 to a closure; allocates nothing for a tree ID.
    public func withText<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        if let version {
            var text: [UInt8] = []
            version.appendText(to: &text)
            return body(text.span)
        }
        // A generation has at most ten digits, and a digest eighty: with the dash 91 bytes.
        var text = [96 of UInt8](repeating: 0)
        var place = 1
        var bound: UInt64 = 10
        while timestamp >= bound {
            place += 1
            bound *= 10
        }
        var rest = timestamp
        for offset in (0..<place).reversed() {
            text[offset] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        text[place] = UInt8(ascii: "-")
        let digits = 2 * digestByteCount
        writeDigest(digitCount: digits, into: &text, at: place + 1)
        return body(text.span.extracting(first: place + 1 + digits))
    }

    /// Writes whole words of digits, as far as the digest reaches.
    private func writeDigest(digitCount: Int, into text: inout [96 of UInt8], at place: Int) {
        withUnsafeMutableBytes(of: &text) { text in
            for half in 0..<10 where 8 * half < digitCount {
                let word = words[half / 2]
                let value = UInt32(truncatingIfNeeded: half % 2 == 0 ? word >> 32 : word)
                // The last of ten words ends 80 bytes after `place`, which is at most 11.
                text.storeBytes(
                    of: HexadecimalDigits(value).bytes.bigEndian,
                    toByteOffset: place + 8 * half,
                    as: UInt64.self
                )
            }
        }
    }
}

extension RevisionID: CustomStringConvertible {
    /// The text `generation-digest` or `time@source`.
    public var description: String {
        withText { text in
            text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }
}
