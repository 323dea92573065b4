/// Words that do not belong in sources: vague names, traps, and leftovers.
public struct WordsCheck {
    private struct Rule {
        var word: String
        var remedy: String
        /// A folder where the word is allowed.
        var exception = "-"
    }

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every line of a library or tool that contains a banned word.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        let files = ["Packages", "Tools"].flatMap { tree.files(under: $0, suffix: ".swift") }
        for file in files where file.contains("/Sources/") {
            // This file contains the words as text.
            if file.hasSuffix("WordsCheck.swift") { continue }
            for (index, line) in try tree.text(file).lines.enumerated() {
                let code = line.code
                for rule in Self.rules
                where contains(code, rule.word, wholeLine: line) && !file.hasPrefix(rule.exception)
                {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "\"\(rule.word)\" is banned here",
                            remedy: rule.remedy
                        )
                    )
                }
            }
        }
        return violations
    }

    private func contains(_ code: Substring, _ word: String, wholeLine: Substring) -> Bool {
        let text = word == "TODO" || word == "FIXME" ? wholeLine : code
        return text.contains(word)
    }

    private static let rules: [Rule] = [
        Rule(word: "try!", remedy: "throw a typed error"),
        Rule(word: "as! ", remedy: "use as? and throw"),
        Rule(word: "fatalError(", remedy: "throw a typed error"),
        // The public API stops a program that misuses it, where the official SDK raises.
        Rule(
            word: "preconditionFailure(",
            remedy: "throw a typed error",
            exception: "Packages/Divan/"
        ),
        Rule(word: "TODO", remedy: "do it or leave it out"),
        Rule(word: "FIXME", remedy: "fix it"),
        Rule(word: "class Abstract", remedy: "use a protocol"),
        Rule(word: "Manager: ", remedy: "name what it does"),
        Rule(word: "Helper", remedy: "name what it does"),
        Rule(word: "enum Utils", remedy: "name what it does"),
    ]
}
