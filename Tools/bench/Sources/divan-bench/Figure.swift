import Foundation

/// One measured line: our figure and the floor's of the same run.
struct Figure: Codable {
    /// The group that measured it; `nil` in older reports.
    var group: String?
    /// What was done.
    var name: String
    /// The unit of both values; greater is better, unless `must` requires less.
    var unit: String
    /// The value of Divan.
    var ours: Double
    /// The value of plain C or the bare library, doing only the unavoidable part.
    var floor: Double?
    /// What the floor is; a remark if there is none.
    var floorName: String
    /// What must be reached, by the group's `Thresholds`; `nil` if the figure is only informative.
    var must: Requirement?

    /// Our value divided by the floor's; 0 if there is no floor.
    var ratio: Double {
        guard let floor, floor > 0 else { return 0 }
        return ours / floor
    }

    /// Whether it is good enough.
    var isReached: Bool { must?.isReached(by: ours, ratio: ratio) ?? true }
}

// MARK: For people

extension Figure {
    /// Our value with its unit.
    var oursText: String { Self.text(ours, unit) }
    /// The floor with its unit; a dash if there is none.
    var floorText: String { floor.map { Self.text($0, unit) } ?? "–" }

    /// What must be reached; a dash if the figure is only informative.
    var requirementText: String {
        switch must {
        case nil: "–"
        case .share(let share): String(format: "≥ %.2f", share)
        case .times(let factor): String(format: "≤ %.2f", factor)
        case .atLeast(let value): "≥ \(Self.text(value, unit))"
        case .atMost(let value): "≤ \(Self.text(value, unit))"
        }
    }

    /// A value with an appropriate number of digits.
    static func text(_ value: Double, _ unit: String) -> String {
        let digits = value >= 100 || value == 0 ? 0 : value >= 1 ? 1 : value >= 0.1 ? 2 : 3
        return String(format: "%.\(digits)f \(unit)", value).trimmingCharacters(in: .whitespaces)
    }
}
