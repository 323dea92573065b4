/// A number as written in the text: ± `mantissa` × 10^`exponent`, without further digits.
struct NumberToken {
    let start: Int
    var end: Int
    let isNegative: Bool
    /// No fraction and no exponent.
    var isInteger = true
    /// The first 19 significant digits, which fit 64 bits.
    var mantissa: UInt64 = 0
    /// How many digits `mantissa` has.
    var keptCount = 0
    /// Significant digits after those.
    var droppedCount = 0
    var exponent = 0

    /// All significant digits, including trailing zeros.
    var digitCount: Int { keptCount &+ droppedCount }
}

extension Lexer {
    /// Reads the number at `position` (RFC 8259 §6) and refuses one that no double can hold.
    @inline(__always)
    mutating func scanNumber() throws(JSONError.Reason) -> NumberToken {
        if let token = scanShortInteger() { return token }
        return try scanAnyNumber()
    }

    /// Reads an integer of 1 to 18 digits, as most numbers are; moves only if there is one.
    @inline(__always)
    private mutating func scanShortInteger() -> NumberToken? {
        let isNegative = base[position] == UInt8(ascii: "-")
        let first = isNegative ? position + 1 : position
        var next = first
        var mantissa: UInt64 = 0
        while next < end, case let digit = base[next] &- 0x30, digit <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            next += 1
        }
        // More digits would have overflowed; a leading zero, "." and "e" need the full grammar.
        guard 1...18 ~= next - first, next < end,
            base[first] != UInt8(ascii: "0") || next == first + 1,
            base[next] != UInt8(ascii: "."), base[next] | 0x20 != UInt8(ascii: "e")
        else { return nil }
        var token = NumberToken(start: position, end: next, isNegative: isNegative)
        token.mantissa = mantissa
        token.keptCount = mantissa == 0 ? 0 : next - first
        position = next
        return token
    }

    /// Reads an integer of 1 to 18 digits; `nil`, and nothing is read, if there is none.
    mutating func shortInteger() throws(JSONError.Reason) -> JSON? {
        guard let token = scanShortInteger() else { return nil }
        return try value(of: token)
    }

    /// Skips a canonical integer of 1 to 18 digits; moves only if there is one.
    @inline(__always)
    mutating func skipShortInteger() -> Bool {
        let first = base[position] == UInt8(ascii: "-") ? position &+ 1 : position
        var next = first
        while next < end, base[next] &- 0x30 <= 9 { next &+= 1 }
        guard 1...18 ~= next &- first, next < end,
            base[first] != UInt8(ascii: "0") || next == position &+ 1,
            base[next] != UInt8(ascii: "."), base[next] | 0x20 != UInt8(ascii: "e")
        else { return false }
        position = next
        return true
    }

    private mutating func scanAnyNumber() throws(JSONError.Reason) -> NumberToken {
        let start = position
        let isNegative = base[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var token = NumberToken(start: start, end: start, isNegative: isNegative)
        let isZero = position < end && base[position] == UInt8(ascii: "0")
        let digitCount = takeDigits(into: &token)
        guard digitCount > 0 else { throw position < end ? .invalidNumber : .unexpectedEnd }
        guard !isZero || digitCount == 1 else {
            position = start
            throw .invalidNumber
        }
        token.exponent = token.droppedCount
        if position < end, base[position] == UInt8(ascii: ".") || base[position] | 0x20 == 0x65 {
            try scanFraction(into: &token)
        }
        token.end = position
        // A double can hold numbers below 10^308; one of at most twenty digits is certainly below.
        if token.keptCount + token.exponent > 308 { _ = try double(of: token) }
        return token
    }

    private mutating func scanFraction(into token: inout NumberToken) throws(JSONError.Reason) {
        token.isInteger = false
        if base[position] == UInt8(ascii: ".") {
            position += 1
            let droppedCount = token.droppedCount
            let digitCount = takeDigits(into: &token)
            guard digitCount > 0 else { throw position < end ? .invalidNumber : .unexpectedEnd }
            token.exponent -= digitCount - (token.droppedCount - droppedCount)
        }
        guard position < end, base[position] | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
        var isNegative = false
        if position < end, base[position] == UInt8(ascii: "-") || base[position] == 0x2B {
            isNegative = base[position] == UInt8(ascii: "-")
            position += 1
        }
        let first = position
        var exponent = 0
        while position < end, case let digit = base[position] &- 0x30, digit <= 9 {
            // With an exponent above 10^9 the number is 0 or too large, whatever its digits.
            if exponent < 1_000_000_000 { exponent = exponent * 10 + Int(digit) }
            position += 1
        }
        guard position > first else { throw position < end ? .invalidNumber : .unexpectedEnd }
        token.exponent += isNegative ? -exponent : exponent
    }

    /// Reads digits; returns how many.
    @inline(__always)
    private mutating func takeDigits(into token: inout NumberToken) -> Int {
        let first = position
        while position < end, case let digit = base[position] &- 0x30, digit <= 9 {
            if token.keptCount < 19 {
                token.mantissa = token.mantissa &* 10 &+ UInt64(digit)
                if token.mantissa != 0 { token.keptCount += 1 }
            } else {
                token.droppedCount += 1
            }
            position += 1
        }
        return position - first
    }

    /// The value of a scanned number.
    @inline(__always)
    func value(of token: NumberToken) throws(JSONError.Reason) -> JSON {
        if token.isInteger, let integer = integer(of: token) { return integer }
        if let number = longNumber(of: token) { return .long(number) }
        return .double(try double(of: token))
    }

    /// The integer, or `nil` if it does not fit in 64 bits or is `-0`.
    @inline(__always)
    private func integer(of token: NumberToken) -> JSON? {
        guard token.droppedCount == 0 else { return longInteger(of: token) }
        if token.isNegative {
            guard token.mantissa != 0, token.mantissa <= Int64.min.magnitude else { return nil }
            return .int(Int64(truncatingIfNeeded: 0 &- token.mantissa))
        }
        return Int64(exactly: token.mantissa).map(JSON.int) ?? .uint(token.mantissa)
    }

    /// An integer of twenty digits may still fit in 64 bits without sign.
    private func longInteger(of token: NumberToken) -> JSON? {
        guard token.droppedCount == 1, !token.isNegative else { return nil }
        let (tenfold, isTooLarge) = token.mantissa.multipliedReportingOverflow(by: 10)
        let lastDigit = UInt64(base[token.end - 1] &- 0x30)
        let (sum, overflows) = tenfold.addingReportingOverflow(lastDigit)
        return isTooLarge || overflows ? nil : .uint(sum)
    }

    /// The nearest double.
    ///
    /// A mantissa below 2^53 and a power of ten up to 10^22 are both exact, so one multiplication
    /// or division rounds correctly; everything else uses the standard library.
    @inline(__always)
    func double(of token: NumberToken) throws(JSONError.Reason) -> Double {
        if token.droppedCount == 0, token.mantissa <= 1 << 53,
            (-22...22).contains(token.exponent)
        {
            let mantissa = Double(token.mantissa)
            let magnitude =
                token.exponent < 0
                ? mantissa / powersOfTen[-token.exponent]
                : mantissa * powersOfTen[token.exponent]
            return token.isNegative ? -magnitude : magnitude
        }
        return try parsedDouble(of: token)
    }

    private func parsedDouble(of token: NumberToken) throws(JSONError.Reason) -> Double {
        guard let value = Double(text(of: token)), value.isFinite else {
            throw .numberOutOfRange
        }
        return value
    }

    /// Whether a number is spelled as the canonical writer would spell its value.
    func isCanonical(_ token: NumberToken) throws(JSONError.Reason) -> Bool {
        if token.isInteger, integer(of: token) != nil { return true }
        if longNumber(of: token) != nil { return true }
        let digits = UnsafeBufferPointer(start: base + token.start, count: token.end - token.start)
        return try double(of: token).description.utf8.elementsEqual(digits)
    }
}

/// 10^0 to 10^22, each exact in a double.
private let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]
