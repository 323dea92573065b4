/// Dates as text, the form in which documents hold them.
///
/// Source: `behaviour.md` §3.
public enum ISO8601 {
    /// Writes a moment as `YYYY-MM-DDTHH:MM:SS.sssZ`, in UTC, rounded to milliseconds.
    ///
    /// - Parameter seconds: Since the start of 1970, UTC, without leap seconds. Moments outside
    ///   the years 0 to 9999 are moved to the nearest that is inside; NaN counts as 0.
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

    /// Reads a date, or a date and a time, and returns seconds since the start of 1970, UTC.
    ///
    /// The texts that the date functions of SQL++ take, which read them as this does: `YYYY-MM-DD`,
    /// the year with or without a minus sign; behind it `T` or spaces and `HH:MM`, `HH:MM:SS` or
    /// `HH:MM:SS.s…`, of which milliseconds count; behind that, spaces allowed, `Z`, `±HHMM` or
    /// `±HH:MM` with at most 14 hours. `24:00` is the end of a day.
    ///
    /// - Parameters:
    ///   - text: The whole text; white space in front of it is refused.
    ///   - localOffset: For a text without a zone, which means local time: seconds by which local
    ///     time is ahead of UTC, given the moment as if it were UTC.
    /// - Returns: `nil` for any other text and for a day that no calendar has.
    public static func parse(
        _ text: String,
        localOffset: (Double) -> Double = { _ in 0 }
    ) -> Double? {
        var fields = DateFields(text)
        guard let date = fields.takeDate() else { return nil }
        var milliseconds = date.daysSince1970 * 86_400_000
        fields.skipSeparators()
        if !fields.isAtEnd {
            guard let time = fields.takeTime() else { return nil }
            milliseconds += time
            fields.skipBlanks()
        }
        let moment = Double(milliseconds) / 1_000
        if fields.isAtEnd { return moment - localOffset(moment) }
        guard let offset = fields.takeZone() else { return nil }
        fields.skipBlanks()
        return fields.isAtEnd ? Double(milliseconds - offset) / 1_000 : nil
    }

    private static let firstMillisecond = -62_167_219_200_000.0
    private static let lastMillisecond = 253_402_300_799_999.0
}

/// A day of the Gregorian calendar, carried on before its introduction.
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    /// Finds the day by counting in eras of 400 years, which all have 146,097 days; years begin
    /// in March, so that the leap day is the last of its year.
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

    /// Returns `nil` when the calendar has no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        self.init(uncheckedYear: year, month: month, day: day)
        guard (1...12).contains(month), day >= 1 else { return nil }
        let same = CivilDate(daysSince1970: daysSince1970)
        guard same.month == month, same.day == day else { return nil }
    }

    private init(uncheckedYear year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    var daysSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year)
            .flooredQuotientAndRemainder(by: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

/// Takes the fields of a date from the front of its text.
private struct DateFields {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func takeDate() -> CivilDate? {
        let sign: Int64 = take("-") ? -1 : 1
        guard let year = takeNumber(digitCount: 4), take("-"),
            let month = takeNumber(digitCount: 2), take("-"),
            let day = takeNumber(digitCount: 2)
        else { return nil }
        return CivilDate(year: sign * year, month: month, day: day)
    }

    /// Passes what stands between date and time.
    mutating func skipSeparators() {
        repeat { skipBlanks() } while take("T")
    }

    mutating func skipBlanks() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
    }

    /// Milliseconds since midnight.
    mutating func takeTime() -> Int64? {
        guard let hour = takeNumber(digitCount: 2), take(":"),
            let minute = takeNumber(digitCount: 2), minute < 60
        else { return nil }
        let minutes = (hour * 60 + minute) * 60_000
        guard let seconds = takeSeconds(), hour < 24 || minutes + seconds == 86_400_000 else {
            return nil
        }
        return minutes + seconds
    }

    /// Milliseconds since the last full minute; 0 where the text goes on otherwise.
    private mutating func takeSeconds() -> Int64? {
        guard take(":") else { return 0 }
        guard let second = takeNumber(digitCount: 2), second < 60 else { return nil }
        guard take(".") else { return second * 1_000 }
        let digits = rest.prefix { Self.digits.contains($0) }
        rest = rest.dropFirst(digits.count)
        guard !digits.isEmpty else { return nil }
        let values = digits.prefix(4).map { Int64($0 - UInt8(ascii: "0")) } + [0, 0, 0]
        let fraction = values[0] * 100 + values[1] * 10 + values[2]
        return second * 1_000 + fraction + (values[3] >= 5 ? 1 : 0)
    }

    /// Milliseconds ahead of UTC.
    mutating func takeZone() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = take("-") ? -1 : 1
        guard sign < 0 || take("+"), let hour = takeNumber(digitCount: 2), hour <= 14 else {
            return nil
        }
        _ = take(":")
        guard let minute = takeNumber(digitCount: 2), minute < 60 else { return nil }
        return sign * (hour * 60 + minute) * 60_000
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func takeNumber(digitCount: Int) -> Int64? {
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount,
            digits.allSatisfy({ Self.digits.contains($0) })
        else { return nil }
        rest = rest.dropFirst(digitCount)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
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
