import DivanDatabase
import DivanListener
import DivanReplicator
import DivanSession
public import DivanTransport
import Synchronization

/// What a ``TransportListener`` shares.
///
/// An addition to the official API.
public struct TransportListenerConfiguration: Sendable {
    /// The collections to share, all from one database.
    public let collections: [Collection]
    /// Whether clients can only pull.
    public var readOnly = false
    /// How the listener compresses what it sends, and the codecs that it supports.
    public var compression = ReplicationCompression.automatic

    /// Creates a configuration.
    ///
    /// - Precondition: `collections` is not empty, and all belong to the same `Database` object.
    public init(collections: [Collection]) {
        guard let first = collections.first,
            collections.allSatisfy({ $0.database === first.database })
        else {
            stopForMisuse(
                "TransportListenerConfiguration: pass at least one collection, all of one Database "
                    + "object"
            )
        }
        self.collections = collections
    }
}

/// Syncs over transports that the application accepts itself (the passive peer), such as the other end of a
/// ``TransportEndpoint``.
///
/// The application authenticates the other side: a listener serves every transport that it is given. It uses at most as
/// much memory as a ``URLEndpointListener``. All members can be called from any thread. An addition to the official API.
public final class TransportListener: Sendable {
    private struct State {
        var sessions: [UInt64: PassiveSession] = [:]
        var lastNumber: UInt64 = 0
    }

    /// A copy of the configuration that the listener was created with.
    public let config: TransportListenerConfiguration
    private let state = Mutex(State())
    private let runEnd = ServiceEnd()
    private let budget = ConnectionBudget(DivanListener.ListenerLimits())
    /// Keeps old bodies as delta sources for clients that return later, from the first connection on.
    private let deltaSources = Mutex<DeltaSourceHold?>(nil)

    /// Creates a listener.
    public init(config: TransportListenerConfiguration) {
        self.config = config
    }

    private var database: Database { config.collections[0].database }

    /// The number of open connections.
    public var connectionCount: Int { state.withLock { $0.sessions.count } }

    /// Serves a transport that is not started, until it closes.
    ///
    /// - Throws: `notOpen` if the database is closed or a collection was deleted, `invalidParameter` for a codec that
    ///   cannot be negotiated. The transport is not started then.
    public func accept(_ transport: any MessageTransport) throws {
        try translatingErrors {
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            let session = try makeSession(transport, number)
            // Under the lock, so that closing all connections finds it and waits for it.
            try state.withLock { state in
                try database.register(self)
                runEnd.began()
                state.sessions[number] = session
            }
            session.start()
        }
    }

    /// Closes all connections.
    public func closeAll() {
        for session in state.withLock({ Array($0.sessions.values) }) {
            session.close(code: 1001, reason: CloseCode.stoppedReason)
        }
    }

    private func makeSession(
        _ transport: any MessageTransport,
        _ number: UInt64
    ) throws -> PassiveSession {
        try config.collections.requireOpen()
        try config.compression.check()
        let store = try database.openStore()
        var options = PeerConfiguration.PassiveOptions(
            collections: config.collections.map(\.path),
            allowsPush: !config.readOnly
        ).bindingBlobs(of: store)
        options.budget = budget
        options.party = "connection \(number)"
        var peer = PeerConfiguration(role: .passive(options), codec: config.compression.codec)
        peer.scheme = store.scheme
        peer.usesDeltas = true
        config.compression.apply(toPassive: &peer)
        try holdDeltaSources(of: store)
        return PassiveSession(
            store: store,
            peer: peer,
            transport: NamedTransport(transport, standard: peer.subprotocols[0]),
            observers: PassiveSession.Observers(onEnd: { _ in self.ended(number) })
        )
    }

    private func holdDeltaSources(of store: Store) throws {
        guard deltaSources.withLock({ $0 == nil }) else { return }
        // Before taking the lock: this waits for a batch, and the batch may itself pass in a transport.
        let hold = try store.holdDeltaSources()
        deltaSources.withLock { $0 = $0 ?? hold }
    }

    private func ended(_ number: UInt64) {
        let removed = state.withLock { $0.sessions.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
        database.unregister(self)
        runEnd.ended()
    }
}

extension TransportListener: DatabaseService {
    func beginStop() { closeAll() }

    /// Blocks until all connections have ended.
    @_spi(Modern) public func waitForStop() {
        runEnd.wait()
        deltaSources.withLock { $0 = nil }
    }
}
