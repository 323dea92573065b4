/// Time and chance are handed to a core, so that a test can choose them.
public struct ClocksCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// The packages that own no clock and throw no dice.
    private static let cores = [
        "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanDelta", "DivanJSON", "DivanQuery",
        "DivanReplicator", "DivanRevisions", "DivanWebSocket",
    ]

    private static let calls = [
        "time(nil)", "clock_gettime(", "gettimeofday(", "Clock.now", "Clock().now", "Date()",
        "Date.now", "UUID()", "SystemRandomNumberGenerator()", "getrandom(", "shuffled()",
        "randomElement()",
    ]

    /// Returns every line of a core that asks the system for the time or for a random number.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        for package in Self.cores {
            for file in tree.files(under: "Packages/\(package)/Sources", suffix: ".swift")
            // The default of the clock that the engine is handed, for callers who want the system's.
            where !file.hasSuffix("DivanReplicator/Both/SystemTime.swift") {
                for (index, line) in try tree.text(file).lines.enumerated() {
                    let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                    guard let call = Self.call(in: code) else { continue }
                    violations.append(
                        Violation(
                            place: "\(file):\(index + 1)",
                            problem: "\(call) in a core",
                            remedy: "let the caller hand in the time or the generator"
                        )
                    )
                }
            }
        }
        return violations
    }

    private static func call(in code: Substring) -> String? {
        if code.contains(".random(in:") && !code.contains("using:") { return ".random(in:)" }
        return calls.first { call in
            code.ranges(of: call).contains { range in
                // Not the end of another name, such as `takeDate()`.
                guard range.lowerBound > code.startIndex, call.first?.isUppercase == true,
                    !call.hasPrefix("Clock")
                else { return true }
                return !code[code.index(before: range.lowerBound)].isLetter
            }
        }
    }
}
