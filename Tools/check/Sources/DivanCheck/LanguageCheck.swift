/// Texts for people use ordinary technical English.
///
/// Reads the prose of pages, the string literals of sources, and the names of tests. Phrases are matched by
/// words, so identifiers, code spans and blocks do not count. In the guides, the README and the literals
/// of the command, a sentence has a limited number of words.
struct LanguageCheck {
    /// A justified use of a phrase: the file, the words as the violation quotes them, and the reason.
    struct Exception {
        var file: String
        var phrase: String
        var reason: String
    }

    let tree: SourceTree
    var exceptions = Self.exceptions

    private static let longestSentence = 30
    private static let rulesByWord = Dictionary(
        grouping: rules.flatMap { rule in rule.firstWords.map { (word: $0, rule: rule) } },
        by: \.word
    )

    func violations() throws -> [Violation] {
        var violations: [Violation] = []
        var unused = exceptions.filter { tree.exists($0.file) }
        for file in pages() + sources() {
            for passage in try passages(of: file) {
                for (phrase, violation) in phrases(in: passage, of: file) {
                    unused.removeAll { $0.file == file && $0.phrase == phrase }
                    let isExcused = exceptions.contains { $0.file == file && $0.phrase == phrase }
                    if !isExcused { violations.append(violation) }
                }
                if limitsSentences(of: file), passage.isProse {
                    violations += longSentences(in: passage, of: file)
                }
            }
        }
        return violations
            + unused.map {
                let problem = "the exception for \"\($0.phrase)\" is unused"
                return Violation($0.file, problem, "remove it from LanguageRules.swift")
            }
    }

    // MARK: Texts

    /// The changelogs of packages are excluded: they record earlier releases.
    private func pages() -> [String] {
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].filter(tree.exists)
            + tree.files(in: "Packages", "Tools", "Tests", "Docs", ".github", suffix: ".md")
            .filter { !$0.hasSuffix("/CHANGELOG.md") } + tree.files(in: "Packages", suffix: ".html")
    }

    /// The benchmarks are excluded, whose names of figures are keys of recorded measurements, and the
    /// phrases with their tests.
    private func sources() -> [String] {
        (tree.files(in: "Packages", "Tools", "Tests", "Docs/examples")
            + tree.files(in: "Packages", suffix: ".js"))
            .filter { file in
                !["Tools/bench/", "Tools/check/Tests/"].contains(where: file.hasPrefix)
                    && !file.hasSuffix("/LanguageRules.swift")
            }
    }

    /// `Tests/Crash` is a program, `Tests/CrashTests` and `Packages/CouchbaseLiteSwift/Tests` are tests.
    private static func isTest(_ file: String) -> Bool {
        file.split(separator: "/").dropFirst().contains { $0.hasSuffix("Tests") }
    }

    private func passages(of file: String) throws -> [Passage] {
        let text = try tree.text(file)
        if file.hasSuffix(".md") || file.hasSuffix(".html") { return try PageText.read(text) }
        if Self.isTest(file) {
            let names = try Pattern(
                #"(?<=@(?:Test|Suite)\(\s{0,40})"([^"]*)"|\bfunc (?:`([^`]+)`|(test\w+))"#
            )
            return names.matches(in: text).map { match in
                Passage(of: [(match.line, Self.withoutCommands(match.groups[1...].joined()))])
            }
        }
        // One word is no text.
        return try StringLiterals(isScript: file.hasSuffix(".js")).read(text)
            .filter { $0.contains { $0.text.utf8.contains(0x20) } }
            .map { Passage(of: $0.map { ($0.line, Self.withoutCommands($0.text)) }) }
    }

    /// A text with code in place of code spans and quoted commands.
    private static func withoutCommands(_ text: String) -> String {
        guard text.contains("`") || text.contains("'divan ") else { return text }
        return text.replacing(/`[^`\n]+`|'divan [^'\n]*'/, with: Passage.code)
    }

    /// Folders whose long literals are code of another language.
    private static let codeFolders = ["/Completion/", "/Translation/"]

    private func limitsSentences(of file: String) -> Bool {
        if file.hasSuffix(".md") { return file == "README.md" || file.hasPrefix("Docs/guides/") }
        return ["Tools/command/", "Packages/"].contains(where: file.hasPrefix)
            && !file.hasSuffix(".html") && !Self.codeFolders.contains(where: file.contains)
    }

    // MARK: Rules

    private func phrases(in passage: Passage, of file: String) -> [(String, Violation)] {
        let isMessage = !file.hasSuffix(".md") && passage.words.count > 2
        return passage.words.enumerated().flatMap { index, word in
            (Self.rulesByWord[word.text] ?? []).compactMap { entry in
                guard entry.rule.scope == .all || isMessage,
                    let found = entry.rule.match(passage.words, at: index)
                else { return nil }
                let problem = "\"\(found)\" is not plain English"
                return (found, Violation("\(file):\(word.line)", problem, entry.rule.remedy))
            }
        }
    }

    private func longSentences(in passage: Passage, of file: String) -> [Violation] {
        passage.sentences.filter { $0.count > Self.longestSentence }.map { sentence in
            let beginning = sentence.prefix(5).map(\.text).joined(separator: " ")
                .replacing(Passage.code, with: "`…`")
            return Violation(
                "\(file):\(sentence.first?.line ?? 0)",
                "a sentence of \(sentence.count) words (\"\(beginning) …\"), the limit is "
                    + "\(Self.longestSentence)",
                "split it, or make it a list"
            )
        }
    }
}
