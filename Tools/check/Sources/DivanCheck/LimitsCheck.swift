/// Every bound of a package stands in the table of its README.
public struct LimitsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every member of a `…Limits` type that its package's README does not name.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        for package in try tree.packages() {
            let folder = "Packages/\(package)"
            guard let page = try? tree.text("\(folder)/README.md") else { continue }
            let named = Set(page.split { !$0.isLetter && !$0.isNumber }.map { [UInt8]($0.utf8) })
            for file in tree.files(under: "\(folder)/Sources", suffix: "Limits.swift") {
                for (line, name) in Self.members(of: try tree.text(file))
                where !named.contains([UInt8](name.utf8)) {
                    violations.append(
                        Violation(
                            place: "\(file):\(line)",
                            problem: "the bound \(name) does not stand in the README",
                            remedy: "add it with its default, its reason and what happens then"
                        )
                    )
                }
            }
        }
        return violations
    }

    /// The stored members of the types that a file declares at its top, with their lines.
    private static func members(of text: String) -> [(line: Int, name: Substring)] {
        text.lines.enumerated().compactMap { index, line in
            let words = line.split(separator: " ")
            // Members of a type that is nested in nothing are indented once. A value of the type
            // itself is a choice of bounds, and no bound.
            guard line.hasPrefix("    "), !line.hasPrefix("     "), !line.contains("{"),
                let place = words.firstIndex(where: { $0 == "var" || $0 == "let" }),
                words[..<place].allSatisfy({ $0 == "public" || $0 == "static" }),
                let name = words.dropFirst(place + 1).first, !line.contains("Limits()")
            else { return nil }
            return (index + 1, name.prefix { $0 != ":" })
        }
    }
}
