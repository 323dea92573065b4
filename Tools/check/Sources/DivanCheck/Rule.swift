import Foundation

/// A rule that finds faults, by the name that selects it; the README says why each one stays.
public struct Rule: Sendable {
    /// The name that selects it.
    public let name: String
    /// What breaks the rule in a checkout.
    public let violations: @Sendable (SourceTree) throws -> [Violation]

    /// Every rule, in the order in which they run.
    public static let all: [Rule] = [
        Rule(name: "arrows") { try ArrowsCheck(tree: $0).violations() },
        Rule(name: "manifests") { try ManifestsCheck(tree: $0).violations() },
        Rule(name: "words") { try WordsCheck(tree: $0).violations() },
        Rule(name: "glossary") { try GlossaryCheck(tree: $0).violations() },
        Rule(name: "language") { try LanguageCheck(tree: $0).violations() },
        Rule(name: "keys") { try KeysCheck(tree: $0).violations() },
        Rule(name: "pages") { try PagesCheck(tree: $0).violations() },
        Rule(name: "limits") { try LimitsCheck(tree: $0).violations() },
        Rule(name: "citations") { try CitationsCheck(tree: $0).violations() },
        Rule(name: "examples") { try ExamplesCheck(tree: $0).violations() },
        Rule(name: "headers") { try HeadersCheck(tree: $0).violations() },
        Rule(name: "states") { try StatesCheck(tree: $0).violations() },
    ]
}

/// Files that are generated from others, which `make generate` writes and a rule compares.
protocol Generated {
    var tree: SourceTree { get }
    /// The texts of the files by their paths.
    func generated() throws -> [String: String]
}

extension Generated {
    /// The generated files that are not up to date.
    func stale() throws -> [Violation] {
        try generated().sorted { $0.key < $1.key }.compactMap { path, text in
            guard (try? tree.text(path)) != text else { return nil }
            return Violation(path, "the file is not up to date", "run make generate, and review")
        }
    }

    /// Writes the files that are not up to date.
    func write() throws {
        for (path, text) in try generated() where (try? tree.text(path)) != text {
            let folder = "\(tree.root)/\(path.parent)"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            try text.write(toFile: "\(tree.root)/\(path)", atomically: true, encoding: .utf8)
        }
    }
}

extension SourceTree {
    /// Writes every generated file: packages' manifests, the table of arrows, pages of state machines.
    public func generate() throws {
        try ManifestsCheck(tree: self).write()
        try ArrowsCheck(tree: self).write()
        try StatesCheck(tree: self).write()
    }
}
