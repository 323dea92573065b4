/// Validates UTF-8 that arrives in arbitrary pieces, and fails at the first invalid byte.
///
/// Source: RFC 3629 §4 (no overlong forms, no surrogates, nothing above U+10FFFF).
struct UTF8Check: Sendable {
    private var missingCount = 0  // continuation bytes that the open scalar still needs
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF  // what its next byte may be

    /// Whether no scalar is incomplete.
    var isComplete: Bool { missingCount == 0 }

    /// Returns whether the text so far can still become valid UTF-8.
    mutating func receive(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes {
            if missingCount > 0 {
                guard allowed.contains(byte) else { return false }
                missingCount -= 1
                allowed = 0x80...0xBF
            } else if byte >= 0x80 {
                guard open(with: byte) else { return false }
            }
        }
        return true
    }

    private mutating func open(with lead: UInt8) -> Bool {
        allowed = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: missingCount = 1
        case 0xE0...0xEF:
            missingCount = 2
            if lead == 0xE0 { allowed = 0xA0...0xBF }
            if lead == 0xED { allowed = 0x80...0x9F }
        case 0xF0...0xF4:
            missingCount = 3
            if lead == 0xF0 { allowed = 0x90...0xBF }
            if lead == 0xF4 { allowed = 0x80...0x8F }
        default: return false
        }
        return true
    }
}
