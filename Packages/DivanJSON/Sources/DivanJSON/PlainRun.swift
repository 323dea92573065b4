/// A run of ordinary characters in a JSON string.
///
/// Why the pointers are valid: callers pass `end` readable bytes at `base`; a byte is read at an index
/// below `end`, and eight of them at one that is at most `end - 8`.
enum PlainRun {
    /// The position of the next quote, backslash, control character, DEL or byte beyond ASCII; `end` if
    /// there is none.
    ///
    /// Eight bytes at a time: each term below sets the top bit of a byte that is special. With the
    /// second bit inverted, control characters and the quote are the values below 0x21. A borrow or
    /// carry can set bits above a special byte, never below it, so the lowest one is correct.
    @inline(__always)
    static func end(from start: Int, in base: UnsafePointer<UInt8>, _ end: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = start
        while position <= end &- 8 {
            let bytes = eightBytes(base + position)
            let isQuoteOrControl = (bytes ^ (ones &* 0x02)) &- (ones &* 0x21)
            let isBackslash = (bytes ^ (ones &* 0x5C)) &- ones
            let isBeyond = bytes | (bytes &+ ones)
            let special = (isQuoteOrControl | isBackslash | isBeyond) & (ones &* 0x80)
            if special != 0 { return position &+ special.trailingZeroBitCount / 8 }
            position &+= 8
        }
        while position < end {
            switch base[position] {
            case 0x22, 0x5C, 0..<0x20, 0x7F...: return position
            default: position &+= 1
            }
        }
        return position
    }

    /// The eight bytes at an address, the first of them lowest.
    @inline(__always)
    static func eightBytes(_ place: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
    }
}
