import DivanReplicator
import DivanTransport
import Synchronization

/// The connections of a listener: which are open, which are busy, what they have carried.
///
/// Written from the loops of many connections, read from anywhere.
final class ConnectionTable: Sendable {
    private struct Connection {
        let transport: WebSocketServerTransport
        var isActive = false
        var receivedCount: UInt64 = 0
        var sentCount: UInt64 = 0

        var statistics: ListenerStatistics {
            var statistics = ListenerStatistics()
            let wire = transport.statistics
            statistics.receivedByteCount = wire.receivedByteCount
            statistics.sentByteCount = wire.sentByteCount
            statistics.receivedDocumentCount = receivedCount
            statistics.sentDocumentCount = sentCount
            return statistics
        }
    }

    private struct State {
        var connections: [UInt64: Connection] = [:]
        var lastID: UInt64 = 0
        var past = ListenerStatistics()
        var whenEmpty: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Adds an open connection, which compresses with the named codec; returns its number here.
    func add(_ transport: WebSocketServerTransport, codecName: String) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.connections[state.lastID] = Connection(transport: transport)
            state.past.connectionCount += 1
            state.past.connectionCountByCodec[codecName, default: 0] += 1
            return state.lastID
        }
    }

    /// Notes whether a connection is exchanging documents.
    func note(_ id: UInt64, isActive: Bool) {
        state.withLock { $0.connections[id]?.isActive = isActive }
    }

    /// Counts documents that arrived or were acknowledged.
    func note(_ id: UInt64, _ events: [DocumentEvent]) {
        let good = events.filter { $0.error == nil }
        let sentCount = UInt64(good.count(where: \.isPush))
        state.withLock { state in
            state.connections[id]?.sentCount += sentCount
            state.connections[id]?.receivedCount += UInt64(good.count) - sentCount
        }
    }

    /// Forgets a connection that has ended; its figures stay.
    func remove(_ id: UInt64) {
        let whenEmpty = state.withLock { state -> (@Sendable () -> Void)? in
            if let connection = state.connections.removeValue(forKey: id) {
                state.past = state.past + connection.statistics
            }
            return state.connections.isEmpty ? state.whenEmpty.take() : nil
        }
        whenEmpty?()
    }

    /// Calls `completion` when the last connection has ended; at once when there is none.
    func whenEmpty(_ completion: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { state in
            guard !state.connections.isEmpty else { return true }
            state.whenEmpty = completion
            return false
        }
        if isEmpty { completion() }
    }

    var status: ListenerStatus {
        state.withLock { state in
            ListenerStatus(
                connectionCount: state.connections.count,
                activeConnectionCount: state.connections.values.count(where: \.isActive)
            )
        }
    }

    var statistics: ListenerStatistics {
        state.withLock { state in
            state.connections.values.reduce(state.past) { sum, connection in
                sum + connection.statistics
            }
        }
    }
}
