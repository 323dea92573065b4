@_spi(Modern) internal import CouchbaseLiteSwift
public import Foundation

extension Listener {
    /// An open connection at the time of the call.
    public struct Connection: Sendable, Identifiable {
        /// Its number, unique while the listener runs.
        public let id: UInt64
        /// The client.
        public let client: Client
        /// When it was opened.
        public let date: Date
        /// Whether it was opened, or exchanged documents, within the last half second.
        public let isActive: Bool
        /// The listener's compression: `deflate`, `lz4`, `mixed`, `none`, or the name of a codec.
        public let compression: String
        /// The ID of the connection in the logs of both sides; see ``Sync/connectionID``.
        public let connectionID: String
        /// What the listener has been waiting for longer than ten seconds, such as `reply to rev of soup, 12 s`.
        public let stall: String?
        /// The traffic of the connection.
        public let statistics: Statistics

        let official: URLEndpointListener.Connection

        init(_ connection: URLEndpointListener.Connection) {
            id = connection.id
            client = Client(connection.client)
            date = connection.start
            isActive = connection.isActive
            compression = connection.compression
            connectionID = connection.correlationID
            stall = connection.stall.map { "\($0)" }
            statistics = Statistics(connection.statistics)
            official = connection
        }
    }

    /// The traffic of a listener since it started, or of one connection.
    public struct Statistics: Sendable, Equatable {
        /// Documents received from clients.
        public let receivedCount: Int
        /// Documents sent to clients.
        public let sentCount: Int
        /// Documents that failed: conflicts, filters, limits.
        public let failedCount: Int
        /// Bytes received.
        public let receivedByteCount: Int
        /// Bytes sent.
        public let sentByteCount: Int
        /// Connections so far; 0 for a single connection.
        public let connectionCount: Int
        /// Refused requests by HTTP status; empty for a single connection.
        public let refusalCounts: [Int: Int]

        init(_ figures: URLEndpointListener.Statistics) {
            receivedCount = Int(clamping: figures.receivedDocumentCount)
            sentCount = Int(clamping: figures.sentDocumentCount)
            failedCount = Int(clamping: figures.failedDocumentCount)
            receivedByteCount = Int(clamping: figures.receivedByteCount)
            sentByteCount = Int(clamping: figures.sentByteCount)
            connectionCount = Int(clamping: figures.connectionCount)
            refusalCounts = figures.refusalCountByStatus.mapValues { Int(clamping: $0) }
        }
    }

    /// The open connections, the oldest first.
    public var connections: [Connection] { server?.connections.map { Connection($0) } ?? [] }

    /// The traffic since the start; `nil` without a port.
    public var statistics: Statistics? { server.map { Statistics($0.statistics) } }

    /// Closes a connection; ignored if it has already ended.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - reconnecting: Whether the client should connect again, so that it is checked again; otherwise its sync stops.
    public func disconnect(_ connection: Connection, reconnecting: Bool = false) {
        server?.disconnect(connection.official, reconnects: reconnecting)
    }

    /// Closes the connections whose rights are outdated (``Access/isCurrent``), within a second; their clients connect
    /// again and are checked again.
    public func recheckAccess() {
        server?.disconnectOutdated()
    }
}
