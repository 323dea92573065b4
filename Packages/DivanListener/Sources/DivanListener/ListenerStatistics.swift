/// What has gone over a listener's connections since it started.
public struct ListenerStatistics: Equatable, Sendable {
    /// Bytes received, as counted at the sockets.
    public var receivedByteCount: UInt64 = 0
    /// Bytes sent, as counted at the sockets.
    public var sentByteCount: UInt64 = 0
    /// Documents received from clients.
    public var receivedDocumentCount: UInt64 = 0
    /// Documents sent to clients.
    public var sentDocumentCount: UInt64 = 0
    /// Connections accepted so far.
    public var connectionCount: UInt64 = 0
    /// Connections accepted so far by the name of what this side compresses with: `"deflate"`,
    /// `"lz4"`, `"none"`.
    public var connectionCountByCodec: [String: UInt64] = [:]

    /// Creates figures that count nothing yet.
    public init() {}

    /// Adds what another counter has seen.
    static func + (left: ListenerStatistics, right: ListenerStatistics) -> ListenerStatistics {
        var sum = left
        sum.receivedByteCount += right.receivedByteCount
        sum.sentByteCount += right.sentByteCount
        sum.receivedDocumentCount += right.receivedDocumentCount
        sum.sentDocumentCount += right.sentDocumentCount
        sum.connectionCount += right.connectionCount
        sum.connectionCountByCodec.merge(right.connectionCountByCodec, uniquingKeysWith: +)
        return sum
    }
}
