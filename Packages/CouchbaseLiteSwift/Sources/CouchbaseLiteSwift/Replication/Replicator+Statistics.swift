import DivanReplicator
import DivanTransport
import Synchronization

extension Replicator {
    /// The traffic of a replicator since it was created.
    public struct Statistics: Equatable, Sendable {
        /// Bytes received, including TLS and handshakes.
        public internal(set) var receivedByteCount: UInt64 = 0
        /// Bytes sent, including TLS and handshakes.
        public internal(set) var sentByteCount: UInt64 = 0
        /// Documents pulled, including deletions.
        public internal(set) var pulledDocumentCount: UInt64 = 0
        /// Documents pushed, including deletions.
        public internal(set) var pushedDocumentCount: UInt64 = 0

        /// Pulled documents that arrived as deltas.
        public internal(set) var pulledDeltas = DeltaFigures()
        /// Pushed documents that were sent as deltas.
        public internal(set) var pushedDeltas = DeltaFigures()

        /// Documents that the current connection has transferred or still has to transfer, as far as known.
        ///
        /// The number may be too high until all documents have been compared. Only Divan peers report their number of
        /// documents.
        public internal(set) var expectedDocumentCount: UInt64 = 0

        /// Expected documents that the current connection has not transferred yet; see ``ReplicationPace`` for the
        /// remaining time.
        public internal(set) var remainingDocumentCount: UInt64 = 0

        /// This side's compression on the latest connection: `"deflate"`, `"lz4"`, `"mixed"`, `"none"`; `nil` before
        /// the first connection.
        public internal(set) var compression: String?

        /// Bytes in both directions.
        public var byteCount: UInt64 { receivedByteCount + sentByteCount }
    }

    /// The traffic so far, including earlier runs.
    ///
    /// Can be read from any thread.
    ///
    /// Bytes are counted for URL endpoints only. An addition to the official API.
    public var statistics: Statistics { meter.statistics }
}

/// Adds up the traffic of successive connections.
final class TrafficMeter: Sendable {
    private struct State {
        var ended = Replicator.Statistics()
        var current: WebSocketClientTransport?
        /// Documents of the current connection that arrived or failed.
        var settledCount: UInt64 = 0
    }

    private let state = Mutex(State())

    var statistics: Replicator.Statistics {
        state.withLock { state in
            var sum = state.ended
            sum.add(state.current)
            let expected = sum.expectedDocumentCount
            sum.remainingDocumentCount = expected - min(expected, state.settledCount)
            return sum
        }
    }

    /// Notes that a new connection replaces the previous one.
    func begin(_ transport: any MessageTransport) {
        state.withLock { state in
            state.ended.add(state.current)
            state.current = transport as? WebSocketClientTransport
            state.settledCount = 0
            state.ended.expectedDocumentCount = 0
        }
    }

    /// Notes the compression of the current connection.
    func note(codecName: String) {
        state.withLock { $0.ended.compression = codecName }
    }

    /// Notes how many documents the current connection has to transfer.
    func expect(documents: UInt64) {
        state.withLock { $0.ended.expectedDocumentCount = documents }
    }

    /// Notes documents that arrived or failed.
    func count(_ events: [DocumentEvent]) {
        state.withLock { state in
            state.settledCount += UInt64(events.count)
            for event in events where event.error == nil { state.ended.count(event) }
        }
    }
}

extension Replicator.Statistics {
    fileprivate mutating func count(_ event: DocumentEvent) {
        if event.isPush {
            pushedDocumentCount += 1
            if let delta = event.delta { pushedDeltas.count(delta) }
        } else {
            pulledDocumentCount += 1
            if let delta = event.delta { pulledDeltas.count(delta) }
        }
    }

    /// Adds the figures of another replicator.
    mutating func add(_ other: Replicator.Statistics) {
        receivedByteCount += other.receivedByteCount
        sentByteCount += other.sentByteCount
        pulledDocumentCount += other.pulledDocumentCount
        pushedDocumentCount += other.pushedDocumentCount
        pulledDeltas.add(other.pulledDeltas)
        pushedDeltas.add(other.pushedDeltas)
    }

    fileprivate mutating func add(_ transport: WebSocketClientTransport?) {
        guard let traffic = transport?.statistics else { return }
        receivedByteCount += traffic.receivedByteCount
        sentByteCount += traffic.sentByteCount
    }
}

/// The sums of replicators that no longer exist, by what they replicated.
final class FinishedReplicators: Sendable {
    /// How many are counted separately; the rest are counted together.
    private static let limit = 1_000

    private let sums = Mutex<[ReplicatorLabel: Replicator.Statistics]>([:])

    func add(_ label: ReplicatorLabel, _ figures: Replicator.Statistics) {
        sums.withLock { sums in
            let isKnown = sums[label] != nil || sums.count < Self.limit
            sums[isKnown ? label : .others, default: Replicator.Statistics()].add(figures)
        }
    }

    var all: [ReplicatorLabel: Replicator.Statistics] { sums.withLock { $0 } }
}
