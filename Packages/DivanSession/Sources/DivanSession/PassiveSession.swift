public import DivanLog
public import DivanReplicator
public import DivanStore
public import DivanTransport

/// One connection of a passive peer: answers until the other side disconnects.
///
/// All members may be called from any thread. The closures are called on the transport's loop. A passive peer never
/// resolves conflicts; it rejects a push that would create one.
///
/// Source: `replication.md` §11.
public final class PassiveSession: Sendable {
    /// The callbacks of a session.
    public struct Observers: Sendable {
        /// Called on each change of the engine's state: busy, idle.
        public var onStatus: @Sendable (SyncStatus) -> Void
        /// Called with the outcome for documents.
        public var onDocuments: @Sendable ([DocumentEvent]) -> Void
        /// Called once, when the connection has ended.
        public var onEnd: @Sendable (SyncError?) -> Void

        /// Creates observers; each may be omitted.
        public init(
            onStatus: @escaping @Sendable (SyncStatus) -> Void = { _ in },
            onDocuments: @escaping @Sendable ([DocumentEvent]) -> Void = { _ in },
            onEnd: @escaping @Sendable (SyncError?) -> Void = { _ in }
        ) {
            self.onStatus = onStatus
            self.onDocuments = onDocuments
            self.onEnd = onEnd
        }
    }

    private let driver: PeerDriver

    /// Creates a session over a transport that is not started.
    ///
    /// The role of `peer`, the engine's configuration, is passive.
    public init(
        store: Store,
        peer: PeerConfiguration,
        transport: any MessageTransport,
        observers: Observers = Observers(),
        log: Log = Log(.listener, to: .shared)
    ) {
        driver = PeerDriver(
            peer.makePeer(store: store, log: log),
            transport: transport,
            store: store,
            conflictProcessor: ConflictProcessor(store: store, resolvers: [:], log: log),
            watchesStore: true,
            hooks: PeerDriver.Hooks(
                onStatus: observers.onStatus,
                onDocuments: observers.onDocuments,
                onEnd: { observers.onEnd($0.reportedError) }
            )
        )
    }

    /// Starts answering.
    public func start() {
        driver.start()
    }

    /// Closes the connection with a WebSocket code: 1001 if the listener stops, 4001 if the peer should reconnect.
    public func close(code: UInt16, reason: String = "") {
        driver.close(code: code, reason: reason)
    }
}
