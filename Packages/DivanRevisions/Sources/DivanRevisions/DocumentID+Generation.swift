extension DocumentID {
    /// Whether the form of the ID is that of a generated one: by Divan or Couchbase Lite, or a random UUID.
    ///
    /// No other writer creates a document under such an ID without having received it.
    public var isGenerated: Bool {
        let text = text
        let bytes = text.utf8.span
        switch bytes.count {
        case 23: return Self.isFromCouchbaseLite(bytes)
        case 32: return Self.isFromDivan(bytes)
        case 36: return Self.isRandomUUID(bytes)
        default: return false
        }
    }

    /// A mark, then 22 characters of base64 for URLs.
    private static func isFromCouchbaseLite(_ bytes: Span<UInt8>) -> Bool {
        guard bytes[0] == UInt8(ascii: "~") || bytes[0] == UInt8(ascii: "-") else { return false }
        for index in 1..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return true
    }

    /// Hexadecimal digits that begin with a time in the years 2020 to 2052: a digest, which others may also compute
    /// for an ID, begins like that once in 280 times.
    private static func isFromDivan(_ bytes: Span<UInt8>) -> Bool {
        var milliseconds: UInt64 = 0
        for index in bytes.indices {
            guard let digit = digit(bytes[index]) else { return false }
            if index < 12 { milliseconds = milliseconds << 4 | UInt64(digit) }
        }
        return (1_577_836_800_000..<2_587_680_000_000).contains(milliseconds)
    }

    /// A UUID of version 4 or 7; the others are computed from names, or from a machine and a time.
    private static func isRandomUUID(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            let isSeparator = [8, 13, 18, 23].contains(index)
            guard isSeparator ? bytes[index] == UInt8(ascii: "-") : digit(bytes[index]) != nil
            else { return false }
        }
        return bytes[14] == UInt8(ascii: "4") || bytes[14] == UInt8(ascii: "7")
    }

    /// The value of a hexadecimal digit in either case.
    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
