import DivanListener
public import Foundation

extension URLEndpointListener {
    /// What has gone over the listener's connections since it started, or over one of them.
    ///
    /// An addition to the official API, which writes these figures to its logs only.
    public struct Statistics: Equatable, Sendable {
        /// Documents that travelled as differences, in one direction.
        public typealias Deltas = DeltaFigures

        /// Bytes received, as counted at the sockets.
        public let receivedByteCount: UInt64
        /// Bytes sent, as counted at the sockets.
        public let sentByteCount: UInt64
        /// Documents received from clients.
        public let receivedDocumentCount: UInt64
        /// Documents sent to clients.
        public let sentDocumentCount: UInt64
        /// Documents that one side refused: conflicts, filters, limits.
        public let failedDocumentCount: UInt64
        /// Documents received as differences.
        public let receivedDeltas: Deltas
        /// Documents sent as differences.
        public let sentDeltas: Deltas
        /// Connections so far; zero in the figures of a connection.
        public let connectionCount: UInt64
        /// Connections so far by what the listener compresses with: `"deflate"`, `"lz4"`, `"mixed"`,
        /// `"none"`; empty in the figures of a connection.
        public let connectionCountByCompression: [String: UInt64]
        /// Requests refused so far by the HTTP status of the answer: 401 wrong credentials, 403 by
        /// the access hook, 404 unknown database, 429 too many; empty in those of a connection.
        public let refusalCountByStatus: [Int: UInt64]
        /// Sockets accepted so far that never became a connection: refusals, broken handshakes,
        /// clients that fell silent; zero in the figures of a connection.
        public let failedHandshakeCount: UInt64

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
        }
    }

    /// Something that a peer owes, for how long, and which document it is about.
    public typealias Wait = Replicator.Diagnosis.Wait

    /// An open connection at the moment of asking.
    public struct Connection: Identifiable, Sendable {
        /// Its number, which no other connection of this run of the listener gets.
        public let id: UInt64
        /// Who is at the other end.
        public let client: ListenerClient
        /// When it was opened.
        public let start: Date
        /// Whether it was opened, or exchanged documents, within the last half second.
        public let isActive: Bool
        /// What the listener compresses with: `"deflate"`, `"lz4"`, `"mixed"`, `"none"`.
        public let compression: String
        /// What both ends call it in their logs; a replicator has it as `correlationID`.
        public let correlationID: String
        /// What the peer has owed for more than ten seconds, such as its answer to a revision; `nil`
        /// while all goes on.
        ///
        /// The log says so, too. Reads as a text for people: `reply to rev of soup, 12 s`.
        public let stall: Wait?
        /// What has gone over it.
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

    /// What has gone over the connections since the start; zero unless it listens.
    public var statistics: Statistics { Statistics(server?.statistics ?? ListenerStatistics()) }

    /// The open connections, the oldest first; none unless it listens.
    ///
    /// An addition to the official API.
    public var connections: [Connection] { server?.connections.map { Connection($0) } ?? [] }

    /// Closes one connection in order; ignored when it has ended.
    ///
    /// An addition to the official API.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - reconnects: Whether the client is told to come back, for the authenticator and the access
    ///     hook to look at it again; otherwise it is told "going away", and stops with 11001.
    public func disconnect(_ connection: Connection, reconnects: Bool = false) {
        server?.disconnect(connection.id, reconnects ? .restarting : .goingAway)
    }
}
