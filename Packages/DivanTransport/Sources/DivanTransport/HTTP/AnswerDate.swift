import DivanHTTP
import Glibc

/// The time of this machine in an answer, by which a client notices that a clock is wrong.
enum AnswerDate {
    /// The fields with `Date`, if they have none.
    static func adding(to headers: HTTPHeaders) -> HTTPHeaders {
        guard headers["Date"] == nil else { return headers }
        var headers = headers
        headers.append("Date", HTTPDate.text(secondsSince1970: Int64(time(nil))))
        return headers
    }
}
