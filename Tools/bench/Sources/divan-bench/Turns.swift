/// The times of ours and of the floor in turns, one right after the other, in seconds.
///
/// The turn with the middle ratio counts: a moment in which the machine did something else affects
/// one of the two, and spoils the least time of neither side, but the ratio of both.
struct Turns {
    private var pairs: [(ours: Double, floor: Double)] = []

    /// Our time in the last turn.
    var latest: Double? { pairs.last?.ours }

    /// The turn with the middle ratio.
    var middle: (ours: Double, floor: Double) {
        let sorted = pairs.sorted { $0.ours / $0.floor < $1.ours / $1.floor }
        return sorted.isEmpty ? (.infinity, .infinity) : sorted[sorted.count / 2]
    }

    mutating func add(_ pair: (ours: Double, floor: Double)) { pairs.append(pair) }

    mutating func add(ours: Double, floor: Double) { pairs.append((ours, floor)) }
}
