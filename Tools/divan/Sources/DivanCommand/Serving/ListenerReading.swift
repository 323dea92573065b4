import Divan
import DivanJSON
import Foundation

/// A listener at one moment.
struct ListenerReading: Sendable {
    /// A peer that is connected.
    struct Peer: Sendable, Equatable {
        let client: PeerName
        let start: Date
        let isActive: Bool
        let compression: String
        let sentDocumentCount: UInt64
        let receivedDocumentCount: UInt64
        let sentByteCount: UInt64
        let receivedByteCount: UInt64
        let deltaCount: UInt64

        init(_ connection: URLEndpointListener.Connection) {
            let figures = connection.statistics
            client = PeerName(connection.client)
            start = connection.start
            isActive = connection.isActive
            compression = connection.compression
            sentDocumentCount = figures.sentDocumentCount
            receivedDocumentCount = figures.receivedDocumentCount
            sentByteCount = figures.sentByteCount
            receivedByteCount = figures.receivedByteCount
            deltaCount = figures.sentDeltas.count + figures.receivedDeltas.count
        }

        var json: JSONObject {
            var object = client.json
            object["since"] = .string(Days.exactly(start))
            object["active"] = .bool(isActive)
            object["compression"] = .string(compression)
            object["documentsSent"] = JSON(sentDocumentCount)
            object["documentsReceived"] = JSON(receivedDocumentCount)
            object["bytesSent"] = JSON(sentByteCount)
            object["bytesReceived"] = JSON(receivedByteCount)
            object["deltas"] = JSON(deltaCount)
            return object
        }
    }

    let peers: [Peer]
    let activeCount: UInt64
    let figures: URLEndpointListener.Statistics
    /// Documents and bytes a second.
    var documentRate = 0.0
    var byteRate = 0.0

    init(_ listener: URLEndpointListener) {
        peers = listener.connections.map { Peer($0) }
        activeCount = listener.status.activeConnectionCount
        figures = listener.statistics
    }

    /// Documents in both directions.
    var documentCount: UInt64 { figures.sentDocumentCount + figures.receivedDocumentCount }

    /// Bytes in both directions.
    var byteCount: UInt64 { figures.sentByteCount + figures.receivedByteCount }

    /// The figures; the peers are not among them.
    var json: JSONObject {
        [
            "connections": [
                "open": JSON(peers.count), "active": JSON(activeCount),
                "total": JSON(figures.connectionCount),
            ],
            "documents": [
                "sent": JSON(figures.sentDocumentCount),
                "received": JSON(figures.receivedDocumentCount),
                "failed": JSON(figures.failedDocumentCount),
            ],
            "bytes": [
                "sent": JSON(figures.sentByteCount), "received": JSON(figures.receivedByteCount),
            ],
            "rates": [
                "documents": .double(documentRate.rounded()), "bytes": .double(byteRate.rounded()),
            ],
            "deltas": [
                "sent": JSON(figures.sentDeltas.count),
                "received": JSON(figures.receivedDeltas.count),
                "bytesSaved": JSON(
                    figures.sentDeltas.savedByteCount + figures.receivedDeltas.savedByteCount
                ),
            ],
            "refusals": .object(
                JSONObject(
                    figures.refusalCountByStatus.sorted { $0.key < $1.key }
                        .map { (key: "\($0.key)", value: JSON($0.value)) }
                )
            ),
            "failedHandshakes": JSON(figures.failedHandshakeCount),
        ]
    }
}

/// Who a peer is, and from where it came.
struct PeerName: Hashable, Sendable {
    let user: String?
    /// The subject of its certificate.
    let certificate: String?
    let address: String
    let port: UInt16

    init(_ client: ListenerClient) {
        user = client.user
        certificate = client.certificates.first?.subject
        address = client.address
        port = client.port
    }

    /// The name that a person knows it by.
    var who: String { user ?? certificate ?? "somebody" }

    var json: JSONObject {
        var object: JSONObject = ["address": .string(address), "port": JSON(port)]
        if let user { object["user"] = .string(user) }
        if let certificate { object["certificate"] = .string(certificate) }
        return object
    }
}
