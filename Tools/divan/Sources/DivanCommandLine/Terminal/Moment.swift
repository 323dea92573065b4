import DivanJSON
import Glibc

/// Moments as people type and read them; counted in milliseconds since 1970.
package enum Moment {
    /// Characters of `text(_:)`.
    package static let characterCount = 24

    /// Returns `2026-11-20T08:00:00.000Z`.
    package static func text(_ milliseconds: Int64) -> String {
        ISO8601.format(secondsSince1970: Double(milliseconds) / 1000)
    }

    /// The present moment.
    package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Reads a date, a date with a time, or a distance from `now` such as `90s` or `30d`.
    ///
    /// A text without a zone means UTC.
    package static func reading(_ text: String, now: Int64) throws(Failure) -> Int64 {
        if let distance = distance(text) {
            let (sum, isTooFar) = now.addingReportingOverflow(distance)
            guard !isTooFar else { throw refusal(text) }
            return sum
        }
        guard let seconds = ISO8601.parse(text),
            let milliseconds = Int64(exactly: (seconds * 1000).rounded())
        else { throw refusal(text) }
        return milliseconds
    }

    private static func distance(_ text: String) -> Int64? {
        let units: [Character: Int64] = [
            "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000,
        ]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            count >= 0
        else { return nil }
        let (product, isTooFar) = count.multipliedReportingOverflow(by: unit)
        return isTooFar ? nil : product
    }

    private static func refusal(_ text: String) -> Failure {
        .usage(
            "\"\(text)\" is no time; write 2026-12-31, 2026-12-31T18:00Z, or a distance such as "
                + "90s, 15m, 12h, 30d, 4w"
        )
    }
}
