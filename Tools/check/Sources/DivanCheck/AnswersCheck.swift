import Foundation

/// The tests and figures that `Docs/answers.md` names exist.
///
/// In a table whose last column has the header "Test", every code span in that column is the name of a test (the text
/// between the backticks of its function, or the name of an XCTest method) or of a figure with a threshold in
/// the bench.
public struct AnswersCheck {
    private static let page = "Docs/answers.md"

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns each unknown name, and each row that names neither a test nor a reason.
    public func violations() throws -> [Violation] {
        guard tree.exists(Self.page) else { return [] }
        let known = try TestNames.all(in: tree).union(figureNames())
        var violations: [Violation] = []
        var isTestColumn = false
        for (index, line) in try tree.text(Self.page).lines.enumerated() {
            guard let last = line.cells.last else {
                isTestColumn = false
                continue
            }
            if last == "Test" { isTestColumn = true }
            guard isTestColumn, last != "Test", !last.hasPrefix("---") else { continue }
            let place = "\(Self.page):\(index + 1)"
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
                        problem: "the test \"\(name)\" does not exist",
                        remedy: "name an existing test, or write this one"
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
