/// One measured line: ours beside the floor of the same run.
struct Figure: Codable {
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
