import DivanHTTP
import DivanTransport
import DivanWebSocket

extension TransportClose {
    /// How long a server that refused the connection asks to be left alone; `nil` when it does not
    /// say.
    ///
    /// A date is compared with `now`, seconds since 1970.
    func retryAfter(at now: Int64) -> Duration? {
        guard case .failed(let failure) = self, case .refused(_, _, let headers) = failure.reason,
            let text = headers["Retry-After"]
        else { return nil }
        return Self.delay(text, at: now)
    }

    /// Reads a number of seconds, or a date; `nil` for anything else, and for a time in the past.
    ///
    /// Source: RFC 9110 §10.2.3.
    private static func delay(_ text: String, at now: Int64) -> Duration? {
        let digits = text.utf8
        if !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            // Nine digits are thirty years: longer than anyone waits, and far from overflow.
            return .seconds(digits.count <= 9 ? Int64(text) ?? 0 : 999_999_999)
        }
        guard let date = HTTPDate.seconds(text[...]), date > now else { return nil }
        return .seconds(min(date, 1 << 40) - max(now, 0))
    }
}
