public import DivanJSON
import DivanStatus
import Foundation
import Synchronization

/// What a listener tells others on this machine, gathered again and again.
@_spi(Status) public final class ListenerReport: Sendable {
    /// Peers that are told.
    private static let peerCount = 1000

    private let listener: URLEndpointListener
    private let begin = Date()
    private let clock = ContinuousClock.now
    private let window = Mutex(RateWindow())

    /// Begins to look at a listener.
    public init(_ listener: URLEndpointListener) {
        self.listener = listener
    }

    /// The present state, with the members of `divan status --json`; for one thread at a time.
    public func members() -> JSONObject {
        let figures = listener.statistics
        let connections = listener.connections
        let seconds = (ContinuousClock.now - clock) / .seconds(1)
        let documentCount = figures.sentDocumentCount + figures.receivedDocumentCount
        let byteCount = figures.sentByteCount + figures.receivedByteCount
        let window = window.withLock { window in
            window.note([documentCount, byteCount], at: seconds)
            return window
        }
        var object = figures.members
        object["verb"] = "serve"
        object["database"] = .string(listener.config.home.name)
        object["started"] = .string(begin.statusText)
        let urls = listener.urls ?? []
        object["urls"] = .array(urls.map { .string($0.absoluteString) })
        object["connections"] = [
            "open": JSON(connections.count), "active": JSON(connections.count { $0.isActive }),
            "total": JSON(figures.connectionCount),
        ]
        object["rates"] = [
            "documents": .double(window.rate(0).rounded()),
            "bytes": .double(window.rate(1).rounded()),
        ]
        object["peers"] = .array(connections.prefix(Self.peerCount).map { .object($0.members) })
        return object
    }
}

extension URLEndpointListener.Statistics {
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
    fileprivate var members: JSONObject {
        var object: JSONObject = [
            "address": .string(client.address), "port": JSON(client.port),
            "since": .string(start.statusText), "active": .bool(isActive),
            "compression": .string(compression), "connection": .string(correlationID),
            "documentsSent": JSON(statistics.sentDocumentCount),
            "documentsReceived": JSON(statistics.receivedDocumentCount),
            "bytesSent": JSON(statistics.sentByteCount),
            "bytesReceived": JSON(statistics.receivedByteCount),
            "deltas": JSON(statistics.sentDeltas.count + statistics.receivedDeltas.count),
        ]
        if let user = client.user { object["user"] = .string(user) }
        if let subject = client.certificates.first?.subject {
            object["certificate"] = .string(subject)
        }
        return object
    }
}
