/// Texts for people use ordinary technical English.
///
/// Reads the prose of pages, the string literals of sources, and the names of tests. Phrases are matched by
/// words, so identifiers, code spans and blocks do not count. In the guides, the README and the literals
/// of the command, a sentence has a limited number of words.
public struct LanguageCheck {
    /// A justified use of a phrase.
    public struct Exception: Sendable {
        /// The file that uses it.
        public let file: String
        /// The words, as the violation quotes them.
        public let phrase: String
        /// Why they stay.
        public let reason: String

        /// Describes a justified use of a phrase.
        public init(_ file: String, _ phrase: String, reason: String) {
            self.file = file
            self.phrase = phrase
            self.reason = reason
        }
    }

    /// The most words that a sentence may have.
    public static let longestSentence = 30

    private let tree: SourceTree
    private let exceptions: [Exception]
    private let rulesByWord: [String: [LanguageRule]]

    /// Checks the given checkout.
    public init(_ tree: SourceTree, exceptions: [Exception] = Self.exceptions) {
        self.tree = tree
        self.exceptions = exceptions
        var rules: [String: [LanguageRule]] = [:]
        for rule in Self.rules {
            for word in rule.firstWords { rules[word, default: []].append(rule) }
        }
        rulesByWord = rules
    }

    /// Returns every phrase and sentence to rewrite, and the exceptions that nothing needs any longer.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        var used: Set<Int> = []
        for file in pages() + sources() + tests() {
            let passages = try passages(of: file)
            for passage in passages {
                violations += phrases(in: passage, of: file, &used)
                if limitsSentences(of: file), passage.isProse {
                    violations += longSentences(in: passage, of: file)
                }
            }
        }
        for (index, exception) in exceptions.enumerated()
        where !used.contains(index) && tree.exists(exception.file) {
            violations.append(
                Violation(
                    place: exception.file,
                    problem: "the exception for \"\(exception.phrase)\" is unused",
                    remedy: "remove it from LanguageRules.swift"
                )
            )
        }
        return violations
    }

    // MARK: Texts

    /// The changelogs of packages are excluded: they record earlier releases.
    private func pages() -> [String] {
        let folders = ["Packages", "Tools", "Tests", "Docs", ".github"]
        let root = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
        let pages = folders.flatMap { tree.files(under: $0, suffix: ".md") }
        return root.filter(tree.exists) + pages.filter { !$0.hasSuffix("/CHANGELOG.md") }
            + tree.files(under: "Packages", suffix: ".html")
    }

    /// The benchmarks are excluded: their names of figures are keys of recorded measurements.
    private func sources() -> [String] {
        let folders = ["Packages", "Tools", "Tests", "Docs/examples"]
        let sources =
            folders.flatMap { tree.files(under: $0, suffix: ".swift") }
            + tree.files(under: "Packages", suffix: ".js")
        return sources.filter { file in
            !Self.isTest(file) && !file.hasSuffix("/LanguageRules.swift")
                && !file.hasPrefix("Tools/bench/")
        }
    }

    /// The tests of this check are excluded: they contain names as examples.
    private func tests() -> [String] {
        ["Packages", "Tools", "Tests", "Docs/examples"]
            .flatMap { tree.files(under: $0, suffix: ".swift") }
            .filter { Self.isTest($0) && !$0.hasPrefix("Tools/check/") }
    }

    /// `Tests/Crash` is a program, `Tests/CrashTests` and `Packages/Divan/Tests` are tests.
    private static func isTest(_ file: String) -> Bool {
        file.split(separator: "/").dropFirst().contains { $0.hasSuffix("Tests") }
    }

    private func passages(of file: String) throws -> [Passage] {
        let text = try tree.text(file)
        if Self.isTest(file), file.hasSuffix(".swift") {
            return TestNames.located(in: text).map { name in
                var passage = Passage()
                passage.append(Self.withoutCommands(name.text), line: name.line)
                passage.endSentence()
                return passage
            }
        }
        if file.hasSuffix(".md") || file.hasSuffix(".html") { return PageText.read(text) }
        // One word is no text.
        return StringLiterals.read(text, isScript: file.hasSuffix(".js"))
            .filter { $0.contains { $0.text.utf8.contains(0x20) } }
            .map(Self.passage)
    }

    private static func passage(of literal: StringLiterals.Literal) -> Passage {
        var passage = Passage()
        for (line, text) in literal {
            // An empty line separates paragraphs; an indented one is an example.
            if text == "\n" || text.hasPrefix("  ") { passage.endSentence() }
            passage.append(withoutCommands(text), line: line)
        }
        passage.endSentence()
        return passage
    }

    /// A text with code in place of code spans and quoted commands.
    private static func withoutCommands(_ text: String) -> String {
        guard text.contains("`") || text.contains("'divan ") else { return text }
        return text.replacing(/`[^`\n]+`|'divan [^'\n]*'/, with: Passage.code)
    }

    /// Folders whose long literals are code of another language.
    private static let codeFolders = [
        "Tools/command/Sources/DivanCommandLine/Completion/",
        "Packages/DivanSQL/Sources/DivanSQL/Translation/",
    ]

    private func limitsSentences(of file: String) -> Bool {
        if file.hasSuffix(".md") { return file == "README.md" || file.hasPrefix("Docs/guides/") }
        return !file.hasSuffix(".html")
            && (file.hasPrefix("Tools/command/") || file.hasPrefix("Packages/"))
            && !Self.codeFolders.contains(where: file.hasPrefix)
    }

    // MARK: Rules

    private func phrases(
        in passage: Passage,
        of file: String,
        _ used: inout Set<Int>
    ) -> [Violation] {
        let isMessage = !file.hasSuffix(".md") && passage.words.count > 2
        var violations: [Violation] = []
        for (index, word) in passage.words.enumerated() {
            for rule in rulesByWord[word.text] ?? [] where rule.scope == .all || isMessage {
                guard let found = rule.match(passage.words, at: index) else { continue }
                let excuses = exceptions.indices.filter {
                    exceptions[$0].file == file && exceptions[$0].phrase == found
                }
                used.formUnion(excuses)
                guard excuses.isEmpty else { continue }
                violations.append(
                    Violation(
                        place: "\(file):\(word.line)",
                        problem: "\"\(found)\" is not plain English",
                        remedy: rule.remedy
                    )
                )
            }
        }
        return violations
    }

    private func longSentences(in passage: Passage, of file: String) -> [Violation] {
        passage.sentences.filter { $0.count > Self.longestSentence }.map { sentence in
            let beginning = sentence.prefix(5).map(\.text).joined(separator: " ")
                .replacing(Passage.code, with: "`…`")
            return Violation(
                place: "\(file):\(sentence.first?.line ?? 0)",
                problem: "a sentence of \(sentence.count) words (\"\(beginning) …\"), "
                    + "the limit is \(Self.longestSentence)",
                remedy: "split it, or make it a list"
            )
        }
    }
}
