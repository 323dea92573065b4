internal import CDivanSQL

/// Parses dates, in the same way for the date functions of SQL++ and the getters of documents.
public enum DateText {
    /// Parses a date, or a date and a time, like `STR_TO_MILLIS`.
    ///
    /// `YYYY-MM-DD`, the year with or without a minus sign; then `T` or spaces and `HH:MM`, `HH:MM:SS` or
    /// `HH:MM:SS.s…`, of which milliseconds are used; then, after optional spaces, `Z`, `±HHMM` or `±HH:MM` with at
    /// most 14 hours. `24:00` is the end of a day.
    ///
    /// - Parameters:
    ///   - text: The whole text; leading white space is not allowed.
    ///   - isLocal: Whether text without a time zone means local time; otherwise it means UTC. The system
    ///     determines the result for the hours that are repeated or skipped.
    /// - Returns: Milliseconds since the start of 1970, UTC; `nil` for other text and for a day that does not
    ///   exist. Can be called on any thread.
    public static func milliseconds(_ text: String, isLocal: Bool) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            var milliseconds: Int64 = 0
            // The bytes of a string have an address unless it is empty, and an empty text is no date.
            guard let start = bytes.baseAddress,
                divan_date_milliseconds(start, Int64(bytes.count), isLocal, &milliseconds)
            else { return nil }
            return milliseconds
        }
    }
}
