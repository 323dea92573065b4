import Foundation

/// One measured line: ours beside the floor of the same run.
struct Figure: Codable {
    /// The group that measured it; `nil` in reports of before.
    var group: String?
    /// What was done.
    var name: String
    /// The unit of both values; greater is better, unless `must` wants less.
    var unit: String
    /// What Divan reached.
    var ours: Double
    /// What plain C or the bare library reached, doing only the unavoidable part.
    var floor: Double?
    /// What the floor is; a remark where there is none.
    var floorName: String
    /// What has to be reached, by the group's `Thresholds`; `nil` where the figure only informs.
    var must: Requirement?

    /// Our share of the floor, or how often the floor goes into ours where less is better.
    var ratio: Double {
        guard let floor, floor > 0 else { return 0 }
        return ours / floor
    }

    /// Whether it is good enough.
    var isReached: Bool { must?.isReached(by: ours, ratio: ratio) ?? true }
}

// MARK: For people

extension Figure {
    /// Ours with its unit.
    var oursText: String { Self.text(ours, unit) }
    /// The floor with its unit; a dash where there is none.
    var floorText: String { floor.map { Self.text($0, unit) } ?? "–" }

    /// What has to be reached; a dash where the figure only informs.
    var requirementText: String {
        switch must {
        case nil: "–"
        case .share(let share): String(format: "≥ %.2f", share)
        case .times(let factor): String(format: "≤ %.2f", factor)
        case .atLeast(let value): "≥ \(Self.text(value, unit))"
        case .atMost(let value): "≤ \(Self.text(value, unit))"
        }
    }

    /// A value with as many digits as it deserves.
    static func text(_ value: Double, _ unit: String) -> String {
        let digits = value >= 100 || value == 0 ? 0 : value >= 1 ? 1 : value >= 0.1 ? 2 : 3
        return String(format: "%.\(digits)f \(unit)", value).trimmingCharacters(in: .whitespaces)
    }
}
