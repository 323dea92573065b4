/// The growth of counters per second, averaged over the last few seconds.
public struct RateWindow: Sendable {
    private static let seconds = 3.0
    /// Readings in one window, if there are two a second.
    private static let readingCount = 8

    private var readings: [(moment: Double, values: [UInt64])] = []

    /// Creates a window without readings.
    public init() {}

    /// Records counters at a time in seconds, which never decreases.
    public mutating func note(_ values: [UInt64], at moment: Double) {
        readings.append((moment, values))
        while readings.count > 2, moment - readings[1].moment >= Self.seconds {
            readings.removeFirst()
        }
        if readings.count > Self.readingCount { readings.removeFirst() }
    }

    /// Growth per second of the counter at `index`.
    public func rate(_ index: Int) -> Double {
        guard let first = readings.first, let last = readings.last,
            first.values.indices.contains(index), last.values.indices.contains(index),
            last.moment > first.moment, last.values[index] > first.values[index]
        else { return 0 }
        return Double(last.values[index] - first.values[index]) / (last.moment - first.moment)
    }
}
