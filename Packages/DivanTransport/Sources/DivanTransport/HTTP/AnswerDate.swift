import DivanHTTP
import DivanPlatform

/// This machine's time in an answer, from which a client notices that a clock is wrong.
enum AnswerDate {
    /// The fields, with `Date` added if it is missing.
    static func adding(to headers: HTTPHeaders) -> HTTPHeaders {
        guard headers["Date"] == nil else { return headers }
        var headers = headers
        headers.append("Date", HTTPDate.text(secondsSince1970: WallClock.seconds()))
        return headers
    }
}
