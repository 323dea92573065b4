extension RevisionID {
    /// Parses `generation-digest`: a decimal number from 1 without leading zeros, and an even
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
        var words = [5 of UInt64](repeating: 0)
        for index in 0..<(digits.count + 15) / 16 {
            let rest = digits.extracting(droppingFirst: 16 * index)
            guard let word = word(of: rest.extracting(first: 16)) else { return nil }
            words[index] = word
        }
        self.init(generation: generation, words: words, digestByteCount: digits.count / 2)
    }

    /// The text behind the dash: lower-case hexadecimal digits.
    public var digest: String {
        var text: [UInt8] = []
        appendDigest(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends `generation-digest` as UTF-8.
    public func appendText(to output: inout [UInt8]) {
        output.append(contentsOf: String(generation).utf8)
        output.append(UInt8(ascii: "-"))
        appendDigest(to: &output)
    }

    private func appendDigest(to output: inout [UInt8]) {
        output.reserveCapacity(output.count + 2 * digestByteCount)
        for offset in 0..<digestByteCount {
            let byte = digestByte(at: offset)
            output.append(hexDigit(of: byte >> 4))
            output.append(hexDigit(of: byte & 0xF))
        }
    }
}

extension RevisionID: CustomStringConvertible {
    /// The text `generation-digest`.
    public var description: String {
        var text: [UInt8] = []
        appendText(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Up to sixteen digits as a number, as if zeros followed them.
private func word(of digits: Span<UInt8>) -> UInt64? {
    var word: UInt64 = 0
    var areDigits = true
    for index in digits.indices {
        // Which of the two it is cannot be predicted, so neither is jumped to.
        let decimal = digits[index] &- UInt8(ascii: "0")
        let letter = digits[index] &- UInt8(ascii: "a")
        areDigits = areDigits && (decimal <= 9 || letter <= 5)
        word = word << 4 | UInt64(decimal <= 9 ? decimal : letter &+ 10)
    }
    return areDigits ? word << UInt64(64 - 4 * digits.count) : nil
}

private func hexDigit(of value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
