import DivanCommandLine
import DivanJSON

/// Connections that were closed to make room for others, for one line in ten seconds at most.
struct CrowdWatch {
    /// What is reported.
    struct Report {
        let count: UInt64
        /// Whether REST clients are meant, not peers.
        let isOverHTTP: Bool

        /// The output for machines.
        var json: JSONObject {
            ["count": JSON(count), "interface": .string(isOverHTTP ? "rest" : "sync")]
        }

        /// The output for people.
        var sentence: String {
            let whose = isOverHTTP ? "HTTP connection" : "peer connection"
            return "closed \(Numbers.count(count, whose)) to make room for others; "
                + "DIVAN_LOG=warning shows whose"
        }
    }

    private static let pause = Duration.seconds(10)

    private let isOverHTTP: Bool
    private var toldCount: UInt64 = 0
    private var lastReport: ContinuousClock.Instant?

    init(isOverHTTP: Bool) {
        self.isOverHTTP = isOverHTTP
    }

    /// The report about a total; `nil` if there is nothing new, or the last one was just now.
    mutating func report(of total: UInt64, at now: ContinuousClock.Instant = .now) -> Report? {
        guard total > toldCount, lastReport.map({ now - $0 >= Self.pause }) ?? true else {
            return nil
        }
        defer { (toldCount, lastReport) = (total, now) }
        return Report(count: total - toldCount, isOverHTTP: isOverHTTP)
    }
}
