/// The position of a string's content, without its quotes.
struct StringToken {
    let start: Int
    let end: Int
    let hasEscapes: Bool
    /// Whether the content is known to be ASCII; it may be ASCII even if this is false.
    let isASCII: Bool

    var byteCount: Int { end &- start }
}

extension Lexer {
    /// Reads the string whose opening quote is at `position`; it is then valid UTF-8 and all
    /// its escapes are valid.
    @inline(__always)
    mutating func scanString() throws(JSONError.Reason) -> StringToken {
        position &+= 1
        let start = position
        skipPlainRun()
        guard position < end else { throw .unexpectedEnd }
        if base[position] == UInt8(ascii: "\"") {
            let token = StringToken(start: start, end: position, hasEscapes: false, isASCII: true)
            position &+= 1
            return token
        }
        return try scanSpecialString(from: start)
    }

    /// Continues a string at its first byte that is neither plain ASCII nor the closing quote.
    private mutating func scanSpecialString(
        from start: Int
    ) throws(JSONError.Reason) -> StringToken {
        var hasEscapes = false
        while position < end {
            switch base[position] {
            case UInt8(ascii: "\""):
                position += 1
                return StringToken(
                    start: start,
                    end: position - 1,
                    hasEscapes: hasEscapes,
                    isASCII: false
                )
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try scanEscape()
            case 0x7F:
                isCanonical = false
                position += 1
            case 0x80...: try scanMultibyteRun()
            case let byte: throw .controlCharacter(byte)
            }
            skipPlainRun()
        }
        throw .unexpectedEnd
    }

    @inline(__always)
    private mutating func skipPlainRun() {
        position = PlainRun.end(from: position, in: base, end)
    }

    /// Checks characters beyond ASCII up to the next ASCII one (RFC 3629 §4).
    private mutating func scanMultibyteRun() throws(JSONError.Reason) {
        while position < end, base[position] >= 0x80 {
            let secondRange: ClosedRange<UInt8>
            let byteCount: Int
            switch base[position] {
            case 0xC2...0xDF: (secondRange, byteCount) = (0x80...0xBF, 2)
            case 0xE0: (secondRange, byteCount) = (0xA0...0xBF, 3)
            case 0xED: (secondRange, byteCount) = (0x80...0x9F, 3)
            case 0xE1...0xEF: (secondRange, byteCount) = (0x80...0xBF, 3)
            case 0xF0: (secondRange, byteCount) = (0x90...0xBF, 4)
            case 0xF1...0xF3: (secondRange, byteCount) = (0x80...0xBF, 4)
            case 0xF4: (secondRange, byteCount) = (0x80...0x8F, 4)
            default: throw .invalidUTF8
            }
            guard position + byteCount <= end, secondRange.contains(base[position + 1]),
                byteCount < 3 || base[position + 2] & 0xC0 == 0x80,
                byteCount < 4 || base[position + 3] & 0xC0 == 0x80
            else { throw .invalidUTF8 }
            position += byteCount
        }
    }

    /// Reads one escape; a `\u` of a high surrogate includes the low one.
    private mutating func scanEscape() throws(JSONError.Reason) {
        guard position + 1 < end else { throw .unexpectedEnd }
        switch base[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "n"), UInt8(ascii: "r"),
            UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"):
            isCanonical = false
            position += 2
        case UInt8(ascii: "u"): try scanUnicodeEscape()
        default: throw .invalidEscape
        }
    }

    private mutating func scanUnicodeEscape() throws(JSONError.Reason) {
        let first = try codeUnit(at: position)
        switch first {
        case 0xD800..<0xDC00:
            isCanonical = false
            guard position + 7 < end, base[position + 6] == UInt8(ascii: "\\"),
                base[position + 7] == UInt8(ascii: "u")
            else { throw .loneSurrogate }
            guard case 0xDC00..<0xE000 = try codeUnit(at: position + 6) else {
                throw .loneSurrogate
            }
            position += 12
        case 0xDC00..<0xE000: throw .loneSurrogate
        default:
            if !isCanonicalEscape(of: first) { isCanonical = false }
            position += 6
        }
    }

    /// Whether the escape at `position` is the canonical spelling: `\u00xx`, lower case, of a
    /// control character that has no short escape.
    private func isCanonicalEscape(of codeUnit: UInt16) -> Bool {
        switch codeUnit {
        case 0x09, 0x0A, 0x0D: false
        case 0..<0x20, 0x7F: !(0x41...0x46).contains(base[position + 5])
        default: false
        }
    }

    /// The value of the `\uXXXX` that starts at `offset`.
    func codeUnit(at offset: Int) throws(JSONError.Reason) -> UInt16 {
        guard offset + 6 <= end else { throw .unexpectedEnd }
        var value: UInt16 = 0
        for index in offset + 2..<offset + 6 {
            guard let digit = Character(UnicodeScalar(base[index])).hexDigitValue else {
                throw .invalidEscape
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }
}
