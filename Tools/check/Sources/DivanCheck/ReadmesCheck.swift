/// The code in a package's README is compiled: each line of a Swift block occurs, in the same order, in
/// one of the package's tests or in an example program.
///
/// White space, semicolons, imports and comments are ignored, and so is the comma after a last argument:
/// the formatter of the tests breaks lines that a page does not. A test may have checks between the lines.
public struct ReadmesCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns the blocks that no test contains.
    public func violations() throws -> [Violation] {
        let examples = try code(under: "Docs/examples")
        var violations: [Violation] = []
        for package in try tree.packages() {
            let page = "Packages/\(package)/README.md"
            guard tree.exists(page) else { continue }
            let blocks = swiftBlocks(try tree.text(page))
            guard !blocks.isEmpty else { continue }
            let tests = try code(under: "Packages/\(package)/Tests") + examples
            for block in blocks where !tests.contains(where: { holds($0, block.lines) }) {
                violations.append(
                    Violation(
                        place: "\(page):\(block.line)",
                        problem: "no test of the package holds the example, line by line",
                        remedy: "write it into ReadmeTests, or show what a test has"
                    )
                )
            }
        }
        return violations
    }

    private func holds(_ code: String, _ lines: [String]) -> Bool {
        var rest = code[...]
        for line in lines {
            guard let place = rest.firstRange(of: line) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }

    /// The tests' files, each as one line of code.
    private func code(under folder: String) throws -> [String] {
        try tree.files(under: folder, suffix: ".swift").map { path in
            try tree.text(path).lines.map(\.bare).joined()
                .replacing(",)", with: ")").replacing(",]", with: "]")
        }
    }

    private func swiftBlocks(_ page: String) -> [(line: Int, lines: [String])] {
        var blocks: [(line: Int, lines: [String])] = []
        var isOpen = false
        for (number, line) in page.lines.enumerated() {
            if line.hasPrefix("```") {
                isOpen = line == "```swift"
                if isOpen { blocks.append((number + 1, [])) }
            } else if isOpen {
                var bare = line.bare
                // In a test it may be the last argument, before a closing bracket.
                if bare.hasSuffix(",") { bare.removeLast() }
                if !bare.isEmpty { blocks[blocks.count - 1].lines.append(bare) }
            }
        }
        return blocks.filter { !$0.lines.isEmpty }
    }
}

extension Substring {
    /// A line without spaces, semicolons, a comment and an import.
    fileprivate var bare: String {
        let text = trimmed
        guard !text.hasPrefix("//"), !text.hasPrefix("import "), !text.hasPrefix("@testable ")
        else {
            return ""
        }
        let code = text.firstRange(of: " //").map { text[..<$0.lowerBound] } ?? text
        return String(decoding: code.utf8.filter { $0 != 0x20 && $0 != 0x3B }, as: UTF8.self)
    }
}
