extension Lexer {
    /// The text of a scanned string.
    @inline(__always)
    func text(of token: StringToken) -> String {
        if token.hasEscapes {
            var decoded: [UInt8] = []
            decode(token, appendingTo: &decoded)
            return String(decoding: decoded, as: UTF8.self)
        }
        // The scan has proven the bytes to be UTF-8.
        let content = bytes(of: token)
        let text = UTF8Span(unchecked: content.span, isKnownASCII: token.isASCII)
        return String(copying: text)
    }

    /// The bytes between the quotes, with escapes unresolved; valid as long as the lexer's text.
    @inline(__always)
    func bytes(of token: StringToken) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + token.start, count: token.byteCount)
    }

    /// Appends a scanned string's text as UTF-8, escapes resolved.
    func decode(_ token: StringToken, appendingTo output: inout [UInt8]) {
        output.reserveCapacity(output.count + token.byteCount)
        var offset = token.start
        while offset < token.end {
            let run = UnsafeBufferPointer(start: base + offset, count: token.end - offset)
            let plain = run.prefix { $0 != UInt8(ascii: "\\") }
            output.append(contentsOf: plain)
            offset += plain.count
            if offset < token.end { offset += decodeEscape(at: offset, appendingTo: &output) }
        }
    }

    /// Appends the character of the escape at `offset`; returns the escape's length.
    func decodeEscape(at offset: Int, appendingTo output: inout [UInt8]) -> Int {
        switch base[offset + 1] {
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "u"): return decodeUnicodeEscape(at: offset, appendingTo: &output)
        case let other: output.append(other)
        }
        return 2
    }

    private func decodeUnicodeEscape(at offset: Int, appendingTo output: inout [UInt8]) -> Int {
        // The scan has checked both escapes, so neither read can fail.
        let first = UInt32((try? codeUnit(at: offset)) ?? 0)
        guard (0xD800..<0xDC00).contains(first) else {
            append(first, to: &output)
            return 6
        }
        let second = UInt32((try? codeUnit(at: offset + 6)) ?? 0)
        append(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, to: &output)
        return 12
    }

    private func append(_ codePoint: UInt32, to output: inout [UInt8]) {
        guard let scalar = UnicodeScalar(codePoint) else { return }
        output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}
