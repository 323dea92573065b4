import Foundation

/// Several runs of the same groups as Markdown: a heading for each group, a row for each figure, the
/// runs side by side.
struct RunTable {
    private let runs: [Report]

    init(of runs: [Report]) { self.runs = runs }

    /// The page, with the circumstances of each run at its head.
    var markdown: String {
        var lines = runs.enumerated().compactMap { index, run in
            run.circumstances.map {
                let load = String(format: "%.1f", $0.load)
                let commit = $0.commit.prefix(12)
                return "- run \(index + 1): commit \(commit), \($0.date), load \(load)"
            }
        }
        var group: String?
        for figure in runs.first?.figures ?? [] {
            if figure.group != group {
                group = figure.group
                lines += ["", "## \(group ?? "figures")", ""] + Self.heading
            }
            lines.append(row(of: figure))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let heading = [
        "| figure | ours | floor | ratio, each run | must | floor is |",
        "|---|---|---|---|---|---|",
    ]

    private func row(of figure: Figure) -> String {
        let same = runs.map { run in
            run.figures.first { $0.name == figure.name && $0.group == figure.group }
        }
        let each = same.map { other in
            guard let other else { return "–" }
            return other.floor == nil ? other.oursText : String(format: "%.2f", other.ratio)
        }
        let missed = same.indices.filter { same[$0]?.isReached == false }.map { "\($0 + 1)" }
        let verdict = missed.isEmpty ? "" : " **missed in run \(missed.joined(separator: ", "))**"
        let cells = [
            figure.name, figure.oursText, figure.floorText, each.joined(separator: ", "),
            figure.requirementText + verdict, figure.floorName,
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}
