/// The command is the first user of the public API: the number of its files that use the store
/// below it may only fall.
public struct FloorsCheck {
    private let tree: SourceTree
    private let ceiling: Int

    /// Checks the given checkout against the maximum.
    public init(_ tree: SourceTree, ceiling: Int = 43) {
        self.tree = tree
        self.ceiling = ceiling
    }

    /// Returns a violation if there are more than the ceiling, and if there are fewer.
    public func violations() throws -> [Violation] {
        let files = try tree.files(under: "Tools/command/Sources", suffix: ".swift").filter { file in
            try tree.text(file).lines.prefix { !$0.hasPrefix("//") }.contains { line in
                line.split(separator: " ").suffix(2) == ["import", "DivanStore"]
            }
        }
        guard files.count != ceiling else { return [] }
        return [
            Violation(
                place: "Tools/check/Sources/DivanCheck/FloorsCheck.swift",
                problem: "\(files.count) files of the command import DivanStore, the count is "
                    + "\(ceiling)",
                remedy: files.count > ceiling
                    ? "use Divan; what it lacks, applications lack too"
                    : "lower the count to \(files.count)"
            )
        ]
    }
}
