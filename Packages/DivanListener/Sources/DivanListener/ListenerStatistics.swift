/// What a listener's connections, or one of them, have transferred since it started.
public struct ListenerStatistics: Equatable, Sendable {
    /// Bodies that were transferred as deltas, in one direction.
    public struct Deltas: Equatable, Sendable {
        /// How many.
        public var count: UInt64 = 0
        /// Bytes of the deltas.
        public var byteCount: UInt64 = 0
        /// Bytes of the bodies that they represent.
        public var bodyByteCount: UInt64 = 0

        /// Creates figures that count nothing yet.
        public init() {}
    }

    /// Bytes received, as counted at the sockets.
    public var receivedByteCount: UInt64 = 0
    /// Bytes sent, as counted at the sockets.
    public var sentByteCount: UInt64 = 0
    /// Documents received from clients.
    public var receivedDocumentCount: UInt64 = 0
    /// Documents sent to clients.
    public var sentDocumentCount: UInt64 = 0
    /// Documents that this side or the client refused: conflicts, filters, limits.
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
    /// Sockets that were accepted and never became a connection: refusals, broken handshakes,
    /// clients that fell silent.
    public var failedHandshakeCount: UInt64 = 0

    /// Connections closed so far to make room for others.
    public var displacedConnectionCount: UInt64 = 0

    /// Creates figures that count nothing yet.
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
