/// How log entries show user data, such as the names of users and the IDs of documents.
///
/// The levels have the names and the tags of Sync Gateway's `redaction_level`.
public enum LogRedaction: String, Sendable, CaseIterable {
    /// User data is shown unchanged.
    case none
    /// User data is shown between `<ud>` and `</ud>`, so that a tool can remove it before the log is shared.
    case partial
    /// User data and the addresses of clients are replaced by codes, between `<ud>` or `<sd>` and the closing tag.
    ///
    /// Equal values have equal codes until the process ends. Codes of different processes cannot be compared.
    case full
}

extension LogRedaction {
    /// The text of user data at this level.
    public func user(_ value: String) -> String {
        switch self {
        case .none: value
        case .partial: "<ud>\(Self.withoutEndTag(value))</ud>"
        case .full: "<ud>\(LogPseudonym.code(of: value))</ud>"
        }
    }

    /// The text of a peer's address at this level; Sync Gateway calls it system data.
    public func address(_ value: String) -> String {
        switch self {
        case .none, .partial: value
        case .full: "<sd>\(LogPseudonym.code(of: value))</sd>"
        }
    }

    /// A value that contains the end tag must not end the tagged text.
    private static func withoutEndTag(_ value: String) -> String {
        value.replacing("</ud>", with: "&lt;/ud>")
    }
}

/// Codes for values that must not be logged.
private enum LogPseudonym {
    /// Random, and never shown: without it, the codes of guessed values could be computed.
    private static let key: (UInt64, UInt64) = {
        var random = SystemRandomNumberGenerator()
        return (random.next(), random.next())
    }()

    /// Sixteen hexadecimal digits.
    static func code(of value: String) -> String {
        var hasher = Hasher()
        hasher.combine(key.0)
        hasher.combine(key.1)
        // Bytes, because canonically equivalent strings (é in one or two scalars) have the same hash.
        for byte in value.utf8 { hasher.combine(byte) }
        let digits = String(UInt(bitPattern: hasher.finalize()), radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
    }
}
