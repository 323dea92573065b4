/// One measured line: ours beside the floor of the same run.
struct Figure: Codable {
    /// What was done.
    var name: String
    /// The unit of both values; greater is better.
    var unit: String
    /// What Divan reached.
    var ours: Double
    /// What plain C or the bare library reached, doing only the unavoidable part.
    var floor: Double
    /// What the floor is.
    var floorName: String

    /// Our share of the floor.
    var ratio: Double { floor > 0 ? ours / floor : 0 }
}

/// Times work by a clock that never goes back.
enum Stopwatch {
    /// Returns the seconds that `work` took, the least of several runs.
    static func best(of runs: Int = 3, _ work: () throws -> Void) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<runs {
            let clock = ContinuousClock()
            let elapsed = try clock.measure(work).components
            best = min(best, Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
        }
        return best
    }
}
