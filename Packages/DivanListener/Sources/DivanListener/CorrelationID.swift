/// What both ends of a connection write into their logs, so that the two can be laid side by side.
///
/// Source: `websocket-and-urls.md` §3 (`X-Correlation-Id`).
public enum CorrelationID {
    /// The field of the server's answer that tells it to the client.
    public static let field = "X-Correlation-Id"

    /// Makes up a new one, which is no secret: 16 hexadecimal digits.
    public static func make() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
