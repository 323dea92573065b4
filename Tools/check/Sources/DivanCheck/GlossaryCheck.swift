/// Declarations use the words of the glossary.
///
/// The glossary has a table "not | but": no type, member, function or parameter of the packages has
/// a word of its first column in its name. Words of a name are separated by capitals. Names of the official
/// API and of the wire stay as they are: the table says where a word is allowed.
public struct GlossaryCheck {
    private static let page = "Docs/glossary.md"

    private struct Rule {
        var words: Set<String>
        var remedy: String
        /// Folders where the words are allowed.
        var places: [String]
    }

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every declaration whose name has a word for which the glossary has another.
    public func violations() throws -> [Violation] {
        guard tree.exists(Self.page) else { return [] }
        let rules = try self.rules()
        var violations: [Violation] = []
        for file in tree.files(under: "Packages", suffix: ".swift") where file.contains("/Sources/")
        {
            let rules = rules.filter { rule in !rule.places.contains { file.hasPrefix($0) } }
            for (index, line) in try tree.text(file).lines.enumerated() {
                for name in Self.declared(in: line.code) {
                    let words = Self.words(of: name)
                    for rule in rules where !rule.words.isDisjoint(with: words) {
                        violations.append(
                            Violation(
                                place: "\(file):\(index + 1)",
                                problem: "\(name) has a word that the glossary does not use",
                                remedy: "say \(rule.remedy)"
                            )
                        )
                    }
                }
            }
        }
        return violations
    }

    private func rules() throws -> [Rule] {
        var rules: [Rule] = []
        var isTable = false
        for line in try tree.text(Self.page).lines {
            let cells = line.cells
            if cells.count < 2 { isTable = false }
            if cells.first == "not" { isTable = true }
            guard isTable, let words = cells.first?.backticked, !words.isEmpty else { continue }
            let places = cells.dropFirst(2).first?.backticked ?? []
            rules.append(
                Rule(
                    words: Set(words.map(String.init)),
                    remedy: String(cells[1]),
                    places: places.map(String.init)
                )
            )
        }
        return rules
    }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "func", "var", "let", "case",
        "associatedtype",
    ]

    /// The names that a line declares.
    private static func declared(in code: Substring) -> [Substring] {
        // A text after `case` keeps its quote, and is not a name.
        let words = code.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "\"" }
        return zip(words, words.dropFirst()).compactMap { kinds.contains($0) ? $1 : nil }
    }

    /// `remoteDocIDs` is remote, doc, ids.
    private static func words(of name: Substring) -> Set<String> {
        var words: Set<String> = []
        var word = ""
        var wasUppercase = false
        for character in name {
            if character.isUppercase, !wasUppercase, !word.isEmpty {
                words.insert(word)
                word = ""
            }
            wasUppercase = character.isUppercase
            word += character.lowercased()
        }
        words.insert(word)
        return words
    }
}
