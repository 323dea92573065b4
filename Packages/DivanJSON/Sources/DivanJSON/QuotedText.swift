extension OutputBuffer {
    /// Appends UTF-8 text in quotes with the canonical escapes (`revisions.md` §2).
    ///
    /// Room for a text without escapes, its quotes and a comma or colon is made in one step.
    @inline(__always)
    mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, afterComma: Bool) {
        reserve(text.count + 12)
        if afterComma { appendReserved(UInt8(ascii: ",")) }
        appendReserved(UInt8(ascii: "\""))
        if !appendPlain(text) {
            appendEscaped(text)
            reserve(2)
        }
        appendReserved(UInt8(ascii: "\""))
    }

    /// Appends UTF-8 text without quotes, with the canonical escapes.
    mutating func appendContent(_ text: UnsafeBufferPointer<UInt8>) {
        // A short text is stored as eight bytes.
        reserve(text.count + 8)
        if !appendPlain(text) { appendEscaped(text) }
    }

    /// Appends text that needs no escapes, and returns whether it was such.
    ///
    /// Eight bytes at a time, the last eight possibly overlapping. The loads are valid because they are in the
    /// text, the stores because there is room for eight bytes more than it has.
    @inline(__always)
    private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var special: UInt64 = 0
        if bytes.count < 8 {
            let word = bytes.shortWord
            special = (word | plainWord &<< UInt64(8 &* bytes.count)).bytesToEscape
            store(word, at: 0)
        } else {
            let last = bytes.count &- 8
            var offset = 0
            while offset < last {
                let word = bytes.word(at: offset)
                special |= word.bytesToEscape
                store(word, at: offset)
                offset &+= 8
            }
            let word = bytes.word(at: last)
            special |= word.bytesToEscape
            store(word, at: last)
        }
        guard special == 0 else { return false }
        advance(by: bytes.count)
        return true
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

/// Eight bytes that need no escape.
private let plainWord: UInt64 = 0x6161_6161_6161_6161

extension UInt64 {
    /// The top bit of each byte that needs an escape, and perhaps of some bytes above it.
    ///
    /// A borrow can set bits above a byte that needs one, never below it: the lowest bit is correct, and
    /// none is set if no byte needs an escape.
    @inline(__always)
    fileprivate var bytesToEscape: UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = self ^ (ones &* 0x22)
        let backslash = self ^ (ones &* 0x5C)
        let delete = self ^ (ones &* 0x7F)
        let isQuote = (quote &- ones) & ~quote
        let isBackslash = (backslash &- ones) & ~backslash
        let isDelete = (delete &- ones) & ~delete
        let isControl = (self &- (ones &* 0x20)) & ~self
        return (isQuote | isBackslash | isDelete | isControl) & (ones &* 0x80)
    }
}

extension UnsafeRawBufferPointer {
    /// Eight bytes, the first one lowest; they are inside the buffer.
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// All bytes of a buffer of fewer than eight, the first one lowest.
    @inline(__always)
    fileprivate var shortWord: UInt64 {
        if count >= 4 {
            let first = UInt32(littleEndian: loadUnaligned(as: UInt32.self))
            let last = UInt32(
                littleEndian: loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            )
            return UInt64(first) | UInt64(last) &<< UInt64(8 &* (count &- 4))
        }
        if count >= 2 {
            let first = UInt16(littleEndian: loadUnaligned(as: UInt16.self))
            return UInt64(first) | UInt64(self[count &- 1]) &<< UInt64(8 &* (count &- 1))
        }
        return count == 1 ? UInt64(self[0]) : 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of bytes starting at `start` that need no escape.
    @inline(__always)
    fileprivate func plainPrefixCount(from start: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(self)
        var offset = start
        while offset <= count - 8 {
            let special = bytes.word(at: offset).bytesToEscape
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
