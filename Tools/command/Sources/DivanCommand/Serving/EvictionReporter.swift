import DivanCommandLine
import DivanJSON

/// Counts connections that were closed to accept new ones, and reports them at most every ten seconds.
struct EvictionReporter {
    /// The connections since the last report.
    struct Report {
        let count: UInt64
        /// Whether they belong to REST clients, not to peers.
        let isOverHTTP: Bool

        /// The output for machines.
        var json: JSONObject {
            ["count": JSON(count), "interface": .string(isOverHTTP ? "rest" : "sync")]
        }

        /// The output for people.
        var sentence: String {
            let noun = isOverHTTP ? "HTTP connection" : "peer connection"
            return "closed \(Numbers.count(count, noun)) to accept new ones; "
                + "set DIVAN_LOG=warning to log which"
        }
    }

    private static let pause = Duration.seconds(10)

    private let isOverHTTP: Bool
    private var toldCount: UInt64 = 0
    private var lastReport: ContinuousClock.Instant?

    init(isOverHTTP: Bool) {
        self.isOverHTTP = isOverHTTP
    }

    /// The report about a total; `nil` if nothing is new, or the last report is too recent.
    mutating func report(of total: UInt64, at now: ContinuousClock.Instant = .now) -> Report? {
        guard total > toldCount, lastReport.map({ now - $0 >= Self.pause }) ?? true else {
            return nil
        }
        defer { (toldCount, lastReport) = (total, now) }
        return Report(count: total - toldCount, isOverHTTP: isOverHTTP)
    }
}
