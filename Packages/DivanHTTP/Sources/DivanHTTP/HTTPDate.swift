/// Moments as HTTP writes them (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// Seconds of the years 1970 to 9999, which the form can write.
    private static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// A moment by its seconds since the start of 1970, UTC, without leap seconds; one out of the years
    /// 1970 to 9999 is moved to the nearest that is inside.
    public static func text(secondsSince1970 seconds: Int64) -> String {
        let seconds = min(max(seconds, range.lowerBound), range.upperBound)
        let (day, second) = (seconds / 86_400, seconds % 86_400)
        let (year, month, dayOfMonth) = date(ofDay: day)
        let time = [second / 3600, second / 60 % 60, second % 60].map(pair).joined(separator: ":")
        return "\(days[Int(day % 7)]), \(pair(dayOfMonth)) \(months[Int(month) - 1]) "
            + "\(year) \(time) GMT"
    }

    /// The date of a day since the start of 1970: years are counted from March, so that the leap day
    /// is the last of one, and in cycles of 400.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let dayOfCycle = shifted % 146_097
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = shifted / 146_097 * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
        return (year, month, dayOfMonth)
    }

    private static func pair(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
