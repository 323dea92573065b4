/// A phrase that texts for people do not use, and what they say instead.
public struct LanguageRule: Sendable {
    /// The texts that a rule applies to.
    public enum Scope: Sendable {
        /// Pages and string literals.
        case all
        /// String literals of at least three words: help pages, messages, reports.
        case messages
    }

    /// The words, in lower case and separated by spaces.
    ///
    /// `a|b` is either word, `*` is any, `*'s` any possessive,
    /// `!a|b` must not follow, and `^` before the first word requires the beginning of a sentence.
    public let phrase: String
    /// What to write instead.
    public let remedy: String
    /// Where the phrase is reported.
    public let scope: Scope

    private let isInitial: Bool
    private let items: [Item]
    private let exclusions: [String]

    private enum Item {
        case any
        case possessive
        case word(of: [String])
    }

    /// Describes a phrase.
    public init(_ phrase: String, _ remedy: String, scope: Scope = .all) {
        self.phrase = phrase
        self.remedy = remedy
        self.scope = scope
        isInitial = phrase.hasPrefix("^")
        let words = phrase.drop { $0 == "^" }.split(separator: " ")
        exclusions = words.filter { $0.hasPrefix("!") }.flatMap { Self.choices($0.dropFirst()) }
        items = words.filter { !$0.hasPrefix("!") }.map { word in
            switch word {
            case "*": .any
            case "*'s": .possessive
            default: .word(of: Self.choices(word))
            }
        }
    }

    private static func choices(_ word: Substring) -> [String] {
        word.split(separator: "|").map(String.init)
    }

    /// The words that a match can begin with.
    var firstWords: [String] {
        if case .word(let words) = items.first { words } else { [] }
    }

    /// The words of a passage that match at `start`; `nil` if they do not.
    func match(_ words: [Passage.Word], at start: Int) -> String? {
        guard start + items.count <= words.count else { return nil }
        if isInitial, start > 0, !words[start - 1].isLast { return nil }
        var found: [String] = []
        for (offset, item) in items.enumerated() {
            let word = words[start + offset]
            let isNext = offset == 0 || !word.isSeparated
            switch item {
            case .any: guard isNext else { return nil }
            case .possessive: guard isNext, word.text.hasSuffix("'s") else { return nil }
            case .word(let choices): guard isNext, choices.contains(word.text) else { return nil }
            }
            found.append(word.text)
        }
        let next = start + items.count
        if next < words.count, !words[next].isSeparated, exclusions.contains(words[next].text) {
            return nil
        }
        return found.joined(separator: " ")
    }
}
