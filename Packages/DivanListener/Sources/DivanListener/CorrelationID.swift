/// An ID that both ends of a connection write into their logs, so that the two can be compared.
///
/// Source: `websocket-and-urls.md` §3 (`X-Correlation-Id`).
public enum CorrelationID {
    /// The field of the server's answer that passes it to the client.
    public static let field = "X-Correlation-Id"

    /// Generates a new one, which is not secret: 16 hexadecimal digits.
    public static func make() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
