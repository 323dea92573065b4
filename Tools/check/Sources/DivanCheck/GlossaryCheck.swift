/// Declarations use the words of the glossary.
///
/// The glossary has a table "not | but | where allowed": no type, member, function or parameter of the
/// packages has a word of its first column in its name, except in the folders of the third. Words of a
/// name are separated by capitals.
struct GlossaryCheck {
    let tree: SourceTree

    private static let page = "Docs/glossary.md"
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "func", "var", "let", "case",
        "associatedtype",
    ]

    func violations() throws -> [Violation] {
        guard tree.exists(Self.page) else { return [] }
        let rows = try tree.text(Self.page).lines.map(\.cells).drop { $0.first != "not" }
            .prefix { !$0.isEmpty }.filter { $0[0].contains("`") }
        let rules = rows.map { row in
            (
                words: Set(row[0].backticked.map(String.init)), instead: row[1],
                places: row.dropFirst(2).first?.backticked ?? []
            )
        }
        return try tree.sources().flatMap { file -> [Violation] in
            let rules = rules.filter { !$0.places.contains { file.hasPrefix($0) } }
            return try tree.lines(of: [file]).flatMap { line -> [Violation] in
                let names = Self.declared(in: line.code)
                return names.flatMap { name -> [Violation] in
                    let words = Self.words(of: name)
                    return rules.filter { !$0.words.isDisjoint(with: words) }.map { rule in
                        let problem = "\(name) has a word that the glossary does not use"
                        return Violation(line.place, problem, "say \(rule.instead)")
                    }
                }
            }
        }
    }

    /// The names that a line declares.
    private static func declared(in code: Substring) -> [Substring] {
        // A text after `case` keeps its quote, and is not a name.
        let words = code.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "\"" }
        return zip(words, words.dropFirst()).compactMap { kinds.contains($0) ? $1 : nil }
    }

    /// `remoteDocIDs` is remote, doc, ids.
    private static func words(of name: Substring) -> Set<String> {
        var words = [""]
        var wasUppercase = false
        for character in name {
            if character.isUppercase, !wasUppercase { words.append("") }
            wasUppercase = character.isUppercase
            words[words.count - 1] += character.lowercased()
        }
        return Set(words)
    }
}
