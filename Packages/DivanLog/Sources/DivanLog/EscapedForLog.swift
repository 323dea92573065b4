/// Returns `text` with control characters and line separators written as escapes.
///
/// Apply it to text from peers and files, so that it cannot forge log lines or control a terminal. Tabs are not
/// changed; backslashes are doubled, so that escapes are unambiguous.
public func escapedForLog(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": escaped += "\\n"
        case "\r": escaped += "\\r"
        case "\\": escaped += "\\\\"
        case _ where isEscaped(scalar): escaped += "\\u{\(String(scalar.value, radix: 16))}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}

private func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\t": false
    case "\\", "\u{2028}", "\u{2029}": true
    // Marks that change the direction of the following text (Unicode Standard Annex 9).
    case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: scalar.properties.generalCategory == .control
    }
}
