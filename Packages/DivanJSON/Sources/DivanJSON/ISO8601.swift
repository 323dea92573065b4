/// Converts times to text, the form of dates in documents.
///
/// Source: `behaviour.md` §3.
public enum ISO8601 {
    /// Writes a time as ``format(secondsSince1970:)`` does, if its year has four digits.
    ///
    /// - Returns: 24 characters; `nil` outside the years 0 to 9999, and for NaN.
    public static func text(secondsSince1970 seconds: Double) -> String? {
        let years = firstMillisecond / 1_000..<(lastMillisecond + 1) / 1_000
        return years.contains(seconds) ? format(secondsSince1970: seconds) : nil
    }

    /// Writes a time as `YYYY-MM-DDTHH:MM:SS.sssZ`, in UTC, rounded to milliseconds.
    ///
    /// - Parameter seconds: Since the start of 1970, UTC, without leap seconds. Times outside the years 0 to 9999
    ///   become the nearest time within; NaN is treated as 0.
    /// - Returns: 24 characters.
    public static func format(secondsSince1970 seconds: Double) -> String {
        let rounded = seconds.isNaN ? 0 : (seconds * 1_000).rounded()
        let milliseconds = Int64(min(max(rounded, firstMillisecond), lastMillisecond))
        let (day, time) = milliseconds.flooredQuotientAndRemainder(by: 86_400_000)
        let date = CivilDate(daysSince1970: day)
        var text = ""
        text.reserveCapacity(24)
        text.append(date.year, digitCount: 4)
        text.append("-")
        text.append(date.month, digitCount: 2)
        text.append("-")
        text.append(date.day, digitCount: 2)
        text.append("T")
        text.append(time / 3_600_000, digitCount: 2)
        text.append(":")
        text.append(time / 60_000 % 60, digitCount: 2)
        text.append(":")
        text.append(time / 1_000 % 60, digitCount: 2)
        text.append(".")
        text.append(time % 1_000, digitCount: 3)
        text.append("Z")
        return text
    }

    private static let firstMillisecond = -62_167_219_200_000.0
    private static let lastMillisecond = 253_402_300_799_999.0
}

/// A day of the Gregorian calendar, which is also used before its introduction.
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    /// Finds the day by counting in eras of 400 years, which all have 146,097 days; years begin
    /// in March, so that the leap day is the last day of its year.
    init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }
}

extension Int64 {
    /// Divides by a positive number so that the remainder is never negative.
    fileprivate func flooredQuotientAndRemainder(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension String {
    /// Appends a number that is not negative, with leading zeros.
    fileprivate mutating func append(_ value: Int64, digitCount: Int) {
        let digits = String(value)
        append(String(repeating: "0", count: max(0, digitCount - digits.count)) + digits)
    }
}
