public import DivanJSON
import DivanStatus
public import Foundation
import Synchronization

/// A listener's state for other processes on this machine, gathered repeatedly.
@_spi(Status) public final class ListenerReport: Sendable {
    /// A listener at one moment.
    public struct Reading: Sendable {
        /// How many peers are reported.
        private static let peerCount = 1000

        /// The database that is served.
        public let database: String
        /// When the report on the listener began.
        public let start: Date
        /// The addresses at which it can be reached.
        public let urls: [URL]
        /// The open connections, the oldest first.
        public let connections: [URLEndpointListener.Connection]
        /// The traffic over all connections so far.
        public let figures: URLEndpointListener.Statistics
        /// Documents a second in both directions, over the last few seconds.
        public let documentRate: Double
        /// Bytes a second in both directions, over the last few seconds.
        public let byteRate: Double
    }

    private let listener: URLEndpointListener
    private let begin = Date()
    private let clock = ContinuousClock.now
    private let window = Mutex(RateWindow())

    /// Starts reporting on a listener.
    public init(_ listener: URLEndpointListener) {
        self.listener = listener
    }

    /// The current state; for one thread at a time, since the rates are measured between calls.
    public func read() -> Reading {
        let figures = listener.statistics
        let seconds = (ContinuousClock.now - clock) / .seconds(1)
        let window = window.withLock { window in
            window.note([figures.documentCount, figures.byteCount], at: seconds)
            return window
        }
        return Reading(
            database: listener.config.home.name,
            start: begin,
            urls: listener.urls ?? [],
            connections: listener.connections,
            figures: figures,
            documentRate: window.rate(0),
            byteRate: window.rate(1)
        )
    }
}

extension ListenerReport.Reading {
    /// Documents in both directions.
    public var documentCount: UInt64 { figures.documentCount }

    /// The counters and rates in machine-readable form, without the clients.
    public var figureMembers: JSONObject {
        var object = figures.members
        object["connections"] = [
            "open": JSON(connections.count), "active": JSON(connections.count { $0.isActive }),
            "total": JSON(figures.connectionCount),
        ]
        object["rates"] = [
            "documents": .double(documentRate.rounded()), "bytes": .double(byteRate.rounded()),
        ]
        return object
    }

    /// Everything, as the members of `divan status --json`.
    public var members: JSONObject {
        var object = figureMembers
        object["verb"] = "serve"
        object["database"] = .string(database)
        object["started"] = .string(start.statusText)
        object["urls"] = .array(urls.map { .string($0.absoluteString) })
        object["peers"] = .array(connections.prefix(Self.peerCount).map { .object($0.members) })
        return object
    }
}

extension URLEndpointListener.Statistics {
    /// Documents in both directions.
    fileprivate var documentCount: UInt64 { sentDocumentCount + receivedDocumentCount }

    /// Bytes in both directions.
    fileprivate var byteCount: UInt64 { sentByteCount + receivedByteCount }

    fileprivate var members: JSONObject {
        [
            "documents": [
                "sent": JSON(sentDocumentCount), "received": JSON(receivedDocumentCount),
                "failed": JSON(failedDocumentCount),
            ],
            "bytes": ["sent": JSON(sentByteCount), "received": JSON(receivedByteCount)],
            "deltas": [
                "sent": JSON(sentDeltas.count), "received": JSON(receivedDeltas.count),
                "bytesSaved": JSON(sentDeltas.savedByteCount + receivedDeltas.savedByteCount),
            ],
            "refusals": .object(
                JSONObject(
                    refusalCountByStatus.sorted { $0.key < $1.key }
                        .map { (key: "\($0.key)", value: JSON($0.value)) }
                )
            ),
            "failedHandshakes": JSON(failedHandshakeCount),
        ]
    }
}

extension URLEndpointListener.Connection {
    /// The connection's traffic in machine-readable form, without the client.
    @_spi(Status) public var figureMembers: JSONObject {
        [
            "since": .string(start.statusText), "active": .bool(isActive),
            "compression": .string(compression),
            "documentsSent": JSON(statistics.sentDocumentCount),
            "documentsReceived": JSON(statistics.receivedDocumentCount),
            "bytesSent": JSON(statistics.sentByteCount),
            "bytesReceived": JSON(statistics.receivedByteCount),
            "deltas": JSON(statistics.sentDeltas.count + statistics.receivedDeltas.count),
        ]
    }

    fileprivate var members: JSONObject {
        var object = figureMembers
        object["address"] = .string(client.address)
        object["port"] = JSON(client.port)
        object["connection"] = .string(correlationID)
        if let stall { object["waits"] = [.object(stall.members)] }
        if let user = client.user { object["user"] = .string(user) }
        if let subject = client.certificates.first?.subject {
            object["certificate"] = .string(subject)
        }
        return object
    }
}

extension URLEndpointListener {
    /// What the status directory shows of the listener.
    var report: (@Sendable () -> JSONObject)? {
        let report = ListenerReport(self)
        return { report.read().members }
    }
}
