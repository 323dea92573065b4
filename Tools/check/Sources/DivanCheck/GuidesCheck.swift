/// The code in a guide is compiled or run by the tests, or is marked as not run.
///
/// A Swift block occurs, line by line, in a source below `Docs/examples`. Every other block that can be
/// run is claimed by a test: `Guide("blobs.md", runs: "sh")`. A block that no test can run has the
/// line `*Not run by the tests: …*` above it, with the reason.
public struct GuidesCheck {
    /// Languages in which nothing can be run; any other label of a fence is runnable.
    private static let data = ["ini", "js", "json", "nginx", "text", "yaml"]
    /// The beginning of the line that excuses a block.
    private static let excuse = "*Not run by the tests: "

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns the blocks whose errors no test would notice, and the tests' claims without a block.
    public func violations() throws -> [Violation] {
        let code = try flushCode()
        let takings = try takings()
        var violations: [Violation] = []
        var labels: [(page: Substring, label: Substring)] = []
        for file in tree.files(under: "Docs/guides", suffix: ".md") {
            guard let page = file.split(separator: "/").last else { continue }
            for block in try blocks(of: file) {
                labels.append((page, block.label))
                let isTaken = takings.contains { $0.page == page && $0.label == block.label }
                guard let problem = problem(of: block, isTaken: isTaken, in: code) else { continue }
                violations.append(
                    Violation(
                        place: "\(file):\(block.line)",
                        problem: problem,
                        remedy: "let a test take it, or say why none can: \(Self.excuse)…*"
                    )
                )
            }
        }
        for taking in takings
        where !labels.contains(where: { $0.page == taking.page && $0.label == taking.label }) {
            violations.append(
                Violation(
                    place: taking.file,
                    problem: "\(taking.page) has no block \"\(taking.label)\" to run",
                    remedy: "take it out of the test, or name the label that the page has now"
                )
            )
        }
        return violations
    }

    private func problem(of block: Block, isTaken: Bool, in code: [String]) -> String? {
        guard let language = block.label.split(separator: " ").first else {
            return "the block does not say what language it is in"
        }
        if Self.data.contains(where: { $0 == language }) { return nil }
        if block.label == "swift" {
            let text = block.text.flush
            return code.contains { $0.contains(text) } ? nil : "no test compiles the block"
        }
        return isTaken || block.isExcused ? nil : "no test runs the block"
    }

    // MARK: Pages

    /// The text between two fences.
    private struct Block {
        /// The words after the opening fence.
        let label: Substring
        let line: Int
        let isExcused: Bool
        var text = ""
    }

    private func blocks(of file: String) throws -> [Block] {
        var blocks: [Block] = []
        var open: Block?
        var above: Substring = ""
        for (index, line) in try tree.text(file).lines.enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(block)
                    open = nil
                } else {
                    let isExcused = above.hasPrefix(Self.excuse) && above.hasSuffix("*")
                    open = Block(label: line.dropFirst(3), line: index + 1, isExcused: isExcused)
                }
            } else {
                open?.text += line + "\n"
            }
            if !line.isEmpty { above = line }
        }
        return blocks
    }

    // MARK: Tests

    /// The sources of the code shown to readers, without indentation: a page shows a method
    /// without its type around it.
    private func flushCode() throws -> [String] {
        try tree.files(under: "Docs/examples", suffix: ".swift").map { try tree.text($0).flush }
    }

    /// The labels of a page that tests claim.
    private func takings() throws -> [(file: String, page: Substring, label: Substring)] {
        let folders = ["Tools/command/Tests", "Docs/examples/Tests"]
        let files = folders.flatMap { tree.files(under: $0, suffix: ".swift") }
        var takings: [(String, Substring, Substring)] = []
        for file in files {
            let call = /\bGuide\(\s*"(?<page>[^"]+)",\s*runs:\s*(?<labels>[^)]*)\)/
            for match in try tree.text(file).matches(of: call) {
                for label in match.labels.matches(of: /"(?<label>[^"]*)"/) {
                    takings.append((file, match.page, label.label))
                }
            }
        }
        return takings
    }
}

extension String {
    /// The lines without their indentation.
    fileprivate var flush: String {
        lines.map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }
}
