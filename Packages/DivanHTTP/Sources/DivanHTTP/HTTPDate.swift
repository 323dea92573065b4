import DivanPlatform

/// Dates in HTTP's format, always in UTC: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
///
/// Parses the three formats that occur in headers and cookies (this format, with dashes, asctime) and all other
/// dates that RFC 6265 §5.1.1 can parse.
public enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// The seconds of the years 1970 to 9999, which the format can express.
    private static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// The text for a time in seconds since the start of 1970, without leap seconds; times outside the years 1970 to
    /// 9999 are clamped.
    public static func text(secondsSince1970 seconds: Int64) -> String {
        let parts = CalendarTime(
            secondsSince1970: min(max(seconds, range.lowerBound), range.upperBound)
        )
        let clock = [parts.hour, parts.minute, parts.second].map(pair).joined(separator: ":")
        return "\(days[parts.weekday]), \(pair(parts.day)) \(months[parts.month - 1]) "
            + "\(parts.year) \(clock) GMT"
    }

    private static func pair(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Seconds since 1970; `nil` if a part is missing or out of range.
    public static func seconds(_ text: Substring) -> Int64? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = clockTime(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found < 70 ? found + 2_000 : found < 100 ? found + 1_900 : found
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), year >= 1_601,
            (0..<24).contains(time.hour), (0..<60).contains(time.minute),
            (0..<60).contains(time.second)
        else { return nil }
        let seconds = time.hour * 3_600 + time.minute * 60 + time.second
        return Int64(dayNumber(year, month, day) * 86_400 + seconds)
    }

    /// Days from 1970-01-01 in the Gregorian calendar; years start in March, so leap days are at the end.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        return shifted * 365 + leapDays + dayOfYear - 719_468
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func clockTime(
        _ token: Substring.UTF8View
    ) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 1...2),
            let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// The digits at the start of a token, if their count fits.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let prefix = token.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard digits.contains(prefix.count) else { return nil }
        return prefix.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func monthNumber(_ token: Substring.UTF8View) -> Int? {
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return months.firstIndex { $0.lowercased() == name }.map { $0 + 1 }
    }
}
