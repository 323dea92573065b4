import DivanTestKit

/// The lines of a run: what was tried, what happened, and whether that is as expected.
final class Report {
    private(set) var count = 0
    private(set) var unexpected: [String] = []

    func heading(_ text: String) { StandardLines.say("\n\(text)") }

    /// Performs one attack; the reaction must be among `expected`.
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

    /// The same for a claim that holds or does not.
    func claim(_ name: String, _ detail: String, _ holds: Bool) {
        count += 1
        StandardLines.say("\(holds ? "ok        " : "UNEXPECTED")  \(name): \(detail)")
        if !holds { unexpected.append(name) }
    }

    /// Reports how many lines there were; returns the exit status.
    func end() -> Int32 {
        StandardLines.say("\nattack: \(count) lines, \(unexpected.count) unexpected")
        for name in unexpected { StandardLines.say("  unexpected: \(name)") }
        return unexpected.isEmpty ? 0 : 1
    }
}
