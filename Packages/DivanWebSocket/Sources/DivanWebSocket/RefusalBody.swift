/// Finds the text under `reason` in the small JSON object with which a server refuses.
///
/// Sync Gateway's form is `{"error":"Unauthorized","reason":"Invalid login"}`; for anything else the result is `nil`,
/// and the status line is used.
enum RefusalBody {
    /// The decoded string that follows the key `reason`.
    static func reason(in json: String) -> String? {
        var rest = Substring(json)
        while let open = rest.firstIndex(of: "\"") {
            rest = rest[rest.index(after: open)...]
            guard let key = takeString(from: &rest) else { return nil }
            let value = rest.drop(while: \.isWhitespace)
            guard key == "reason", value.first == ":" else { continue }
            var text = value.dropFirst().drop(while: \.isWhitespace)
            guard text.popFirst() == "\"" else { return nil }
            return takeString(from: &text)
        }
        return nil
    }

    /// Reads up to the closing quotation mark and moves `rest` past it.
    private static func takeString(from rest: inout Substring) -> String? {
        var text = String.UnicodeScalarView()
        var scalars = rest.unicodeScalars
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"":
                rest = Substring(scalars)
                return String(text)
            case "\\":
                guard let escaped = takeEscape(from: &scalars) else { return nil }
                text.append(escaped)
            default: text.append(scalar)
            }
        }
        return nil
    }

    private static func takeEscape(
        from scalars: inout Substring.UnicodeScalarView
    ) -> Unicode.Scalar? {
        switch scalars.popFirst() {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "u":
            let digits = String(scalars.prefix(4))
            scalars = scalars.dropFirst(4)
            // Half a surrogate pair becomes a replacement character: this text is for people.
            return UInt32(digits, radix: 16).map { Unicode.Scalar($0) ?? "\u{FFFD}" }
        case let scalar: return scalar
        }
    }
}
