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
    /// What has to be reached; `nil` where the figure only informs.
    var must: Requirement?

    /// Our share of the floor, or how often the floor goes into ours where less is better.
    var ratio: Double {
        guard let floor, floor > 0 else { return 0 }
        return ours / floor
    }

    /// Whether it is good enough.
    var isReached: Bool { must?.isReached(by: self) ?? true }
}

/// Times work by a clock that never goes back.
enum Stopwatch {
    /// Returns the seconds that `work` took, the least of several runs.
    static func best(of runs: Int = 3, _ work: () throws -> Void) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<runs { best = min(best, try seconds(work)) }
        return best
    }

    /// Returns the seconds that `work` took.
    static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let elapsed = try ContinuousClock().measure(work).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    }
}
