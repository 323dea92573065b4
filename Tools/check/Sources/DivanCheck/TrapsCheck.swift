/// Foundation calls that crash the program if a file or a stream cannot be used.
///
/// Each has a variant that throws. A closed standard input, or a directory instead of a file, must
/// be a readable error.
public struct TrapsCheck {
    private struct Rule {
        var call: String
        var remedy: String
    }

    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns every line of a library, a tool or an example with such a call.
    public func violations() throws -> [Violation] {
        let folders = ["Packages", "Tools", "Tests", "Docs"]
        let files = folders.flatMap { tree.files(under: $0, suffix: ".swift") }
        var violations: [Violation] = []
        // This file contains the calls as text.
        for file in files where file.contains("/Sources/") && !file.hasSuffix("TrapsCheck.swift") {
            for (index, line) in try tree.text(file).lines.enumerated() {
                let code = line.code
                for rule in Self.rules where code.calls(rule.call) {
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "\"\(rule.call)\" traps on input",
                            remedy: rule.remedy
                        )
                    )
                }
            }
        }
        return violations
    }

    private static let reading = "use readToEnd() or read(upToCount:), which throw, or read(2)"
    private static let writing = "use write(contentsOf:), which throws, or write(2)"

    private static let rules: [Rule] = [
        Rule(call: "readDataToEndOfFile", remedy: reading),
        Rule(call: "readData(ofLength", remedy: reading),
        Rule(call: "availableData", remedy: reading),
        Rule(call: ".write(Data(", remedy: writing),
        Rule(call: "createFile(", remedy: "open the file with open(2), or write(to:) of Data"),
        Rule(call: "closeFile()", remedy: "use close(), which throws"),
        Rule(call: "synchronizeFile()", remedy: "use synchronize(), which throws"),
        Rule(call: "truncateFile(", remedy: "use truncate(atOffset:), which throws"),
        Rule(call: "seekToEndOfFile(", remedy: "use seekToEnd(), which throws"),
        Rule(call: "seek(toFileOffset", remedy: "use seek(toOffset:), which throws"),
        Rule(call: "offsetInFile", remedy: "use offset(), which throws"),
        Rule(call: ".streamError", remedy: "check the count that was read instead"),
        Rule(call: "launchPath", remedy: "use executableURL and run(), which throws"),
    ]
}
