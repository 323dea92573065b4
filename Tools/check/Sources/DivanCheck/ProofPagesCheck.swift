/// The suites and tests exist that pages name as proofs.
///
/// In the columns of tables with the header "test", "proof", "shown by" or "guarded by", each code span
/// that ends in `Tests` is a suite, or a test target. The names of its tests follow it:
/// `` `ASuite/one test` ``, then `` `…/another` `` of the same suite, or `` `ASuite`: one test; another ``. The
/// beginning of a name is enough; text in parentheses after it is an explanation.
public struct ProofPagesCheck {
    private static let heads: Set<String> = ["test", "proof", "shown by", "guarded by"]

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every row that names a suite or a test that does not exist.
    public func violations() throws -> [Violation] {
        let tests = try TestNames(tree)
        var violations: [Violation] = []
        for page in tree.files(under: "Docs", suffix: ".md") {
            var columns: [Int]?
            for (index, line) in try tree.text(page).lines.enumerated() {
                let cells = line.cells
                guard !cells.isEmpty else {
                    columns = nil
                    continue
                }
                guard let proofs = columns else {
                    columns = cells.indices.filter { Self.heads.contains(cells[$0].lowercased()) }
                    continue
                }
                for column in proofs where cells.indices.contains(column) {
                    for missing in Self.missing(in: cells[column], tests) {
                        violations.append(
                            Violation(
                                place: "\(page):\(index + 1)",
                                problem: "there is no \(missing)",
                                remedy: "name the test that proves the row, or write it"
                            )
                        )
                    }
                }
            }
        }
        return violations
    }

    private static func missing(in cell: Substring, _ tests: TestNames) -> [String] {
        var missing: [String] = []
        var suite = ""
        // Code spans are every second piece.
        let pieces = cell.split(separator: "`", omittingEmptySubsequences: false)
        for place in stride(from: 1, to: pieces.count, by: 2) {
            let span = pieces[place].split(separator: "/", maxSplits: 1)
            guard let first = span.first else { continue }
            let isSame = first == "…"
            if !isSame {
                let name = first.split { $0 == " " || $0 == "." }.last ?? first
                guard name.hasSuffix("Tests"), name != "Tests", name.allSatisfy(\.isLetter) else {
                    continue
                }
                suite = String(name)
            }
            guard tests.bySuite[suite] != nil else {
                missing.append("suite \(suite)")
                continue
            }
            var names = span.count == 2 ? [span[1]] : []
            if place + 1 < pieces.count {
                names += listed(pieces[place + 1], isLast: place + 2 >= pieces.count)
            }
            for name in names where !tests.has(name, in: suite) {
                missing.append("test \"\(name)\" in \(suite)")
            }
        }
        return missing
    }

    /// The names after a colon, separated by semicolons.
    ///
    /// Between two code spans, the last piece belongs to the second: a package, or nothing.
    private static func listed(_ text: Substring, isLast: Bool) -> [Substring] {
        guard text.hasPrefix(": ") else { return [] }
        let names = text.dropFirst(2).split(separator: ";", omittingEmptySubsequences: false)
        return (isLast ? names[...] : names.dropLast()).compactMap { name in
            let bare = (name.firstRange(of: " (").map { name[..<$0.lowerBound] } ?? name).trimmed
            return bare.isEmpty ? nil : bare
        }
    }
}
