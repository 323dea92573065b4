/// A number with more digits than a double, in its original spelling.
///
/// The parser creates one for an integer that does not fit in 64 bits, for a number with more than 17 significant
/// digits, and for a number so small that a double would be zero; `JSON(_:)` creates one for an integer of more
/// than 64 bits. Its value as a double is the nearest double; written, it has its original digits.
public struct LongNumber: Hashable, Sendable {
    /// The number in JSON syntax, at most `JSONLimits.byteCount` bytes.
    public let text: String

    init(text: String) {
        self.text = text
    }

    /// The nearest double, which is finite.
    public var double: Double { Double(text) ?? 0 }
}

extension Lexer {
    /// The number as text if a double would lose digits; `nil` for nearly every number.
    @inline(__always)
    func longNumber(of token: NumberToken) -> LongNumber? {
        guard token.isInteger || token.digitCount > 17 || token.exponent < -300 else { return nil }
        return losesDigits(token) ? LongNumber(text: text(of: token)) : nil
    }

    /// Whether no double holds a number that is no 64-bit integer.
    private func losesDigits(_ token: NumberToken) -> Bool {
        guard token.mantissa != 0 else { return false }
        if token.isInteger || significantDigitCount(of: token) > 17 { return true }
        return Double(text(of: token)) == 0
    }

    /// Digits from the first to the last that is not zero.
    private func significantDigitCount(of token: NumberToken) -> Int {
        var count = 0
        var countThroughLast = 0
        for offset in token.start..<token.end {
            if base[offset] | 0x20 == UInt8(ascii: "e") { break }
            let digit = base[offset] &- 0x30
            guard digit <= 9, count > 0 || digit > 0 else { continue }
            count += 1
            if digit > 0 { countThroughLast = count }
        }
        return countThroughLast
    }

    func text(of token: NumberToken) -> String {
        let digits = UnsafeBufferPointer(start: base + token.start, count: token.end - token.start)
        return String(decoding: digits, as: UTF8.self)
    }
}
