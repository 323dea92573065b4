import DivanReplicator
import DivanTransport
import Synchronization

/// The connections of a listener: which are open, which are busy, what they have transferred.
///
/// Written from the loops of many connections, read from anywhere.
final class ConnectionTable: Sendable {
    private struct Connection {
        let transport: WebSocketServerTransport
        let client: ListenerClient
        let party: ConnectionOwner
        let isCurrent: (@Sendable () -> Bool)?
        let codecName: String
        let correlationID: String
        let start: ContinuousClock.Instant
        var activity: ConnectionActivity
        var stall: (wait: SyncWait, told: ContinuousClock.Instant)?
        var counted = ListenerStatistics()

        init(
            _ transport: WebSocketServerTransport,
            of client: ListenerClient,
            _ party: ConnectionOwner,
            isCurrent: (@Sendable () -> Bool)?,
            codecName: String,
            correlationID: String
        ) {
            self.transport = transport
            self.client = client
            self.party = party
            self.isCurrent = isCurrent
            self.codecName = codecName
            self.correlationID = correlationID
            start = .now
            activity = ConnectionActivity(openedAt: start)
        }

        /// When it last worked; a busy one works now.
        var lastWork: ContinuousClock.Instant { activity.lastWork(at: .now) }

        var statistics: ListenerStatistics {
            var statistics = counted
            let wire = transport.statistics
            statistics.receivedByteCount = wire.receivedByteCount
            statistics.sentByteCount = wire.sentByteCount
            return statistics
        }

        /// The reported stall, with the time since then.
        var stallNow: SyncWait? {
            stall.map { stall in
                SyncWait(
                    stall.wait.subject,
                    in: stall.wait.collection,
                    for: stall.wait.duration + (ContinuousClock.now - stall.told)
                )
            }
        }
    }

    /// A connection that is closed to make room.
    struct Displaced {
        let transport: WebSocketServerTransport
        let client: ListenerClient
        /// The connections of its party.
        let count: Int
    }

    private struct State {
        var connections: [UInt64: Connection] = [:]
        /// The connections of each party.
        var counts: [ConnectionOwner: Int] = [:]
        var lastID: UInt64 = 0
        var past = ListenerStatistics()
        var whenEmpty: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Adds an open connection, which compresses with the named codec; returns its number here.
    func add(
        _ transport: WebSocketServerTransport,
        of client: ListenerClient,
        _ party: ConnectionOwner,
        isCurrent: (@Sendable () -> Bool)?,
        codecName: String,
        correlationID: String
    ) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.connections[state.lastID] = Connection(
                transport,
                of: client,
                party,
                isCurrent: isCurrent,
                codecName: codecName,
                correlationID: correlationID
            )
            state.counts[party, default: 0] += 1
            state.past.connectionCount += 1
            state.past.connectionCountByCodec[codecName, default: 0] += 1
            return state.lastID
        }
    }

    /// Counts a request that was answered with this HTTP status.
    func noteRefusal(_ status: Int) {
        state.withLock { $0.past.refusalCountByStatus[status, default: 0] += 1 }
    }

    /// Notes whether a connection is exchanging documents, and what it has waited for too long.
    func note(_ id: UInt64, _ status: SyncStatus) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.connections[id]?.activity.note(isBusy: status.activity == .busy, at: now)
            guard state.connections[id]?.stall?.wait != status.stall else { return }
            state.connections[id]?.stall = status.stall.map { ($0, now) }
        }
    }

    /// Counts documents that arrived, were acknowledged, or were refused.
    func note(_ id: UInt64, _ events: [DocumentEvent]) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.connections[id]?.counted.count(events)
            state.connections[id]?.activity.noteDocuments(at: now)
        }
    }

    /// Forgets a connection that has ended; its figures stay.
    func remove(_ id: UInt64) {
        let whenEmpty = state.withLock { state -> (@Sendable () -> Void)? in
            if let connection = state.connections.removeValue(forKey: id) {
                state.past = state.past + connection.statistics
                let rest = (state.counts[connection.party] ?? 1) - 1
                state.counts[connection.party] = rest > 0 ? rest : nil
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

    /// The traffic of a connection; none when it has ended.
    func statistics(of id: UInt64) -> ListenerStatistics {
        state.withLock { $0.connections[id]?.statistics } ?? ListenerStatistics()
    }

    /// The transport of a connection; `nil` when it has ended.
    func transport(of id: UInt64) -> WebSocketServerTransport? {
        state.withLock { $0.connections[id]?.transport }
    }

    /// The transports of connections whose rights no longer hold.
    var outdated: [WebSocketServerTransport] {
        let open = state.withLock { Array($0.connections.values) }
        return open.filter { $0.isCurrent?() == false }.map(\.transport)
    }

    /// Whether a party may have one more connection: there is room, or a party loses one of several for it.
    func hasRoom(for party: ConnectionOwner, within limit: Int) -> Bool {
        state.withLock { state in
            guard state.connections.count >= limit else { return true }
            return state.counts[party] != nil || state.counts.values.contains { $0 > 1 }
        }
    }

    /// The connection to close for the newest one, if there are more than `limit`: the one that has been idle for
    /// longest, of the party that has the most.
    func displaced(by newest: UInt64, above limit: Int) -> Displaced? {
        state.withLock { state in
            guard state.connections.count > limit, let most = state.counts.values.max(), most > 1
            else { return nil }
            let candidates = state.connections.filter { id, connection in
                id != newest && state.counts[connection.party] == most
            }
            return candidates.min { ($0.value.lastWork, $0.key) < ($1.value.lastWork, $1.key) }
                .map { Displaced(transport: $1.transport, client: $1.client, count: most) }
        }
    }

    var status: ListenerStatus {
        let now = ContinuousClock.now
        return state.withLock { state in
            ListenerStatus(
                connectionCount: state.connections.count,
                activeConnectionCount: state.connections.values.count {
                    $0.activity.isActive(at: now)
                }
            )
        }
    }

    /// The open connections, the oldest first.
    var connections: [ListenerConnection] {
        let now = ContinuousClock.now
        let open = state.withLock { $0.connections }
        return open.sorted { $0.key < $1.key }.map { id, connection in
            ListenerConnection(
                id: id,
                client: connection.client,
                start: connection.start,
                codecName: connection.codecName,
                correlationID: connection.correlationID,
                isActive: connection.activity.isActive(at: now),
                stall: connection.stallNow,
                statistics: connection.statistics
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

extension ListenerStatistics {
    fileprivate mutating func count(_ events: [DocumentEvent]) {
        for event in events { count(event) }
    }

    private mutating func count(_ event: DocumentEvent) {
        guard event.error == nil else {
            failedDocumentCount += 1
            return
        }
        if event.isPush {
            sentDocumentCount += 1
            sentDeltas.count(event.delta)
        } else {
            receivedDocumentCount += 1
            receivedDeltas.count(event.delta)
        }
    }
}

extension ListenerStatistics.Deltas {
    fileprivate mutating func count(_ delta: DeltaUse?) {
        guard let delta else { return }
        count += 1
        byteCount += UInt64(delta.byteCount)
        bodyByteCount += UInt64(delta.bodyByteCount)
    }
}
