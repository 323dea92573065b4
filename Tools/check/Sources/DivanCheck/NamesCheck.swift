/// Pages that guide a reader through the code refer to types that exist, and files that declare them.
///
/// A link from a name in code style to a source file says that the file declares it: a type, or a
/// member after the type's name. `CitationsCheck` checks that the file exists.
public struct NamesCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    private static let pages = [
        "Docs/architecture.md", "Docs/glossary.md",
    ]

    /// Types of the toolchain that the pages refer to.
    private static let foreign: Set<[UInt8]> = [
        Array("NSError".utf8), Array("NSUnderlyingErrorKey".utf8), Array("AsyncStream".utf8),
    ]

    private static let kinds = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    private static let members = ["extension", "func", "var", "let", "case", "init"]

    /// Returns every line of such a page that names a type that no package declares, and of any page
    /// that links to a file that does not declare what is named.
    public func violations() throws -> [Violation] {
        try undeclared() + misled()
    }

    private func undeclared() throws -> [Violation] {
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

    private func misled() throws -> [Violation] {
        var violations: [Violation] = []
        for page in tree.files(under: "Docs", suffix: ".md") {
            let folder = page.split(separator: "/").dropLast().joined(separator: "/")
            for (index, line) in try tree.text(page).lines.enumerated() {
                for (name, target) in Self.sourceLinks(in: line) {
                    guard let source = try? tree.text("\(folder)/\(target)"),
                        !Self.declares(source, name)
                    else { continue }
                    violations.append(
                        Violation(
                            place: "\(page):\(index + 1)",
                            problem: "\(target) does not declare \(name)",
                            remedy: "lead to the file that does"
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

    /// The names between backticks that begin like a type's and contain nothing else.
    private static func typeNames(in line: Substring) -> [Substring] {
        line.backticked.filter { span in
            span.first?.isUppercase == true && span.allSatisfy(\.isLetter)
                && span.contains(where: \.isLowercase)
                && !span.hasPrefix("Divan") && !span.hasPrefix("CDivan")
        }
    }

    /// Names in code style that are links to sources, with their targets.
    private static func sourceLinks(in line: Substring) -> [(name: Substring, target: Substring)] {
        line.ranges(of: "`](").compactMap { range in
            let before = line[..<range.lowerBound]
            guard let start = before.lastIndex(of: "`"), before[..<start].last == "[",
                let end = line[range.upperBound...].firstIndex(of: ")")
            else { return nil }
            let target = line[range.upperBound..<end]
            guard target.hasSuffix(".swift") else { return nil }
            return (before[start...].dropFirst(), target)
        }
    }

    /// Whether a source declares, or extends, every part of a name such as `Store.save`.
    private static func declares(_ source: String, _ name: Substring) -> Bool {
        let words = source.lines.flatMap { line in
            line.code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        }
        return name.prefix { $0 != "(" }.split(separator: ".").allSatisfy { part in
            zip(words, words.dropFirst()).contains { kind, declared in
                declared == part && (kinds + members).contains(String(kind))
            }
        }
    }
}
