/// The traffic of a listener since it started, or of one of its connections.
public struct ListenerStatistics: Equatable, Sendable {
    /// Bodies that were transferred as deltas, in one direction.
    public struct Deltas: Equatable, Sendable {
        /// Number of bodies.
        public var count: UInt64 = 0
        /// Bytes of the deltas.
        public var byteCount: UInt64 = 0
        /// Bytes of the bodies that they represent.
        public var bodyByteCount: UInt64 = 0

        /// Creates empty statistics.
        public init() {}
    }

    /// Bytes received.
    public var receivedByteCount: UInt64 = 0
    /// Bytes sent.
    public var sentByteCount: UInt64 = 0
    /// Documents received from clients.
    public var receivedDocumentCount: UInt64 = 0
    /// Documents sent to clients.
    public var sentDocumentCount: UInt64 = 0
    /// Documents that failed: conflicts, filters, limits.
    public var failedDocumentCount: UInt64 = 0
    /// Documents received as deltas.
    public var receivedDeltas = Deltas()
    /// Documents sent as deltas.
    public var sentDeltas = Deltas()
    /// Connections accepted so far.
    public var connectionCount: UInt64 = 0
    /// Connections accepted so far by the name of this side's codec: `"deflate"`,
    /// `"lz4"`, `"mixed"`, `"none"`.
    public var connectionCountByCodec: [String: UInt64] = [:]
    /// Requests refused so far, by the HTTP status of the answer: 401, 403, 404, 429, 503.
    public var refusalCountByStatus: [Int: UInt64] = [:]
    /// Accepted sockets that failed before the connection was open: refusals, failed handshakes, clients that stopped
    /// responding.
    public var failedHandshakeCount: UInt64 = 0

    /// Connections closed because the connection limit was reached.
    public var displacedConnectionCount: UInt64 = 0

    /// Creates empty statistics.
    public init() {}

    /// Adds two sets of figures.
    static func + (left: ListenerStatistics, right: ListenerStatistics) -> ListenerStatistics {
        var sum = left
        sum.receivedByteCount += right.receivedByteCount
        sum.sentByteCount += right.sentByteCount
        sum.receivedDocumentCount += right.receivedDocumentCount
        sum.sentDocumentCount += right.sentDocumentCount
        sum.failedDocumentCount += right.failedDocumentCount
        sum.receivedDeltas += right.receivedDeltas
        sum.sentDeltas += right.sentDeltas
        sum.connectionCount += right.connectionCount
        sum.connectionCountByCodec.merge(right.connectionCountByCodec, uniquingKeysWith: +)
        sum.refusalCountByStatus.merge(right.refusalCountByStatus, uniquingKeysWith: +)
        sum.displacedConnectionCount += right.displacedConnectionCount
        sum.failedHandshakeCount += right.failedHandshakeCount
        return sum
    }
}

extension ListenerStatistics.Deltas {
    fileprivate static func += (left: inout Self, right: Self) {
        left.count += right.count
        left.byteCount += right.byteCount
        left.bodyByteCount += right.bodyByteCount
    }
}
