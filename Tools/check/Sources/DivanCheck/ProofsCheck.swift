/// Places where the compiler trusts our word: their number may only fall.
///
/// Each is next to the sentence that proves it right; whoever removes one lowers the count.
public struct ProofsCheck {
    private let tree: SourceTree
    private let ceiling: Int

    /// Checks the given checkout against the maximum.
    public init(_ tree: SourceTree, ceiling: Int = 50) {
        self.tree = tree
        self.ceiling = ceiling
    }

    /// Returns a violation if there are more than the ceiling, and if there are fewer.
    public func violations() throws -> [Violation] {
        let files = ["Packages", "Tools", "Tests/Wire"].flatMap {
            tree.files(under: $0, suffix: ".swift")
        }
        var count = 0
        for file in files
        where (file.contains("/Sources/") || file.hasPrefix("Tests/"))
            && !file.contains("/DivanCheck/")
        {
            for line in try tree.text(file).lines {
                let code = line.code
                count += code.ranges(of: "@unchecked Sendable").count
                count += code.ranges(of: "nonisolated(unsafe)").count
            }
        }
        guard count != ceiling else { return [] }
        return [
            Violation(
                place: "Tools/check/Sources/DivanCheck/ProofsCheck.swift",
                problem:
                    "\(count) types and variables are Sendable by our word, the count is \(ceiling)",
                remedy: count > ceiling
                    ? "let the compiler prove it: a Mutex, an actor, or a value"
                    : "lower the count to \(count)"
            )
        ]
    }
}
