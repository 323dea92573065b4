/// The reason why bytes are not the start line and headers of an HTTP/1.1 message.
public enum HTTPHeadError: Error, Equatable, Sendable {
    /// The peer uses TLS where plain text was expected.
    case tlsRecord
    /// The peer's first bytes are not HTTP; `start` contains a few of them.
    case notHTTP(start: String)
    /// A line is malformed; lines count from 1.
    case line(Int)
    /// The headers exceed `HTTPHeadLimits.headByteCount`.
    case head(limit: Int)
    /// A line exceeds `HTTPHeadLimits.lineByteCount`.
    case lineLength(limit: Int)
    /// There are more fields than `HTTPHeadLimits.headerCount`.
    case headerCount(limit: Int)
}
