import Foundation

/// Imports between packages only point down, and only where the table allows them.
///
/// The table is in `Docs/architecture.md`, between the lines `<!-- arrows -->` and
/// `<!-- /arrows -->`: floor, package, its contents, what it may import.
public struct ArrowsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns what violates the table: imports, manifest dependencies, and the table itself.
    public func violations() throws -> [Violation] {
        let rows = try table()
        var violations = tableViolations(rows)
        for package in try tree.packages() {
            guard let row = rows[package] else {
                violations.append(
                    Violation(
                        place: "Packages/\(package)",
                        problem: "the package has no row in the table of arrows",
                        remedy: "add it to \(Self.page)"
                    )
                )
                continue
            }
            violations += try importViolations(package, row)
            violations += try manifestViolations(package, row)
        }
        return violations
    }

    static let page = "Docs/architecture.md"

    struct Row: Equatable {
        var floor: Int
        var arrows: Set<String>
    }

    func table() throws -> [String: Row] {
        let text = try tree.text(Self.page)
        guard let start = text.range(of: "<!-- arrows -->"),
            let end = text.range(of: "<!-- /arrows -->")
        else { return [:] }
        var rows: [String: Row] = [:]
        for line in String(text[start.upperBound..<end.lowerBound]).lines {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, let floor = Int(cells[0]) else { continue }
            let arrows = cells[3].split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            rows[module(cells[1])] = Row(floor: floor, arrows: Set(arrows.map(module)))
        }
        let all = Set(rows.keys)
        for (name, row) in rows {
            if row.arrows.contains("all below") {
                let below = all.filter { (rows[$0]?.floor ?? 0) < row.floor }
                rows[name]?.arrows = below.subtracting(["DivanTestKit"])
            } else {
                rows[name]?.arrows = row.arrows.subtracting(["–"])
            }
        }
        return rows
    }

    private func module(_ cell: String) -> String {
        let name = cell.replacingOccurrences(of: "`", with: "")
        if ["–", "all below", "Divan", "CouchbaseLiteSwift"].contains(name) { return name }
        return "Divan" + name
    }

    private func tableViolations(_ rows: [String: Row]) -> [Violation] {
        guard !rows.isEmpty else {
            return [
                Violation(
                    place: Self.page,
                    problem: "the table of arrows is missing",
                    remedy: "restore it between <!-- arrows --> and <!-- /arrows -->"
                )
            ]
        }
        var violations: [Violation] = []
        for (name, row) in rows.sorted(by: { $0.key < $1.key }) {
            for arrow in row.arrows.sorted() {
                if let floor = rows[arrow]?.floor, floor < row.floor { continue }
                violations.append(
                    Violation(
                        place: Self.page,
                        problem: "the arrow \(name) → \(arrow) does not point down",
                        remedy: "take the arrow out or move a package to another floor"
                    )
                )
            }
        }
        return violations
    }

    private func importViolations(_ package: String, _ row: Row) throws -> [Violation] {
        var violations: [Violation] = []
        for file in tree.files(under: "Packages/\(package)/Sources", suffix: ".swift") {
            for (index, line) in try tree.text(file).lines.enumerated() {
                guard let imported = Self.importedModule(String(line)) else { continue }
                let isOurs =
                    imported.hasPrefix("Divan") || imported.hasPrefix("CDivan")
                    || imported == "CouchbaseLiteSwift"
                let isAllowed =
                    row.arrows.contains(imported) || imported == "C" + package
                    || imported == package
                if isOurs && !isAllowed {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "\(package) may not import \(imported)",
                            remedy: "turn the arrow round, or argue for it in \(Self.page)"
                        )
                    )
                }
                if imported == "Foundation" && Self.coresWithoutFoundation.contains(package) {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "\(package) is a core and may not import Foundation",
                            remedy: "hand in what it needs"
                        )
                    )
                }
            }
        }
        return violations
    }

    private func manifestViolations(_ package: String, _ row: Row) throws -> [Violation] {
        let manifest = "Packages/\(package)/Package.swift"
        let text = try tree.text(manifest)
        var violations: [Violation] = []
        for part in text.components(separatedBy: ".package(path: \"../").dropFirst() {
            let dependency = String(part.prefix { $0 != "\"" })
            let isForTests = !text.contains("Sources/\(dependency)") && testsOnly(dependency, text)
            if !row.arrows.contains(dependency) && !isForTests {
                violations.append(
                    Violation(
                        place: manifest,
                        problem: "the library depends on \(dependency) without an arrow",
                        remedy: "remove it, or add the arrow to \(Self.page)"
                    )
                )
            }
        }
        return violations
    }

    /// Whether only the test target of the manifest names the dependency.
    private func testsOnly(_ dependency: String, _ manifest: String) -> Bool {
        guard let tests = manifest.range(of: ".testTarget(") else { return false }
        let beforeTests = manifest[..<tests.lowerBound]
        guard let targets = beforeTests.range(of: "targets: [\n") else { return false }
        return !beforeTests[targets.upperBound...].contains("\"\(dependency)\"")
    }

    /// The module that a line imports, as a whole or a declaration of it; `nil` for other lines.
    static func importedModule(_ line: String) -> String? {
        let words = line.split(separator: " ")
        guard let position = words.firstIndex(of: "import"), position + 1 < words.count else {
            return nil
        }
        let modifiers: Set<Substring> = [
            "public", "internal", "package", "fileprivate", "private",
        ]
        let before = words[..<position]
        guard before.allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") }) else { return nil }
        // If a single declaration is imported, its kind comes before the module.
        let names = words[(position + 1)...].drop { kinds.contains($0) }
        return names.first?.split(separator: ".").first.map(String.init)
    }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]

    private static let coresWithoutFoundation: Set<String> = [
        "DivanCrypto", "DivanCompression", "DivanJSON", "DivanWebSocket", "DivanBLIP",
        "DivanDelta", "DivanRevisions", "DivanQuery", "DivanSQL", "DivanMesh", "DivanConflicts",
        "DivanReplicator", "DivanVectors",
    ]
}
