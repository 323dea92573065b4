/// Pages that lead a reader through the code name types that are there.
public struct NamesCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    private static let pages = [
        "Docs/architecture.md", "Docs/glossary.md", "Docs/life-of-a-conflict.md",
    ]

    /// Types of the toolchain that the pages name.
    private static let foreign: Set<[UInt8]> = [
        Array("NSError".utf8), Array("NSUnderlyingErrorKey".utf8), Array("AsyncStream".utf8),
    ]

    private static let kinds = ["struct", "class", "enum", "protocol", "actor", "typealias"]

    /// Returns every line of such a page that names a type which no package declares.
    public func violations() throws -> [Violation] {
        let pages = Self.pages.filter(tree.exists)
        if pages.isEmpty { return [] }
        let declared = try declaredTypes()
        var violations: [Violation] = []
        for page in pages {
            for (index, line) in try tree.text(page).lines.enumerated() {
                for name in Self.typeNames(in: line) where !declared.contains([UInt8](name.utf8)) {
                    violations.append(
                        Violation(
                            place: "\(page):\(index + 1)",
                            problem: "no package declares \(name)",
                            remedy: "name the type that took its place"
                        )
                    )
                }
            }
        }
        return violations
    }

    private func declaredTypes() throws -> Set<[UInt8]> {
        var names = Self.foreign
        for file in tree.files(under: "Packages", suffix: ".swift") where file.contains("/Sources/")
        {
            for line in try tree.text(file).lines {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                for (kind, name) in zip(words, words.dropFirst())
                where Self.kinds.contains(String(kind)) {
                    names.insert([UInt8](name.utf8))
                }
            }
        }
        return names
    }

    /// The names between backticks that begin like a type's and hold nothing else.
    private static func typeNames(in line: Substring) -> [Substring] {
        line.backticked.filter { span in
            span.first?.isUppercase == true && span.allSatisfy(\.isLetter)
                && span.contains(where: \.isLowercase)
                && !span.hasPrefix("Divan") && !span.hasPrefix("CDivan")
        }
    }
}
