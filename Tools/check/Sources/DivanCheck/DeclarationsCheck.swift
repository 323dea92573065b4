/// Every declaration of the query API in the facts is listed on the page that names its test.
public struct DeclarationsCheck {
    private static let facts = "Docs/query/api.md"
    private static let page = "Docs/query-declarations.md"

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns each declaration that the page lacks; `CompatibilityCheck` checks its tests.
    public func violations() throws -> [Violation] {
        guard tree.exists(Self.facts), tree.exists(Self.page) else { return [] }
        var known: Set<Substring> = []
        for line in try tree.text(Self.page).lines {
            for cell in line.cells.dropLast() { known.formUnion(cell.backticked) }
        }
        return try declarations().filter { !known.contains($0.name) }.map { name, line in
            Violation(
                place: "\(Self.facts):\(line)",
                problem: "\(Self.page) does not say which test calls \(name)",
                remedy: "add it to a row there, or a row with the reason why it is absent"
            )
        }
    }

    /// Names with the lines where they first occur.
    private func declarations() throws -> [(name: Substring, line: Int)] {
        var found: [(name: Substring, line: Int)] = []
        var known: Set<Substring> = []
        var (isCode, isTable) = (false, false)
        for (index, line) in try tree.text(Self.facts).lines.enumerated() {
            if line.hasPrefix("## ") { isTable = line.contains("QueryBuilder") }
            if line.hasPrefix("```") {
                isCode = line.hasPrefix("```swift")
                continue
            }
            let names = isCode ? Self.declared(in: line) : isTable ? Self.listed(in: line) : []
            for name in names where known.insert(name).inserted { found.append((name, index + 1)) }
        }
        return found
    }

    /// What a line of Swift declares; a comment may name the setters that are like another.
    private static func declared(in line: Substring) -> [Substring] {
        let form =
            /\b(?:(?:class )?func|var|let|case|class|struct|enum|protocol) `?([A-Za-z]\w*)|\b(set[A-Z]\w*)/
        return line.matches(of: form).compactMap { $0.output.1 ?? $0.output.2 }
    }

    /// The names in the first two cells of a row: types, and members without their arguments.
    private static func listed(in line: Substring) -> [Substring] {
        line.cells.prefix(2).flatMap(\.backticked).flatMap { span -> [Substring] in
            var depth = 0
            let bare = span.filter { character in
                if character == "(" { depth += 1 }
                defer { if character == ")" { depth -= 1 } }
                return depth == 0
            }
            // A type follows a colon.
            return bare.prefix { $0 != ":" }.matches(of: /[A-Za-z]\w*/).map(\.output)
        }
    }
}
