import DivanWebSocket
import Foundation

/// Whether the clocks of both sides agree, by the server's `Date` field.
struct ClockFinding {
    /// Seconds that this machine is ahead; `nil` if the server does not send the time.
    let skew: Int?

    init(_ headers: HTTPHeaders, now: Date = Date()) {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        skew = headers["Date"].flatMap { formatter.date(from: $0) }
            .flatMap { Int(exactly: now.timeIntervalSince($0).rounded()) }
    }

    /// The difference, if it is more than a minute.
    var skewSentence: String? {
        guard let skew, abs(skew) > 60 else { return nil }
        let direction = skew > 0 ? "ahead of" : "behind"
        return "this machine's clock is \(abs(skew)) s \(direction) the server's"
    }

    var finding: Finding {
        guard skew != nil else { return .ok("clock", "the server does not send its time") }
        guard let skewSentence else { return .ok("clock", "both clocks agree within a minute") }
        return .warning(
            "clock",
            skewSentence,
            "correct the clock ('timedatectl'): tokens and certificates depend on it"
        )
    }
}
