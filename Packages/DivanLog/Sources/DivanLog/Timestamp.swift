import Glibc

/// Microseconds since 1970 in UTC, as a log line shows them.
struct Timestamp: Sendable {
    let microseconds: Int64

    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    var milliseconds: Int64 { microseconds / 1000 }

    /// The time in ISO 8601, such as `2026-11-20T07:46:27.123456Z`.
    var text: String {
        var seconds = time_t(microseconds / 1_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [
            padded(Int(parts.tm_year) + 1900, 4), padded(Int(parts.tm_mon) + 1, 2),
            padded(Int(parts.tm_mday), 2),
        ]
        let time = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map { padded($0, 2) }
        let fraction = padded(Int(microseconds % 1_000_000), 6)
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(fraction)Z"
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
