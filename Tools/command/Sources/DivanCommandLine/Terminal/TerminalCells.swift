extension Character {
    /// Cells that the character takes on a terminal: two for most of East Asia's and for emoji, none
    /// for standalone marks.
    package var cellCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        // If it has several parts, the first counts, unless the last makes it a picture.
        if unicodeScalars.count > 1, unicodeScalars.contains("\u{FE0F}") { return 2 }
        if first.value < 0x300 { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return first.isWide ? 2 : 1
        }
    }
}

extension Unicode.Scalar {
    /// Whether Unicode's East Asian Width (UAX #11) is W or F, as far as terminals agree on it.
    fileprivate var isWide: Bool {
        if properties.isEmojiPresentation { return true }
        return switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

extension String {
    /// Cells that the text takes on a terminal.
    package var cellCount: Int { reduce(0) { $0 + $1.cellCount } }

    /// The text, or as much of it as fits into this many cells with an ellipsis after it.
    package func cut(toCells limit: Int) -> String {
        guard cellCount > limit else { return self }
        var (kept, count) = ("", 1)
        for character in self {
            count += character.cellCount
            guard count <= limit else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// The text padded with spaces to at least this many cells.
    package func padding(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - cellCount))
    }
}
