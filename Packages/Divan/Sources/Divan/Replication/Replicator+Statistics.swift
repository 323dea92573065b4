import DivanReplicator
import DivanTransport
import Synchronization

extension Replicator {
    /// What has gone over the connections of a replicator since it was made.
    public struct Statistics: Equatable, Sendable {
        /// Bytes received, as counted at the socket: TLS and handshakes included.
        public internal(set) var receivedByteCount: UInt64 = 0
        /// Bytes sent, counted in the same way.
        public internal(set) var sentByteCount: UInt64 = 0
        /// Documents pulled, deletions included.
        public internal(set) var pulledDocumentCount: UInt64 = 0
        /// Documents pushed, deletions included.
        public internal(set) var pushedDocumentCount: UInt64 = 0

        /// Documents of those pulled that came as differences.
        public internal(set) var pulledDeltas = DeltaFigures()
        /// Documents of those pushed that went as differences.
        public internal(set) var pushedDeltas = DeltaFigures()

        /// Documents that the current connection has transferred or still has to.
        ///
        /// As far as is known: too many rather than too few until everything has been looked at.
        /// Peers other than Divan do not tell what they have.
        public internal(set) var expectedDocumentCount: UInt64 = 0

        /// Documents of those expected that the current connection has not transferred yet; see
        /// ``ReplicationPace`` for how long they take.
        public internal(set) var remainingDocumentCount: UInt64 = 0

        /// What the latest connection compresses with on this side: `"deflate"`, `"lz4"`, `"mixed"`,
        /// `"none"`; `nil` before the first.
        public internal(set) var compression: String?

        /// Bytes in both directions.
        public var byteCount: UInt64 { receivedByteCount + sentByteCount }
    }

    /// What has gone over the connections so far, those of earlier runs included; any thread.
    ///
    /// Bytes are counted for URL endpoints only. An addition to the official API.
    public var statistics: Statistics { meter.statistics }
}

/// Adds up the traffic of one connection after another.
final class TrafficMeter: Sendable {
    private struct State {
        var ended = Replicator.Statistics()
        var current: WebSocketClientTransport?
        /// Documents of the current connection that arrived, or failed to.
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

    /// Notes that a new connection takes the place of the one before.
    func begin(_ transport: any MessageTransport) {
        state.withLock { state in
            state.ended.add(state.current)
            state.current = transport as? WebSocketClientTransport
            state.settledCount = 0
            state.ended.expectedDocumentCount = 0
        }
    }

    /// Notes what the current connection compresses with.
    func note(codecName: String) {
        state.withLock { $0.ended.compression = codecName }
    }

    /// Notes how many documents the current connection is about.
    func expect(documents: UInt64) {
        state.withLock { $0.ended.expectedDocumentCount = documents }
    }

    /// Notes documents that arrived, or failed to.
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

    /// Adds what another replicator did.
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

/// The sums of replicators that are gone, by what they replicated.
final class GoneReplicators: Sendable {
    /// How many different ones are told apart; the rest counts together.
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
