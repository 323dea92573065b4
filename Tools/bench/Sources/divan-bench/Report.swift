import Foundation

/// The figures of one run, as a table for people and as JSON for the next comparison.
struct Report: Codable {
    /// `nil` in older reports, which did not contain them.
    var circumstances: RunConditions?
    /// The figures, in the order of measurement.
    var figures: [Figure] = []
    /// Values measured at many moments, for pictures; `nil` in older reports.
    var series: [Series]?
    /// Figures that are required and were not measured.
    private(set) var unmeasured: [String] = []
    private var allThresholds: [String: Thresholds] = [:]
    private var thresholds = Thresholds()
    private var group: String?

    private enum CodingKeys: CodingKey {
        case circumstances, figures, series
    }

    init(_ circumstances: RunConditions, holdingTo thresholds: [String: Thresholds]) {
        self.circumstances = circumstances
        allThresholds = thresholds
    }

    /// The names of figures that miss their requirement.
    var misses: [String] {
        figures.filter { !$0.isReached }.map(\.name) + unmeasured.map { "\($0) (not measured)" }
    }

    /// Adds the figures of a group, measured against its thresholds.
    ///
    /// One that misses a requirement is measured again, `attempts` times in all, and the last time
    /// counts: a machine may be busy for a moment, but a real slowdown persists.
    mutating func add(
        group: String,
        attempts: Int,
        measure: (inout Report) throws -> Void
    ) throws {
        self.group = group
        let before = self
        for attempt in 1...attempts {
            thresholds = allThresholds[group] ?? Thresholds()
            try measure(&self)
            unmeasured += thresholds.unmeasured
            if attempt == attempts || misses.count == before.misses.count { return }
            say("  once more: \(group)")
            self = before
        }
    }

    /// Adds a figure and prints its line at once.
    mutating func add(_ figure: Figure) {
        if figures.isEmpty { say(Self.heading) }
        var figure = figure
        figure.must = thresholds.take(figure.name)
        figure.group = group
        figures.append(figure)
        say(Self.line(figure))
    }

    /// Adds a line of a picture.
    mutating func add(_ line: Series) { series = (series ?? []) + [line] }

    /// Prints how many requirements were reached, and which were not.
    func printVerdict() {
        let required = figures.filter { $0.must != nil }
        guard !required.isEmpty || !misses.isEmpty else { return }
        let all = required.count + unmeasured.count
        say("\n\(all - misses.count) of \(all) requirements are reached")
        for name in misses { say("  missed: \(name)") }
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
    static func printComparison(_ old: Report, _ new: Report) {
        say(pad("figure", 48) + left("before", 14) + left("after", 14) + left("change", 9))
        for figure in new.figures {
            guard let before = old.figures.first(where: { $0.name == figure.name }) else {
                continue
            }
            let change = before.ours > 0 ? (figure.ours / before.ours - 1) * 100 : 0
            say(
                pad(figure.name, 48) + left(before.oursText, 14)
                    + left(figure.oursText, 14)
                    + left(String(format: "%+.0f %%", change), 9)
            )
        }
    }

    private static let heading =
        pad("figure", 48) + left("ours", 14) + left("floor", 14) + left("ratio", 7)
        + left("must", 16) + "  floor is"

    private static func line(_ figure: Figure) -> String {
        let ratio = figure.floor == nil ? "–" : String(format: "%.2f", figure.ratio)
        let verdict = figure.must == nil ? "" : figure.isReached ? " yes" : " MISSED"
        return pad(figure.name, 48) + left(figure.oursText, 14)
            + left(figure.floorText, 14) + left(ratio, 7)
            + left(figure.requirementText + verdict, 16)
            + "  " + figure.floorName
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func left(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
