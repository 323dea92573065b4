/// The reason why a request fails: a status and an explanation with the remedy.
public struct HTTPError: Error, Equatable, Sendable {
    /// The status of the response, 400 to 599 (RFC 9110 §15).
    public let status: Int
    /// The problem and the remedy.
    public let explanation: String

    /// Creates an error.
    public init(_ status: Int, _ explanation: String) {
        self.status = status
        self.explanation = explanation
    }

    /// Creates the error for headers that cannot be parsed.
    public init(_ error: HTTPHeadError) {
        switch error {
        case .tlsRecord: self.init(400, "TLS request on a port without TLS; use http")
        case .notHTTP, .line(1): self.init(400, "malformed request line; check the URL")
        case .line(let number): self.init(400, "line \(number) of the headers is malformed")
        case .head(let limit):
            self.init(431, "the headers exceed \(limit) bytes; send fewer headers")
        case .lineLength(let limit):
            self.init(431, "a header line exceeds \(limit) bytes; send shorter headers")
        case .headerCount(let limit):
            self.init(431, "more than \(limit) headers; send fewer")
        }
    }
}

extension HTTPError: CustomStringConvertible {
    /// One line: status and explanation.
    public var description: String { "HTTP \(status): \(explanation)" }
}
