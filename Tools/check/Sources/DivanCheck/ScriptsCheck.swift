import Foundation

/// What the Makefile calls is executable; files with an extension are the data of scripts.
public struct ScriptsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns the scripts that are not executable.
    public func violations() throws -> [Violation] {
        let folder = "Tools/scripts"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: tree.root + "/" + folder))
        let paths = (names ?? []).filter { !$0.contains(".") }.sorted().map { "\(folder)/\($0)" }
        return paths.filter { path in
            !FileManager.default.isExecutableFile(atPath: tree.root + "/" + path)
        }.map { path in
            Violation(
                place: path,
                problem: "the script is not executable",
                remedy: "chmod +x it, and commit the mode"
            )
        }
    }
}
