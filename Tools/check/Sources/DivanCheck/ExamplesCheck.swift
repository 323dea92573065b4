import Foundation

/// The code in a package's README and in a guide is compiled or run by the tests.
///
/// Each line of a Swift block occurs, in the same order, in an example program or, for a README, in one
/// of the package's tests; a test may format it differently, and have checks between the lines. Every
/// other block of a guide that can be run is claimed by a test: `Guide("blobs.md", runs: "sh")`. A block
/// that no test can run has the line `*Not run by the tests: …*` above it, with the reason.
struct ExamplesCheck {
    let tree: SourceTree

    /// Languages in which nothing can be run; any other label of a fence is runnable.
    private static let data: Set<Substring> = ["ini", "js", "json", "nginx", "text", "yaml"]

    func violations() throws -> [Violation] {
        let examples = try code("Docs/examples")
        let claims = try claims()
        let guides = tree.files(in: "Docs/guides", suffix: ".md")
        let readmes = try tree.packages().map { "Packages/\($0)/README.md" }.filter(tree.exists)
        var labels: Set<[Substring]> = []
        var violations: [Violation] = []
        for page in readmes + guides {
            let isGuide = page.hasPrefix("Docs/guides/")
            let tests = isGuide ? examples : try code("\(page.parent)/Tests") + examples
            for block in try blocks(of: page) where isGuide || block.label == "swift" {
                let claim: [Substring] = [page.split(separator: "/").last ?? "", block.label]
                labels.insert(claim)
                let language = block.label.prefix { $0 != " " }
                let problem: String? =
                    if language.isEmpty {
                        "the block does not say what language it is in"
                    } else if block.label == "swift" {
                        tests.contains { holds($0, block.lines.map(bare)) }
                            ? nil : "no test compiles the block, line by line"
                    } else if Self.data.contains(language) || block.isExcused {
                        nil
                    } else {
                        claims.keys.contains(claim) ? nil : "no test runs the block"
                    }
                guard let problem else { continue }
                let remedy = "let a test run it, or write *Not run by the tests: …* above it"
                violations.append(Violation(block.place, problem, remedy))
            }
        }
        return violations
            + claims.filter { !labels.contains($0.key) }.map { claim, file in
                let problem = "\(claim[0]) has no block \"\(claim[1])\" to run"
                return Violation(file, problem, "use the label that the page has now")
            }
    }

    // MARK: Pages

    /// The text between two fences.
    private struct Block {
        /// The words after the opening fence.
        var label: Substring
        var place: String
        var isExcused: Bool
        var lines: [Substring] = []
    }

    private func blocks(of file: String) throws -> [Block] {
        var blocks: [Block] = []
        var (isOpen, above): (Bool, Substring) = (false, "")
        for line in try tree.lines(of: [file]) {
            if line.text.hasPrefix("```") {
                isOpen.toggle()
                let isExcused = above.hasPrefix("*Not run by the tests: ") && above.hasSuffix("*")
                let label = line.text.dropFirst(3)
                if isOpen {
                    blocks.append(Block(label: label, place: line.place, isExcused: isExcused))
                }
            } else if isOpen {
                blocks[blocks.count - 1].lines.append(line.text)
            }
            if !line.text.isEmpty { above = line.text }
        }
        return blocks
    }

    // MARK: Tests

    /// The files of a folder, each as one line of code.
    private func code(_ folder: String) throws -> [String] {
        try tree.files(in: folder).map { path in
            try tree.text(path).lines.map(bare).joined()
                .replacing(",)", with: ")").replacing(",]", with: "]")
        }
    }

    private func holds(_ code: String, _ lines: [String]) -> Bool {
        var rest = code[...]
        for line in lines where !line.isEmpty {
            // In a test it may be the last argument, before a closing bracket.
            let line = line.hasSuffix(",") ? line.dropLast() : line[...]
            guard let place = rest.range(of: line) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }

    /// A line without spaces, semicolons, a comment and an import.
    private func bare(_ line: Substring) -> String {
        let text = line.trimmed
        guard !["//", "import ", "@testable "].contains(where: text.hasPrefix) else { return "" }
        let code = text.firstRange(of: " //").map { text[..<$0.lowerBound] } ?? text
        return String(decoding: code.utf8.filter { $0 != 0x20 && $0 != 0x3B }, as: UTF8.self)
    }

    /// The pages and labels that tests claim, with the file of the test.
    private func claims() throws -> [[Substring]: String] {
        let calls = try Pattern(#"\bGuide\(\s*"([^"]+)",\s*runs:\s*([^)]*)\)"#)
        var claims: [[Substring]: String] = [:]
        for file in tree.files(in: "Tools/command/Tests", "Docs/examples/Tests") {
            for call in calls.matches(in: try tree.text(file)) {
                for label in call.groups[2].matches(of: /"([^"]*)"/) {
                    claims[[call.groups[1], label.1]] = file
                }
            }
        }
        return claims
    }
}
