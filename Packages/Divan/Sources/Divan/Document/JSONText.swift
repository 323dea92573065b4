internal import DivanJSON

/// Finds members in the text of an object, without parsing what is not asked for.
///
/// The text was checked when it was stored, so only what is found is parsed, and with that checked again. Text that was
/// damaged since yields no value, and never a trap.
enum JSONText {
    /// The text of a member's value; `nil` if the text is not an object, or has no such member.
    static func value(of key: String, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var key = key
        let start = text.startIndex
        let found = key.withUTF8 { wanted in
            text.withUnsafeBufferPointer { range(of: wanted, in: $0) }
        }
        return found.map { text[start + $0.lowerBound..<start + $0.upperBound] }
    }

    /// Whether a condition is true for any key of the object; also `true` if a key is written with escapes.
    static func anyKey(in text: [UInt8], where condition: (String) -> Bool) -> Bool {
        text.withUnsafeBufferPointer { text in
            var scan = TextScan(text: text)
            guard scan.enterObject() else { return false }
            while let key = scan.key() {
                if key.hasEscapes || condition(scan.plainText(key)) { return true }
                guard scan.value() != nil else { return true }
                scan.skipComma()
            }
            return false
        }
    }

    private static func range(
        of wanted: UnsafeBufferPointer<UInt8>,
        in text: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        var scan = TextScan(text: text)
        guard scan.enterObject() else { return nil }
        while let key = scan.key() {
            let isWanted = scan.spells(wanted, key)
            guard let value = scan.value() else { return nil }
            if isWanted { return value }
            scan.skipComma()
        }
        return nil
    }
}

/// A position in the text of an object.
///
/// Every access is behind `byte` or `position < text.count`, and the buffer outlives the scan, which never leaves
/// `JSONText.value(of:in:)`.
private struct TextScan {
    let text: UnsafeBufferPointer<UInt8>
    var position = 0

    /// A key without its quotes.
    struct Key {
        var range: Range<Int>
        var hasEscapes: Bool
    }

    private var byte: UInt8? { position < text.count ? text[position] : nil }

    mutating func enterObject() -> Bool {
        skipSpace()
        guard byte == UInt8(ascii: "{") else { return false }
        position += 1
        return true
    }

    /// The next key, and moves to its value; `nil` at the end of the object.
    mutating func key() -> Key? {
        skipSpace()
        guard byte == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        guard let hasEscapes = skipString() else { return nil }
        let range = start..<position - 1
        skipSpace()
        guard byte == UInt8(ascii: ":") else { return nil }
        position += 1
        return Key(range: range, hasEscapes: hasEscapes)
    }

    /// The text of a key without escapes.
    func plainText(_ key: Key) -> String { String(decoding: text[key.range], as: UTF8.self) }

    /// Whether a key is the wanted one.
    func spells(_ wanted: UnsafeBufferPointer<UInt8>, _ key: Key) -> Bool {
        guard key.hasEscapes else {
            return key.range.count == wanted.count
                && text[key.range].elementsEqual(wanted)
        }
        let quoted = Array(text[key.range.lowerBound - 1..<key.range.upperBound + 1])
        guard case .string(let decoded)? = try? JSON(parsing: quoted) else { return false }
        return decoded.utf8.elementsEqual(wanted)
    }

    /// The range of the next value, and moves behind it.
    mutating func value() -> Range<Int>? {
        skipSpace()
        let start = position
        switch byte {
        case nil: return nil
        case UInt8(ascii: "\""): guard skipString() != nil else { return nil }
        case UInt8(ascii: "{"), UInt8(ascii: "["): guard skipContainer() else { return nil }
        default: skipScalar()
        }
        return start..<position
    }

    mutating func skipComma() {
        skipSpace()
        if byte == UInt8(ascii: ",") { position += 1 }
    }

    /// Moves behind a string, and returns whether it has escapes; `nil` if it does not end.
    private mutating func skipString() -> Bool? {
        position += 1
        var hasEscapes = false
        while position < text.count {
            let byte = text[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return hasEscapes }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                position += 1
            }
        }
        return nil
    }

    private mutating func skipContainer() -> Bool {
        var depth = 0
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                guard skipString() != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return true }
        }
        return false
    }

    private mutating func skipScalar() {
        while let byte, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}"),
            byte != UInt8(ascii: "]"), byte > UInt8(ascii: " ")
        {
            position += 1
        }
    }

    private mutating func skipSpace() {
        while let byte, byte <= UInt8(ascii: " ") { position += 1 }
    }
}
