public import Dispatch
import DivanDatabase
import DivanListener
import DivanLog
import DivanReplicator
import DivanSession
import DivanTransport
import DivanWebSocket
import Synchronization

/// What a ``MessageEndpointListener`` shares, and how its connections deliver messages.
public struct MessageEndpointListenerConfiguration: Sendable {
    /// The collections to share, all from one database.
    public let collections: [Collection]
    /// How connections deliver messages; must be the same on both sides.
    public let protocolType: ProtocolType

    /// Creates a configuration.
    ///
    /// - Precondition: `collections` is not empty, and all belong to the same `Database` object.
    public init(collections: [Collection], protocolType: ProtocolType) {
        guard let first = collections.first,
            collections.allSatisfy({ $0.database === first.database })
        else {
            stopForMisuse(
                "MessageEndpointListenerConfiguration: pass at least one collection, all of one "
                    + "Database object"
            )
        }
        self.collections = collections
        self.protocolType = protocolType
    }

    /// Creates a configuration for the default collection of `database`.
    ///
    /// - Precondition: The database is open.
    @available(*, deprecated, message: "Use init(collections:protocolType:)")
    public init(database: Database, protocolType: ProtocolType) {
        guard let collection = try? database.defaultCollection() else {
            stopForMisuse("MessageEndpointListenerConfiguration: the database is closed")
        }
        self.init(collections: [collection], protocolType: protocolType)
    }

    /// The database of the collections.
    @available(*, deprecated, message: "Use collections")
    public var database: Database { collections[0].database }
}

/// A change in the status of a ``MessageEndpointListener``'s connection.
public struct MessageEndpointListenerChange: @unchecked Sendable {
    // Unchecked: `connection` is the application's object, returned to it.

    /// The connection.
    public let connection: any MessageEndpointConnection
    /// The new status.
    public let status: Replicator.Status
}

/// Syncs over connections that the application accepts itself (the passive peer).
///
/// All members may be called from any thread.
public final class MessageEndpointListener: Sendable {
    /// Unchecked: the application's connection is only called, from its session's thread and from callers of this
    /// class, as its protocol documents.
    private struct Accepted: @unchecked Sendable {
        let connection: any MessageEndpointConnection
        let session: PassiveSession
    }

    private let config: MessageEndpointListenerConfiguration
    private struct State {
        var accepted: [UInt64: Accepted] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let listeners = ListenerList<MessageEndpointListenerChange>()
    private let runEnd = ServiceEnd()
    /// What the peers of all connections may make it hold: the amounts of a `URLEndpointListener`.
    private let budget = ConnectionBudget(DivanListener.ListenerLimits())
    /// Keeps old bodies as delta sources for peers that return later, from the first connection on.
    private let deltaSources = Mutex<DeltaSourceHold?>(nil)

    /// Creates a listener.
    public init(config: MessageEndpointListenerConfiguration) {
        self.config = config
    }

    private var database: Database { config.collections[0].database }

    /// The open connections.
    public var connections: [any MessageEndpointConnection] {
        state.withLock { $0.accepted.values.map(\.connection) }
    }

    /// Serves a connection until it closes.
    ///
    /// It is closed immediately if the database is closed or a collection was deleted.
    public func accept(connection: any MessageEndpointConnection) {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        do {
            let session = try makeSession(connection, number)
            // Under the lock, so that closing all connections finds it and waits for it.
            try state.withLock { state in
                try database.register(self)
                runEnd.began()
                state.accepted[number] = Accepted(connection: connection, session: session)
            }
            session.start()
        } catch {
            Journal.listener.warning("MessageEndpointListener: connection refused: \(error)")
            connection.close(error: error) {}
        }
    }

    /// Closes one connection.
    public func close(connection: any MessageEndpointConnection) {
        for entry in entries where entry.connection === connection {
            entry.session.close(code: 1001, reason: CloseCode.stoppedReason)
        }
    }

    /// Closes all connections.
    public func closeAll() {
        for entry in entries { entry.session.close(code: 1001, reason: CloseCode.stoppedReason) }
    }

    private var entries: [Accepted] { state.withLock { Array($0.accepted.values) } }

    /// Adds a listener for status changes of connections, called on the main queue.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        _ listener: @escaping @Sendable (MessageEndpointListenerChange) -> Void
    ) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Adds a listener for status changes of connections, called on `queue` or the main queue.
    @preconcurrency
    @discardableResult
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping @Sendable (MessageEndpointListenerChange) -> Void
    ) -> ListenerToken {
        listeners.add(queue: queue, listener)
    }

    /// Removes a listener.
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }

    /// Removes a listener.
    @available(*, deprecated, message: "Use ListenerToken.remove()")
    public func removeChangeListener(token: ListenerToken) {
        token.remove()
    }

    private func makeSession(
        _ connection: any MessageEndpointConnection,
        _ number: UInt64
    ) throws -> PassiveSession {
        try config.collections.requireOpen()
        let store = try database.openStore()
        var options = PeerConfiguration.PassiveOptions(collections: config.collections.map(\.path))
            .bindingBlobs(of: store)
        options.budget = budget
        // Nobody tells here whose it is.
        options.party = "connection \(number)"
        var peer = PeerConfiguration(
            role: .passive(options),
            codec: ReplicationCompression.standardCodec
        )
        peer.scheme = store.scheme
        peer.usesDeltas = true
        let transport = MessageConnectionTransport(
            connection,
            subprotocol: peer.subprotocols[0],
            protocolType: config.protocolType,
            role: .server,
            loop: EventLoopGroup.shared.next()
        )
        let box = Boxed(connection: connection)
        try holdDeltaSources(of: store)
        return PassiveSession(
            store: store,
            peer: peer,
            transport: transport,
            observers: PassiveSession.Observers(
                onStatus: { self.publish(box, $0) },
                onEnd: { error in self.ended(box, number, error) }
            )
        )
    }

    private func holdDeltaSources(of store: Store) throws {
        guard deltaSources.withLock({ $0 == nil }) else { return }
        // Before taking the lock: this waits for a batch, and the batch may itself pass in a connection.
        let hold = try store.holdDeltaSources()
        deltaSources.withLock { $0 = $0 ?? hold }
    }

    private func publish(_ box: Boxed, _ status: SyncStatus) {
        guard status.activity != .stopped else { return }  // told by `ended`
        let change = MessageEndpointListenerChange(
            connection: box.connection,
            status: Replicator.Status(status)
        )
        listeners.post(change)
    }

    private func ended(_ box: Boxed, _ number: UInt64, _ error: SyncError?) {
        let removed = state.withLock { $0.accepted.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
        var status = SyncStatus(.stopped)
        status.error = error
        listeners.post(
            MessageEndpointListenerChange(
                connection: box.connection,
                status: Replicator.Status(status)
            )
        )
        database.unregister(self)
        runEnd.ended()
    }

    /// `@unchecked Sendable`: carries the application's object to where it is returned.
    private struct Boxed: @unchecked Sendable {
        let connection: any MessageEndpointConnection
    }
}

extension MessageEndpointListener: DatabaseService {
    func beginStop() { closeAll() }

    func waitForStop() {
        runEnd.wait()
        deltaSources.withLock { $0 = nil }
    }
}
