/// A writer of revisions: one database file, or one Couchbase Server bucket.
///
/// Sixteen bytes; all zeros mean this database, with the text `*`, which is used in input and older files, but
/// never sent. The text of all other IDs is 22 characters of base64, the last of which encodes two bits, so each ID
/// has exactly one text. Only `unknown` has a shorter text, by which Sync Gateway recognizes it.
///
/// Source: `version-vectors.md` §1, §2.
public struct SourceID: Hashable, Sendable {
    // The bytes from the left, eight to a word, the first byte of each word highest.
    private let high: UInt64
    private let low: UInt64

    /// This database.
    public static let me = SourceID(high: 0, low: 0)
    /// The pseudo source of converted tree IDs; its text is `Revision+Tree+Encoding`.
    public static let revisionTree = SourceID(
        high: 0x45eb_e2b2_2a27_f93a,
        low: 0xde7b_e127_7287_629e
    )

    /// The pseudo source whose time counts the deletions of a document; its text is `Deletions+For+Ordering`.
    ///
    /// Only Divan peers exchange it (`VersionVector.deletionCount`).
    public static let deletions = SourceID(
        high: 0x0de9_5eb6_2a27_b3e1,
        low: 0x68af_e3ab_75ea_e29e
    )

    /// Sync Gateway's source for documents that were written before their bucket recorded sources; its text is
    /// `Unknown+Source`.
    public static let unknown = SourceID(high: 0x5279_27a3_09fe_4a8b, low: 0xab71_e000_0000_0000)
    private static let unknownText = "Unknown+Source"

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an ID from 16 bytes, such as a database's public UUID; `nil` for any other number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for byte in bytes {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
        }
        self.init(high: high, low: low)
    }

    /// Parses the text that `appendText(to:)` writes; `nil` for other text.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - acceptsMe: Whether `*` is accepted, which peers must not send.
    public init?(utf8 text: Span<UInt8>, acceptsMe: Bool = false) {
        if text.count == 1, text[0] == UInt8(ascii: "*"), acceptsMe {
            self = .me
            return
        }
        guard text.count == Self.textByteCount else {
            guard text.isIdentical(to: Self.unknownText.utf8) else { return nil }
            self = .unknown
            return
        }
        var bits: UInt128 = 0
        for index in 0..<(Self.textByteCount - 1) {
            guard let value = Base64Digit.value(of: text[index]) else { return nil }
            bits = bits << 6 | UInt128(value)
        }
        guard let last = Base64Digit.value(of: text[Self.textByteCount - 1]), last & 0xF == 0 else {
            return nil
        }
        bits = bits << 2 | UInt128(last >> 4)
        guard bits != 0 else { return nil }
        self.init(
            high: UInt64(truncatingIfNeeded: bits >> 64),
            low: UInt64(truncatingIfNeeded: bits)
        )
    }

    /// Parses text as `init(utf8:acceptsMe:)` does.
    public init?(_ text: String, acceptsMe: Bool = false) {
        self.init(utf8: text.utf8.span, acceptsMe: acceptsMe)
    }

    static let byteCount = 16
    static let textByteCount = 22

    /// The sixteen bytes.
    public var bytes: [UInt8] {
        (0..<Self.byteCount).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> (56 - 8 * (index % 8)))
        }
    }

    /// The two words, for types that store an ID in words of their own.
    var words: (high: UInt64, low: UInt64) { (high, low) }

    /// Takes the words returned by `words`.
    init(words: (high: UInt64, low: UInt64)) {
        self.init(high: words.high, low: words.low)
    }

    /// Appends the text as UTF-8.
    public func appendText(to output: inout [UInt8]) {
        output.append(upTo: Self.textByteCount) { writeText(to: &$0, at: $1) }
    }

    /// Overwrites `textByteCount` bytes with the text; returns where it ends.
    func writeText(to output: inout MutableRawSpan, at start: Int) -> Int {
        guard self != .me else {
            output.storeBytes(of: UInt8(ascii: "*"), toByteOffset: start, as: UInt8.self)
            return start + 1
        }
        guard self != .unknown else {
            var end = start
            for byte in Self.unknownText.utf8 {
                output.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
                end += 1
            }
            return end
        }
        // Ten characters, ten, and the two that carry the last byte.
        var end = Base64Digit.write(high >> 4, count: 10, to: &output, at: start)
        end = Base64Digit.write(high << 56 | low >> 8, count: 10, to: &output, at: end)
        return Base64Digit.write(low << 4, count: 2, to: &output, at: end)
    }
}

extension SourceID: Comparable {
    /// Whether `left` comes before `right` in the order of their bytes.
    public static func < (left: SourceID, right: SourceID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension SourceID: CustomStringConvertible {
    /// The text, or `*`.
    public var description: String {
        var text: [UInt8] = []
        appendText(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension Span<UInt8> {
    fileprivate func isIdentical(to text: String.UTF8View) -> Bool {
        count == text.count && zip(indices, text).allSatisfy { self[$0] == $1 }
    }
}

/// One character of standard base64.
private enum Base64Digit {
    static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// Writes `count` characters for the lowest bits of a number, six bits each; returns where they end.
    static func write(
        _ bits: UInt64,
        count: Int,
        to output: inout MutableRawSpan,
        at start: Int
    ) -> Int {
        for index in 0..<count {
            let value = UInt8(truncatingIfNeeded: bits >> (6 * (count - 1 - index))) & 0x3F
            output.storeBytes(of: text(of: value), toByteOffset: start + index, as: UInt8.self)
        }
        return start + count
    }

    /// Sums instead of branches, which a processor cannot predict here: each run of characters begins at an
    /// offset from where the previous one would have continued.
    private static func text(of value: UInt8) -> UInt8 {
        var character = value &+ UInt8(ascii: "A")
        if value > 25 { character &+= UInt8(ascii: "a") - UInt8(ascii: "Z") - 1 }
        if value > 51 { character &-= UInt8(ascii: "z") + 1 - UInt8(ascii: "0") }
        if value > 61 { character &-= UInt8(ascii: "9") + 1 - UInt8(ascii: "+") }
        if value > 62 { character &+= UInt8(ascii: "/") - UInt8(ascii: "+") - 1 }
        return character
    }
}
