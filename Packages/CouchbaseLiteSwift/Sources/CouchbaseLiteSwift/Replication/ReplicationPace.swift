/// The speed and remaining time of a replicator, averaged over the last five seconds.
///
/// For progress bars: pass it the replicator's statistics about once a second, and read the results. It has no clock or
/// thread. An addition to the official API.
///
/// ```swift
/// var pace = ReplicationPace()
/// pace.note(replicator.statistics, at: .now)
/// label.text = pace.timeLeft.map { "\($0.formatted(.units())) left" } ?? "…"
/// ```
public struct ReplicationPace: Sendable {
    private struct Reading {
        let moment: ContinuousClock.Instant
        let documentCount: UInt64
        let byteCount: UInt64
    }

    private static let window = Duration.seconds(5)
    private static let readingLimit = 64

    private var readings: [Reading] = []
    private var remainingCount: UInt64?

    /// Creates a pace without readings.
    public init() {}

    /// Adds a reading; ignored if it is earlier than the last one.
    public mutating func note(
        _ statistics: Replicator.Statistics,
        at moment: ContinuousClock.Instant
    ) {
        if let last = readings.last, moment < last.moment { return }
        remainingCount =
            statistics.expectedDocumentCount > 0 ? statistics.remainingDocumentCount : nil
        // More frequent readings add nothing.
        if readings.count == Self.readingLimit { readings.removeLast() }
        readings.append(
            Reading(
                moment: moment,
                documentCount: statistics.pulledDocumentCount + statistics.pushedDocumentCount,
                byteCount: statistics.byteCount
            )
        )
        while readings.count > 2, moment - readings[1].moment >= Self.window {
            readings.removeFirst()
        }
    }

    /// Documents per second in both directions; 0 before the second reading.
    public var documentsPerSecond: Double { rate(\.documentCount) }

    /// Bytes per second in both directions; 0 before the second reading.
    public var bytesPerSecond: Double { rate(\.byteCount) }

    /// The estimated time for the remaining documents; zero if there are none.
    ///
    /// `nil` if it is unknown, because nothing is being transferred or the number of documents is not known yet. The
    /// estimate does not include later changes and the size of documents.
    public var timeLeft: Duration? {
        guard let remainingCount else { return nil }
        if remainingCount == 0 { return .zero }
        let rate = documentsPerSecond
        guard rate > 0 else { return nil }
        return .seconds(min(Double(remainingCount) / rate, Self.longest))
    }

    /// A hundred years: beyond it a number of seconds means nothing.
    private static let longest = 100.0 * 365 * 86_400

    private func rate(_ count: KeyPath<Reading, UInt64>) -> Double {
        guard let first = readings.first, let last = readings.last,
            last[keyPath: count] > first[keyPath: count]
        else { return 0 }
        let time = last.moment - first.moment
        guard time > .zero else { return 0 }
        let seconds = time / .seconds(1)
        return Double(last[keyPath: count] - first[keyPath: count]) / seconds
    }
}
