/// An ID that both sides of a connection log, so that their logs can be compared.
///
/// Source: `websocket-and-urls.md` §3 (`X-Correlation-Id`).
public enum CorrelationID {
    /// The response header that contains the ID.
    public static let field = "X-Correlation-Id"

    /// Generates an ID of 16 hexadecimal digits; it is not secret.
    public static func make() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
