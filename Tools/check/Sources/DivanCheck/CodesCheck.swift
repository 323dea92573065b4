/// Error codes have names in the replicator and the session.
public struct CodesCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every line of the replicator and the session that writes a code as a number.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        for package in ["DivanReplicator", "DivanSession"] {
            for file in tree.files(under: "Packages/\(package)/Sources", suffix: ".swift") {
                for (index, line) in try tree.text(file).lines.enumerated()
                where Self.spellsCode(line.code) && !line.contains("static let ") {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "a code of an error is spelled as a number",
                            remedy: "name it in WireCode.swift, and use the name"
                        )
                    )
                }
            }
        }
        return violations
    }

    private static func spellsCode(_ code: Substring) -> Bool {
        let families = /\.(liteCore|posix|sqlite|fleece|network|webSocket|http|close)(, |\()\d/
        return code.contains(families) || code.contains(/\b(code|status): \d{2,}/)
            || code.contains(/(code|Code|status) [!=]= \d{2,}/) || code.contains(/case \d{3,}/)
            || code.contains(/rawValue: \d{3,}/) || code.contains(/\.refused\(\d/)
    }
}
