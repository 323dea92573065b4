/// Every group of the bench has a file with the requirements of its figures.
public struct ThresholdsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns the groups without a file, and the files without a group.
    public func violations() throws -> [Violation] {
        let table = "Tools/bench/Sources/divan-bench/Groups.swift"
        let folder = "Tools/bench/thresholds"
        guard tree.exists(table) else { return [] }
        let groups = try tree.text(table).matches(of: /Group\(name: "([^"]+)"/).map { String($0.1) }
        let expected = groups.map { "\(folder)/\($0).json" }
        let files = tree.files(under: folder, suffix: ".json")
        let lacking = expected.filter { !files.contains($0) }.map { path in
            Violation(
                place: path,
                problem: "the group has no requirements, so nothing that it measures can fail",
                remedy: "write what its figures have to reach, or {} where that is nothing"
            )
        }
        // Those of a build without optimization, if there are any.
        let further = groups.map { "\(folder)/debug/\($0).json" }
        let idle = files.filter { !expected.contains($0) && !further.contains($0) }.map { path in
            Violation(
                place: path,
                problem: "no group has this name, so the requirements are not used",
                remedy: "name the file after its group in \(table)"
            )
        }
        return lacking + idle
    }
}
