/// Time and randomness are passed to a core, so that a test can choose them.
public struct ClocksCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// The packages without a clock and without randomness.
    private static let cores = [
        "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanDelta", "DivanJSON", "DivanMesh",
        "DivanQuery", "DivanReplicator", "DivanRevisions", "DivanSQL", "DivanVectors",
        "DivanWebSocket",
    ]

    /// Found anywhere, even at the end of a longer name.
    private static let endings = [
        "time(nil)", "clock_gettime(", "gettimeofday(", "Clock.now", "Clock().now", "getrandom(",
        "shuffled()", "randomElement()", "WallClock.", "MonotonicClock.", "ProcessorClock.",
    ]

    private static let calls = ["Date()", "Date.now", "UUID()", "SystemRandomNumberGenerator()"]

    /// Returns every line of a core that asks the system for the time or a random number.
    public func violations() throws -> [Violation] {
        var violations: [Violation] = []
        for package in Self.cores {
            for file in tree.files(under: "Packages/\(package)/Sources", suffix: ".swift") {
                for (index, line) in try tree.text(file).lines.enumerated() {
                    let code = line.code
                    guard let call = Self.call(in: code) ?? Self.default(in: code, of: file)
                    else { continue }
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

    /// The sources that callers of the public interface need not pass: permitted where they are defaults.
    private static let handedIn: Set<Substring> = [
        "PeerConfiguration.swift", "ClientHandshake.swift", "WebSocketConnection.swift",
    ]

    /// The system's source of random bytes, except as the default for callers that pass no other.
    private static func `default`(in code: Substring, of file: String) -> String? {
        let call = "SystemRandomSource()"
        guard code.contains(call) else { return nil }
        let isParameter = code.contains("random: any RandomSource = " + call)
        let isHandedIn = handedIn.contains(file.split(separator: "/").last ?? "")
        return isParameter && isHandedIn ? nil : call
    }

    private static func call(in code: Substring) -> String? {
        if code.contains(".random(in:") && !code.contains("using:") { return ".random(in:)" }
        return endings.first { code.contains($0) } ?? calls.first { code.calls($0) }
    }
}
