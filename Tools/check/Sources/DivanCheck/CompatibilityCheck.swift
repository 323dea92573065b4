import Foundation

/// The tests exist that the pages about supported features name.
///
/// In these pages every code span in the last column of a table, if its header is "Test", is the name of a
/// test: the text between the backticks of its function, or an XCTest method's name; or it is the name
/// of a figure with a threshold in the bench.
public struct CompatibilityCheck {
    private static let pages = [
        "Docs/compatibility.md", "Docs/answers.md", "Docs/query-declarations.md",
    ]

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns each name that is not a test's, and each row that names neither a test nor a reason.
    public func violations() throws -> [Violation] {
        let known = try TestNames(tree).all.union(figureNames())
        return try Self.pages.filter(tree.exists).flatMap { try violations(of: $0, known) }
    }

    private func violations(of page: String, _ known: Set<String>) throws -> [Violation] {
        var violations: [Violation] = []
        var isTestColumn = false
        for (index, line) in try tree.text(page).lines.enumerated() {
            let cells = line.cells
            guard let last = cells.last else {
                isTestColumn = false
                continue
            }
            if last == "Test" { isTestColumn = true }
            guard isTestColumn, last != "Test", !last.hasPrefix("---") else { continue }
            let place = "\(page):\(index + 1)"
            if last.isEmpty {
                violations.append(
                    Violation(
                        place: place,
                        problem: "the row names neither a test nor a reason",
                        remedy: "write one of them into its last column"
                    )
                )
            }
            for name in last[...].backticked.map(String.init) where !known.contains(name) {
                violations.append(
                    Violation(
                        place: place,
                        problem: "there is no test \"\(name)\"",
                        remedy: "name the test that proves the row, or write it"
                    )
                )
            }
        }
        return violations
    }

    /// The names of the figures that have a threshold: the keys of the bench's thresholds.
    private func figureNames() throws -> Set<String> {
        var names: Set<String> = []
        for file in tree.files(under: "Tools/bench/thresholds", suffix: ".json") {
            let root = try JSONSerialization.jsonObject(with: Data(tree.text(file).utf8))
            names.formUnion((root as? [String: Any])?.keys.map(\.self) ?? [])
        }
        return names
    }
}
