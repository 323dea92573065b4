/// A phrase that texts for people do not use, and what they say instead.
struct LanguageRule: Sendable {
    /// The texts that a rule applies to.
    enum Scope {
        /// Pages and string literals.
        case all
        /// String literals of at least three words: help pages, messages, reports.
        case messages
    }

    /// The words, in lower case and separated by spaces.
    ///
    /// `a|b` is either word, `*` is any, `*'s` any possessive,
    /// `!a|b` must not follow, and `^` before the first word requires the beginning of a sentence.
    let phrase: String
    /// What to write instead.
    let remedy: String
    let scope: Scope

    private let isInitial: Bool
    private let items: [[Substring]]
    private let exclusions: [Substring]

    init(_ phrase: String, _ remedy: String, scope: Scope = .all) {
        (self.phrase, self.remedy, self.scope) = (phrase, remedy, scope)
        isInitial = phrase.hasPrefix("^")
        let words = phrase.drop { $0 == "^" }.split(separator: " ")
        exclusions = words.filter { $0.hasPrefix("!") }
            .flatMap { $0.dropFirst().split(separator: "|") }
        items = words.filter { !$0.hasPrefix("!") }.map { $0.split(separator: "|") }
    }

    /// The words that a match can begin with.
    var firstWords: [String] { (items.first ?? []).map(String.init) }

    /// The words of a passage that match at `start`; `nil` if they do not.
    func match(_ words: [Passage.Word], at start: Int) -> String? {
        let found = words[start...].prefix(items.count)
        guard found.count == items.count, !isInitial || start == 0 || words[start - 1].isLast,
            found.dropFirst().allSatisfy({ !$0.isSeparated })
        else { return nil }
        for (word, choices) in zip(found, items) where choices != ["*"] {
            let isMatch =
                choices == ["*'s"] ? word.text.hasSuffix("'s") : choices.contains(word.text[...])
            if !isMatch { return nil }
        }
        if let next = words[found.endIndex...].first, !next.isSeparated,
            exclusions.contains(next.text[...])
        {
            return nil
        }
        return found.map(\.text).joined(separator: " ")
    }
}
