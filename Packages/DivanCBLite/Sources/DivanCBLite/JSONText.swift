/// The canonical spelling of strings and numbers, straight from bytes.
///
/// Source: `revisions.md` §2.
enum JSONText {
    /// Appends UTF-8 in quotes.
    ///
    /// - Throws: `RecordDamage` for bytes that are not UTF-8.
    static func appendQuoted(
        _ text: Span<UInt8>,
        to output: inout [UInt8]
    ) throws(RecordDamage) {
        var (isPlain, isASCII) = (true, true)
        for index in text.indices {
            let byte = text[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F { isPlain = false }
            if byte >= 0x80 { isASCII = false }
        }
        if !isASCII, (try? UTF8Span(validating: text)) == nil {
            throw RecordDamage("a string is not UTF-8")
        }
        output.append(UInt8(ascii: "\""))
        if isPlain {
            append(text, to: &output)
        } else {
            for index in text.indices { appendEscaped(text[index], to: &output) }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends bytes as they are.
    static func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        text.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    private static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
        case 0x0A: output += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        case 0x0D: output += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
        case 0x09: output += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
        case ..<0x20, 0x7F:
            let digits = Array("0123456789abcdef".utf8)
            output += Array(#"\u00"#.utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        default: output.append(byte)
        }
    }

    /// Appends decimal digits.
    static func append(_ number: UInt64, isNegative: Bool, to output: inout [UInt8]) {
        if isNegative { output.append(UInt8(ascii: "-")) }
        guard number >= 10 else { return output.append(UInt8(ascii: "0") + UInt8(number)) }
        var text = String(number)
        text.withUTF8 { output.append(contentsOf: $0) }
    }

    /// Appends the shortest text that reads back to the number.
    static func append(
        _ number: some BinaryFloatingPoint & CustomStringConvertible,
        to output: inout [UInt8]
    ) throws(RecordDamage) {
        guard number.isFinite else { throw RecordDamage("a number is infinite or NaN") }
        var text = number.description
        text.withUTF8 { output.append(contentsOf: $0) }
    }
}
