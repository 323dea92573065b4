import DivanTestKit

/// The lines of a run: what was tried, what came of it, and whether that is as it must be.
final class Report {
    private(set) var count = 0
    private(set) var unexpected: [String] = []

    func heading(_ text: String) { StandardLines.say("\n\(text)") }

    /// Carries out one attack; the reaction must be among `expected`.
    func attack(_ name: String, _ expected: String..., by body: () throws -> String) {
        let reaction: String
        do {
            reaction = try body()
        } catch {
            reaction = "\(error)"
        }
        let isExpected = expected.contains(reaction)
        count += 1
        let mark = isExpected ? "ok        " : "UNEXPECTED"
        let wish = isExpected ? "" : "  (expected \(expected.joined(separator: " or ")))"
        StandardLines.say("\(mark)  \(name): \(reaction)\(wish)")
        if !isExpected { unexpected.append(name) }
    }

    /// The same where a claim holds or does not.
    func claim(_ name: String, _ detail: String, _ holds: Bool) {
        count += 1
        StandardLines.say("\(holds ? "ok        " : "UNEXPECTED")  \(name): \(detail)")
        if !holds { unexpected.append(name) }
    }

    /// Says how many lines there were; returns the exit status.
    func end() -> Int32 {
        StandardLines.say("\nattack: \(count) lines, \(unexpected.count) unexpected")
        for name in unexpected { StandardLines.say("  unexpected: \(name)") }
        return unexpected.isEmpty ? 0 : 1
    }
}
