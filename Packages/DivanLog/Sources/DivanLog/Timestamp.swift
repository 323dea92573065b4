import DivanPlatform

/// Microseconds since 1970 in UTC, as a log line shows them.
struct Timestamp: Sendable {
    let microseconds: Int64

    static func now() -> Timestamp {
        Timestamp(microseconds: Int64(WallClock.now() / 1000))
    }

    var milliseconds: Int64 { microseconds / 1000 }

    /// The time in ISO 8601, such as `2026-11-20T07:46:27.123456Z`.
    var text: String {
        let parts = CalendarTime(secondsSince1970: microseconds / 1_000_000)
        let date = [padded(parts.year, 4), padded(parts.month, 2), padded(parts.day, 2)]
        let time = [parts.hour, parts.minute, parts.second].map { padded($0, 2) }
        let fraction = padded(Int(microseconds % 1_000_000), 6)
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(fraction)Z"
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
