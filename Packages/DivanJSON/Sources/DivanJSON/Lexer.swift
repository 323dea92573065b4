/// Reads the tokens of JSON from borrowed bytes.
///
/// Why the pointer is valid: a lexer is only made inside the closure of a
/// `withUnsafeBufferPointer` and never leaves it, so `base` points at `end` readable bytes for as
/// long as the lexer lives. Every byte is read at an index that was compared with `end` just
/// before; a load of eight bytes was compared with `end - 8`. Offsets are at most `end`, the
/// length of an array, so one or eight more cannot overflow.
///
/// After an error `position` is the place of the problem.
struct Lexer {
    let base: UnsafePointer<UInt8>
    let end: Int
    var position: Int
    /// Whether everything read so far is spelled as the canonical writer would spell it.
    ///
    /// The caller must check the order of keys. Once this is `false`, spellings are no longer checked.
    var isCanonical = true

    /// The byte that the next value starts with; white space before it is skipped.
    @inline(__always)
    mutating func peek() throws(JSONError.Reason) -> UInt8 {
        guard position < end else { throw .unexpectedEnd }
        let byte = base[position]
        return byte > 0x20 ? byte : try peekBehindSpace()
    }

    private mutating func peekBehindSpace() throws(JSONError.Reason) -> UInt8 {
        skipSpaceRun()
        guard position < end else { throw .unexpectedEnd }
        return base[position]
    }

    @inline(__always)
    mutating func skipSpace() {
        if position < end, base[position] > 0x20 { return }
        skipSpaceRun()
    }

    private mutating func skipSpaceRun() {
        while position < end {
            switch base[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
            isCanonical = false
        }
    }

    /// Reads one structural byte.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError.Reason) {
        let found = try peek()
        guard found == byte else { throw .unexpectedByte(found) }
        position &+= 1
    }

    /// Reads `true`, `false` or `null`.
    @inline(__always)
    mutating func scanLiteral() throws(JSONError.Reason) -> JSON {
        switch base[position] {
        case UInt8(ascii: "t"):
            try scanWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try scanWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try scanWord("null")
            return .null
        case let other: throw .unexpectedByte(other)
        }
    }

    @inline(__always)
    private mutating func scanWord(_ word: StaticString) throws(JSONError.Reason) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < end else { throw .unexpectedEnd }
            // A static string's code units remain readable.
            guard base[position] == word.utf8Start[offset] else {
                throw .unexpectedByte(base[position])
            }
            position += 1
        }
    }

    /// Skips the first byte of a container, and its last one if it is empty; returns whether it has content.
    ///
    /// `depth` is the number of open containers, this one included.
    @inline(__always)
    mutating func scanOpening(
        closing: UInt8,
        depth: Int,
        limit: Int
    ) throws(JSONError.Reason) -> Bool {
        guard depth <= limit else { throw .tooDeep(limit: limit) }
        position += 1
        guard try peek() == closing else { return true }
        position += 1
        return false
    }

    /// Reads the separator after an item: `true` for a comma, `false` for `closing`.
    @inline(__always)
    mutating func scanSeparator(closing: UInt8) throws(JSONError.Reason) -> Bool {
        let byte = try peek()
        guard byte == UInt8(ascii: ",") || byte == closing else { throw .unexpectedByte(byte) }
        position &+= 1
        return byte != closing
    }

    /// Checks that only white space is left.
    mutating func expectEnd() throws(JSONError.Reason) {
        skipSpace()
        guard position == end else { throw .trailingByte(base[position]) }
    }

    /// Eight bytes starting at `offset` as one number, the first byte lowest.
    @inline(__always)
    func eightBytes(at offset: Int) -> UInt64 {
        PlainRun.eightBytes(base + offset)
    }

    /// Runs `body` on a lexer over the whole text and locates its error.
    static func read<Value>(
        _ bytes: Span<UInt8>,
        limits: JSONLimits,
        _ body: (inout Lexer) throws(JSONError.Reason) -> Value
    ) throws(JSONError) -> Value {
        try bytes.withUnsafeBufferPointer { text throws(JSONError) in
            guard let base = text.baseAddress, !text.isEmpty else {
                throw JSONError(.unexpectedEnd, at: 0, in: text)
            }
            guard text.count <= limits.byteCount else {
                let reason = JSONError.Reason.tooLong(
                    byteCount: text.count,
                    limit: limits.byteCount
                )
                throw JSONError(reason, at: 0, in: text)
            }
            var lexer = Lexer(base: base, end: text.count, position: 0)
            do throws(JSONError.Reason) {
                return try body(&lexer)
            } catch {
                throw JSONError(error, at: lexer.position, in: text)
            }
        }
    }
}
