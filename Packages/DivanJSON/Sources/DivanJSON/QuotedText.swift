extension OutputBuffer {
    /// Appends UTF-8 text in quotes with the canonical escapes (`revisions.md` §2).
    @inline(__always)
    mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        let plainCount = text.plainPrefixCount(from: 0)
        if plainCount == text.count {
            append(text)
        } else {
            appendEscaped(text)
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var offset = 0
        while offset < text.count {
            let plainCount = text.plainPrefixCount(from: offset)
            append(UnsafeBufferPointer(rebasing: text[offset..<offset + plainCount]))
            offset += plainCount
            if offset < text.count {
                appendEscape(of: text[offset])
                offset += 1
            }
        }
    }

    private mutating func appendEscape(of byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x09: append(UInt8(ascii: "t"))
        default:
            append("u00")
            appendHexDigit(byte >> 4)
            appendHexDigit(byte & 0xF)
        }
    }

    private mutating func appendHexDigit(_ value: UInt8) {
        append(value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many bytes from `start` on need no escape.
    ///
    /// Eight at a time, as in the lexer: each term sets the top bit of a byte that needs one. The
    /// load is right because eight bytes are left in the buffer where it happens.
    @inline(__always)
    fileprivate func plainPrefixCount(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = start
        while offset <= count - 8 {
            let bytes = UInt64(
                littleEndian: UnsafeRawBufferPointer(self)
                    .loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            let quote = bytes ^ (ones &* 0x22)
            let backslash = bytes ^ (ones &* 0x5C)
            let delete = bytes ^ (ones &* 0x7F)
            let isQuote = (quote &- ones) & ~quote
            let isBackslash = (backslash &- ones) & ~backslash
            let isDelete = (delete &- ones) & ~delete
            let isControl = (bytes &- (ones &* 0x20)) & ~bytes
            let special = (isQuote | isBackslash | isDelete | isControl) & (ones &* 0x80)
            if special != 0 { return offset + special.trailingZeroBitCount / 8 - start }
            offset += 8
        }
        while offset < count {
            switch self[offset] {
            case 0x22, 0x5C, 0x7F, 0..<0x20: return offset - start
            default: offset += 1
            }
        }
        return count - start
    }
}
