/// Closures that an application passes and that are called later, on the library's threads.
///
/// Without `@Sendable`, a closure formed on an actor runs off it, and the compiler does not
/// complain.
public struct ClosuresCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every line of the public libraries that stores a closure without `@Sendable`.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        for package in ["Divan", "CouchbaseLiteSwift"] {
            for file in tree.files(under: "Packages/\(package)/Sources", suffix: ".swift") {
                for (index, line) in try tree.text(file).lines.enumerated()
                where Self.keepsClosure(line) && !line.contains("@Sendable") {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "a closure of the application is kept without @Sendable",
                            remedy: "mark it @Sendable, with @preconcurrency before the declaration"
                        )
                    )
                }
            }
        }
        return violations
    }

    /// Whether a line declares a parameter, a property or an alias with a stored closure.
    private static func keepsClosure(_ line: Substring) -> Bool {
        let code = line.code
        // Called before the call returns, on the caller's own thread.
        if code.contains("conflictHandler: @escaping") { return false }
        if code.contains("@escaping (") { return true }
        let kinds = ["public var ", "public let ", "public typealias ", "public static var "]
        return kinds.contains { code.contains($0) } && code.contains("->")
    }
}
