import Foundation

/// The figures of one run, as a table for people and as JSON for the next comparison.
struct Report: Codable {
    /// When the run began, in seconds since 1970.
    var time: Double
    /// The figures, in the order of measuring.
    var figures: [Figure] = []

    /// The figures that are not good enough.
    var misses: [Figure] { figures.filter { !$0.isReached } }

    /// Adds a figure and prints its line at once.
    mutating func add(_ figure: Figure) {
        if figures.isEmpty { say(Self.heading) }
        figures.append(figure)
        say(Self.line(figure))
    }

    /// Says how many requirements were reached, and which were not.
    func sayVerdict() {
        let required = figures.filter { $0.must != nil }
        guard !required.isEmpty else { return }
        say("\n\(required.count - misses.count) of \(required.count) requirements are reached")
        for figure in misses { say("  missed: \(figure.name)") }
    }

    /// Writes the figures as JSON.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
        say("\nWritten to \(path); compare two runs with make bench-compare A=… B=…")
    }

    /// Reads the figures of an earlier run.
    static func read(_ path: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Prints how much faster or slower each figure became.
    static func sayComparison(_ old: Report, _ new: Report) {
        say(pad("figure", 48) + left("before", 14) + left("after", 14) + left("change", 9))
        for figure in new.figures {
            guard let before = old.figures.first(where: { $0.name == figure.name }) else {
                continue
            }
            let change = before.ours > 0 ? (figure.ours / before.ours - 1) * 100 : 0
            say(
                pad(figure.name, 48) + left(number(before.ours, before.unit), 14)
                    + left(number(figure.ours, figure.unit), 14)
                    + left(String(format: "%+.0f %%", change), 9)
            )
        }
    }

    private static let heading =
        pad("figure", 48) + left("ours", 14) + left("floor", 14) + left("ratio", 7)
        + left("must", 16) + "  floor is"

    private static func line(_ figure: Figure) -> String {
        let floor = figure.floor.map { number($0, figure.unit) } ?? "–"
        let ratio = figure.floor == nil ? "–" : String(format: "%.2f", figure.ratio)
        return pad(figure.name, 48) + left(number(figure.ours, figure.unit), 14)
            + left(floor, 14) + left(ratio, 7) + left(requirement(figure), 16)
            + "  " + figure.floorName
    }

    private static func requirement(_ figure: Figure) -> String {
        guard let must = figure.must else { return "–" }
        let text =
            switch must {
            case .share(let share): String(format: "≥ %.2f", share)
            case .times(let factor): String(format: "≤ %.2f", factor)
            case .atLeast(let value): "≥ \(number(value, ""))"
            case .atMost(let value): "≤ \(number(value, ""))"
            }
        return text.trimmingCharacters(in: .whitespaces) + (figure.isReached ? " yes" : " MISSED")
    }

    private static func number(_ value: Double, _ unit: String) -> String {
        let digits = value < 100 ? 1 : 0
        return String(format: "%.\(digits)f \(unit)", value)
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func left(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
