import DivanListener
public import Foundation

extension URLEndpointListener {
    /// The traffic of a listener since it started, or of one of its connections.
    ///
    /// An addition to the official API, which only logs these values.
    public struct Statistics: Equatable, Sendable {
        /// Statistics of documents that were sent as deltas, in one direction.
        public typealias Deltas = DeltaFigures

        /// Bytes received.
        public let receivedByteCount: UInt64
        /// Bytes sent.
        public let sentByteCount: UInt64
        /// Documents received from clients.
        public let receivedDocumentCount: UInt64
        /// Documents sent to clients.
        public let sentDocumentCount: UInt64
        /// Documents that failed: conflicts, filters, limits.
        public let failedDocumentCount: UInt64
        /// Documents received as deltas.
        public let receivedDeltas: Deltas
        /// Documents sent as deltas.
        public let sentDeltas: Deltas
        /// Connections so far; zero in the statistics of a connection.
        public let connectionCount: UInt64
        /// Connections so far by the listener's compression: `"deflate"`, `"lz4"`, `"mixed"`, `"none"`; empty in the
        /// statistics of a connection.
        public let connectionCountByCompression: [String: UInt64]
        /// Refused requests by HTTP status: 401 wrong credentials, 403 by the access hook, 404 database not found, 429
        /// and 503 too many; empty in the statistics of a connection.
        public let refusalCountByStatus: [Int: UInt64]
        /// Accepted sockets that failed before the connection was open: refusals, failed handshakes, clients that
        /// stopped responding; zero in the statistics of a connection.
        public let failedHandshakeCount: UInt64
        /// Connections closed because the connection limit was reached; zero in the statistics of a connection.
        public let displacedConnectionCount: UInt64

        init(_ figures: ListenerStatistics) {
            receivedByteCount = figures.receivedByteCount
            sentByteCount = figures.sentByteCount
            receivedDocumentCount = figures.receivedDocumentCount
            sentDocumentCount = figures.sentDocumentCount
            failedDocumentCount = figures.failedDocumentCount
            receivedDeltas = Deltas(figures.receivedDeltas)
            sentDeltas = Deltas(figures.sentDeltas)
            connectionCount = figures.connectionCount
            connectionCountByCompression = figures.connectionCountByCodec
            refusalCountByStatus = figures.refusalCountByStatus
            failedHandshakeCount = figures.failedHandshakeCount
            displacedConnectionCount = figures.displacedConnectionCount
        }
    }

    /// A response that a peer has not sent yet: for how long, and for which document.
    public typealias Wait = Replicator.Diagnosis.Wait

    /// An open connection at the time of the call.
    public struct Connection: Identifiable, Sendable {
        /// Its number, unique during this run of the listener.
        public let id: UInt64
        /// The client at the other end.
        public let client: ListenerClient
        /// When it was opened.
        public let start: Date
        /// Whether it was opened, or exchanged documents, within the last half second.
        public let isActive: Bool
        /// The listener's compression: `"deflate"`, `"lz4"`, `"mixed"`, `"none"`.
        public let compression: String
        /// The ID that both ends use in their logs; a replicator has it as `correlationID`.
        public let correlationID: String
        /// A response that the peer has not sent for more than ten seconds, such as the reply to a revision; `nil` if
        /// there is none.
        ///
        /// It is also logged. Its description is readable text: `reply to rev of soup, 12 s`.
        public let stall: Wait?
        /// The traffic over the connection.
        public let statistics: Statistics

        init(_ connection: ListenerConnection) {
            id = connection.id
            client = ListenerClient(connection.client)
            let age = (ContinuousClock.now - connection.start) / .seconds(1)
            start = Date(timeIntervalSinceNow: -age)
            isActive = connection.isActive
            compression = connection.codecName
            correlationID = connection.correlationID
            stall = connection.stall.map { Wait($0) }
            statistics = Statistics(connection.statistics)
        }
    }

    /// The traffic over the connections since the start; zero unless listening.
    public var statistics: Statistics { Statistics(server?.statistics ?? ListenerStatistics()) }

    /// The open connections, oldest first; none unless listening.
    ///
    /// An addition to the official API.
    public var connections: [Connection] { server?.connections.map { Connection($0) } ?? [] }

    /// Closes a connection; ignored if it has already ended.
    ///
    /// An addition to the official API.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - reconnects: Whether the client should reconnect, so that the authenticator and the access hook check it
    ///     again; otherwise it stops with 11001.
    public func disconnect(_ connection: Connection, reconnects: Bool = false) {
        server?.disconnect(connection.id, reconnects ? .restarting : .goingAway)
    }

    /// Closes the connections whose access rights are outdated (`ListenerAccess.isCurrent`), within a second.
    ///
    /// Their clients reconnect, so that the authenticator and the access hook check them again. An addition to the
    /// official API.
    public func disconnectOutdated() {
        server?.dropOutdated()
    }
}
