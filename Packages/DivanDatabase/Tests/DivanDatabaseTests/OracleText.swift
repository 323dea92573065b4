import DivanQuery

/// Text as the oracle compares it, for the few characters that the random documents contain.
///
/// The order of the Unicode collation algorithm's root: marks, digits, letters; then accents; then
/// lower case before upper case.
struct OracleText {
    private static let order = Array(
        " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz".unicodeScalars
    )
    private static let accented: [Character: Character] = ["ä": "a", "Ä": "A"]

    private let collation: QueryCollation

    init(_ collation: QueryCollation) {
        self.collation = collation
    }

    func compare(_ left: String, _ right: String) -> Int {
        guard collation.isUnicode else {
            return Self.compare(Array(folded(left).utf8), Array(folded(right).utf8))
        }
        let differences = [
            Self.compare(Self.letters(left), Self.letters(right)),
            collation.isAccentSensitive ? Self.compare(Self.accents(left), Self.accents(right)) : 0,
            collation.isCaseSensitive ? Self.compare(Self.cases(left), Self.cases(right)) : 0,
        ]
        return differences.first { $0 != 0 } ?? 0
    }

    /// Without the differences that are ignored.
    func folded(_ text: String) -> String {
        var text = text
        if collation.isUnicode, !collation.isAccentSensitive {
            text = String(text.map { Self.accented[$0] ?? $0 })
        }
        guard !collation.isCaseSensitive else { return text }
        return collation.isUnicode
            ? text.lowercased() : String(text.map { $0.isASCII ? Character($0.lowercased()) : $0 })
    }

    /// `%`, `_` and `\`.
    func isLike(_ text: String, _ pattern: String) -> Bool {
        Self.matches(Array(folded(text))[...], Array(folded(pattern))[...])
    }

    private static func matches(
        _ text: ArraySlice<Character>,
        _ pattern: ArraySlice<Character>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        var rest = pattern.dropFirst()
        switch first {
        case "\\" where !rest.isEmpty:
            let escaped = rest.removeFirst()
            return text.first == escaped && matches(text.dropFirst(), rest)
        case "%": return (text.startIndex...text.endIndex).contains { matches(text[$0...], rest) }
        case "_": return !text.isEmpty && matches(text.dropFirst(), rest)
        default: return text.first == first && matches(text.dropFirst(), rest)
        }
    }

    // MARK: Levels

    private static func letters(_ text: String) -> [Int] {
        text.map { character in
            let bare = Character((accented[character] ?? character).lowercased())
            return bare.unicodeScalars.first.flatMap { order.firstIndex(of: $0) } ?? order.count
        }
    }

    private static func accents(_ text: String) -> [Int] {
        text.flatMap { accented[$0] == nil ? [0] : [0, 1] }
    }

    private static func cases(_ text: String) -> [Int] { text.map { $0.isUppercase ? 1 : 0 } }

    static func compare<Item: Comparable>(_ left: [Item], _ right: [Item]) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
    }
}
