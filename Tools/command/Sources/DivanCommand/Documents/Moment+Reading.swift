import DivanCommandLine
import DivanSQL

/// Moments as people type them.
extension Moment {
    /// Parses a date, a date with a time, or an offset from `now` such as `90s` or `30d`.
    ///
    /// A text without a time zone means UTC. Digits after the milliseconds are cut, as for expirations that
    /// programs set, and not rounded: nothing expires later than requested.
    static func reading(_ text: String, now: Int64) throws(Failure) -> Int64 {
        if let distance = distance(text) {
            let (sum, isTooFar) = now.addingReportingOverflow(distance)
            guard !isTooFar else { throw refusal(text) }
            return sum
        }
        guard let milliseconds = DateText.milliseconds(cut(text), isLocal: false) else {
            throw refusal(text)
        }
        return milliseconds
    }

    /// The text with at most three digits after the point.
    private static func cut(_ text: String) -> String {
        guard let point = text.firstIndex(of: ".") else { return text }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        return "\(text[...point])\(digits.prefix(3))\(text[digits.endIndex...])"
    }

    /// Parses a duration such as `90s` or `30d`, in milliseconds.
    static func distance(_ text: String) -> Int64? {
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
            "invalid time '\(text)'",
            hint: "use a date (2026-12-31), a date and time (2026-12-31T18:00Z) or a duration "
                + "(90s, 15m, 12h, 30d, 4w)"
        )
    }
}
