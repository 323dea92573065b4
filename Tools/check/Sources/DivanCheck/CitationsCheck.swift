import Foundation

/// Pages that comments and other pages name must be there to read.
///
/// A page is named bare in backticks, then one of that name stands anywhere in the repository; or by a
/// link, then it stands just there. A path in backticks belongs to somebody else's repository.
public struct CitationsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every line that names a page which is not there.
    public func violations() throws -> [Violation] {
        let folders = ["Packages", "Tools", "Tests", "Docs"]
        let pages = folders.flatMap { tree.files(under: $0, suffix: ".md") }
        let sources = folders.flatMap { tree.files(under: $0, suffix: ".swift") }
        let names = Set(pages.compactMap { $0.split(separator: "/").last.map { [UInt8]($0.utf8) } })
        var violations: [Violation] = []
        // The tests of this check name pages that are not there.
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
            }
        }
        return violations
    }

    /// The names between backticks that hold nothing else.
    private static func bareNames(in line: Substring) -> [Substring] {
        line.backticked.filter { span in
            guard span.hasSuffix(".md") else { return false }
            return span.utf8.allSatisfy {
                ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a) || ($0 >= 0x30 && $0 <= 0x39)
                    || $0 == 0x2d || $0 == 0x2e
            }
        }
    }

    /// The targets of links to files that are not there.
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
}
