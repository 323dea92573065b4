import Foundation

/// Pages and files that comments and other pages refer to must exist.
///
/// A bare page name in backticks must exist somewhere in the repository; the target of a
/// link must exist exactly there. A path in backticks that begins with one of our folders is a file
/// or folder of the repository, or of the package that names it; other paths belong to other projects.
/// A changelog may refer to deleted files.
public struct CitationsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every line that refers to a page that does not exist.
    public func violations() throws -> [Violation] {
        let folders = ["Packages", "Tools", "Tests", "Docs"]
        let pages = folders.flatMap { tree.files(under: $0, suffix: ".md") }
        let sources = folders.flatMap { tree.files(under: $0, suffix: ".swift") }
        let names = Set(pages.compactMap { $0.split(separator: "/").last.map { [UInt8]($0.utf8) } })
        var violations: [Violation] = []
        // The tests of this check refer to pages that do not exist.
        for file in pages + sources where !file.hasPrefix("Tools/check/Tests/") {
            for (index, line) in try tree.text(file).lines.enumerated() {
                let missing = Self.bareNames(in: line).filter { !names.contains([UInt8]($0.utf8)) }
                let broken = file.hasSuffix(".md") ? brokenLinks(in: line, of: file) : []
                for page in missing + broken {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "the page \(page) does not exist",
                            remedy: "write it, or name the one that says it"
                        )
                    )
                }
                for path in brokenPaths(in: line, of: file) {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "\(path) does not exist",
                            remedy: "name the file that took its place"
                        )
                    )
                }
            }
        }
        return violations
    }

    /// The names between backticks that contain nothing else.
    private static func bareNames(in line: Substring) -> [Substring] {
        line.backticked.filter { span in
            guard span.hasSuffix(".md") else { return false }
            return span.utf8.allSatisfy {
                ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a) || ($0 >= 0x30 && $0 <= 0x39)
                    || $0 == 0x2d || $0 == 0x2e
            }
        }
    }

    /// The targets of links to missing files.
    private func brokenLinks(in line: Substring, of file: String) -> [Substring] {
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        return line.ranges(of: "](").compactMap { range in
            let rest = line[range.upperBound...]
            guard let end = rest.firstIndex(of: ")") else { return nil }
            let target = rest[..<end].prefix { $0 != "#" }
            guard !target.isEmpty, !target.contains(":") else { return nil }
            return tree.exists("\(folder)/\(target)") ? nil : target
        }
    }

    /// Paths between backticks, up to the first space, that do not exist.
    private func brokenPaths(in line: Substring, of file: String) -> [Substring] {
        guard !file.hasSuffix("CHANGELOG.md") else { return [] }
        let package = file.split(separator: "/").prefix(2).joined(separator: "/")
        return line.backticked.compactMap { span in
            let path = span.prefix { $0 != " " }
            guard Self.folders.contains(where: { path.hasPrefix($0) }),
                // A pattern or an example is not a file name.
                path.allSatisfy({ $0.isLetter || $0.isNumber || "/.-_+".contains($0) }),
                !path.contains("NNNN"),
                !tree.exists(String(path)), !tree.exists("\(package)/\(path)")
            else { return nil }
            return path
        }
    }

    private static let folders = ["Packages/", "Tools/", "Tests/", "Docs/"]
}
