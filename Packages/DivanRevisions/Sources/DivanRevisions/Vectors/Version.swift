/// The ID of a revision by its time and its writer: `time@source`.
///
/// Source: `version-vectors.md` §2.
public struct Version: Hashable, Sendable {
    /// The time by the clock of the source (`HybridClock`): nanoseconds since 1970.
    ///
    /// The lowest 16 bits are a counter. Never 0; up to 2⁶⁴−1 if it has not been checked yet.
    public let time: UInt64
    /// The writer.
    public let source: SourceID

    /// Creates a version; `nil` if the time is 0.
    public init?(time: UInt64, source: SourceID) {
        guard time != 0 else { return nil }
        self.init(checked: time, source)
    }

    /// Takes a time that is known not to be 0.
    init(checked time: UInt64, _ source: SourceID) {
        self.time = time
        self.source = source
    }

    /// Parses `time@source`: up to 64 bits in hexadecimal digits of either case, and 22 characters; `nil` for other
    /// text.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - acceptsMe: Whether the source can be `*`, which peers must not send.
    public init?(utf8 text: Span<UInt8>, acceptsMe: Bool = false) {
        var (time, offset) = (UInt64(0), 0)
        while offset < text.count, let digit = Self.digit(text[offset]) {
            guard time >> 60 == 0 else { return nil }
            time = time << 4 | UInt64(digit)
            offset += 1
        }
        guard offset > 0, offset < text.count, text[offset] == UInt8(ascii: "@") else { return nil }
        let rest = text.extracting(droppingFirst: offset + 1)
        guard let source = SourceID(utf8: rest, acceptsMe: acceptsMe) else { return nil }
        self.init(time: time, source: source)
    }

    /// Parses text as `init(utf8:acceptsMe:)` does.
    public init?(_ text: String, acceptsMe: Bool = false) {
        self.init(utf8: text.utf8.span, acceptsMe: acceptsMe)
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Appends `time@source` as UTF-8: 3 to 39 bytes.
    public func appendText(to output: inout [UInt8]) {
        output.append(upTo: Self.longestText) { writeText(to: &$0, at: $1) }
    }

    /// The most bytes of text.
    static let longestText = 2 * MemoryLayout<UInt64>.size + 1 + SourceID.textByteCount

    /// Overwrites up to `longestText` bytes with the text; returns where it ends.
    private func writeText(to output: inout MutableRawSpan, at start: Int) -> Int {
        // All sixteen digits, shifted left until the first is not 0.
        let high = HexadecimalDigits(UInt32(truncatingIfNeeded: time >> 32)).bytes
        let low = HexadecimalDigits(UInt32(truncatingIfNeeded: time)).bytes
        let zeroCount = time.leadingZeroBitCount / 4
        let text = (UInt128(high) << 64 | UInt128(low)) << (8 * zeroCount)
        output.storeBytes(of: text.bigEndian, toByteOffset: start, as: UInt128.self)
        let end = start + 16 - zeroCount
        output.storeBytes(of: UInt8(ascii: "@"), toByteOffset: end, as: UInt8.self)
        return source.writeText(to: &output, at: end + 1)
    }

    /// The same version with an absolute source instead of `*`.
    public func replacingMe(by source: SourceID) -> Version {
        self.source == .me ? Version(checked: time, source) : self
    }
}

extension Version: Comparable {
    /// Whether `left` comes before `right`: by time, then by the bytes of the source.
    public static func < (left: Version, right: Version) -> Bool {
        (left.time, left.source) < (right.time, right.source)
    }
}

extension Version: CustomStringConvertible {
    /// The text `time@source`.
    public var description: String {
        var text = [39 of UInt8](repeating: 0)
        var span = text.mutableSpan
        var bytes = span.mutableBytes
        let end = writeText(to: &bytes, at: 0)
        // Everything written is ASCII.
        let written = UTF8Span(unchecked: text.span.extracting(first: end), isKnownASCII: true)
        return String(copying: written)
    }
}
