extension String {
    /// The text quoted as one shell word.
    package var quotedForShell: String { "'\(spelling("'", as: "'\\''"))'" }

    /// The text as one word of a suggested command line: quoted if a shell needs it.
    package var wordForShell: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "@"):
                true
            case 0x80...: true
            default: false
            }
        }
        return isPlain && !isEmpty ? self : quotedForShell
    }

    /// The text with a character replaced.
    ///
    /// By scalars: with a following accent, both make one character, which is not equal to it.
    package func spelling(_ mark: Unicode.Scalar, as spelled: String) -> String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar == mark { result += spelled.unicodeScalars } else { result.append(scalar) }
        }
        return String(result)
    }

    /// The text with anything that would move a cursor, break a line or reverse the order of letters written
    /// as `\u{…}`: control characters, line separators, and the marks of right-to-left writing.
    package func escapingControlCharacters() -> String {
        guard utf8.contains(where: Self.mayBegin) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isUnsafeOnTerminals {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// JSON in which characters that a terminal would obey, or that reverse the order of letters, are escaped
    /// as `\u009b`: it is the same JSON.
    ///
    /// JSON itself escapes characters below a blank, so that line feeds here are between its lines.
    package func escapingTerminalCharactersOfJSON() -> String {
        guard utf8.contains(where: Self.mayBegin) else { return self }
        var text = UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.value >= 0x7F, scalar.isUnsafeOnTerminals {
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                text += "\\u\(zeros)\(digits)".unicodeScalars
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    /// Whether a byte is, or begins, a character that may have to be escaped.
    private static func mayBegin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xD8, 0xE2: true
        default: false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isUnsafeOnTerminals: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029: true
        // The marks of UAX #9, with which one text can look like another.
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
