/// Only DivanPlatform imports the system's C library, so that a port to another system changes one package.
///
/// Foundation re-exports the C library on Linux; what uses it that way is found by `make platforms`, which compiles
/// everything without it.
public struct PlatformCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    private static let home = "Packages/DivanPlatform/"
    private static let folders = ["Packages", "Tools", "Tests", "Docs/examples"]
    private static let libraries: Set = [
        "Android", "Bionic", "Darwin", "Glibc", "Musl", "SwiftGlibc",
    ]

    /// Returns every import of a C library outside that package.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        for folder in Self.folders {
            for file in tree.files(under: folder, suffix: ".swift") {
                if file.hasPrefix(Self.home) { continue }
                for (index, line) in try tree.text(file).lines.enumerated() {
                    guard let module = ArrowsCheck.importedModule(String(line)),
                        Self.libraries.contains(module)
                    else { continue }
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "\(module) is imported outside DivanPlatform",
                            remedy: "use DivanPlatform, or add the call to it"
                        )
                    )
                }
            }
        }
        return violations
    }
}
