public import DivanLog
public import DivanReplicator
public import DivanStore
public import DivanTransport

/// One connection of a passive peer: answers until the other side goes away.
///
/// All members may be called from any thread. The closures are called on the transport's loop.
/// A passive peer never resolves a conflict; it refuses the push that would make one.
///
/// Source: `replication.md` §11.
public final class PassiveSession: Sendable {
    /// Whom a session tells.
    public struct Observers: Sendable {
        /// Told each change of the engine's state: busy, idle.
        public var onStatus: @Sendable (SyncStatus) -> Void
        /// Told what became of documents.
        public var onDocuments: @Sendable ([DocumentEvent]) -> Void
        /// Told once, when the connection is over.
        public var onEnd: @Sendable (SyncError?) -> Void

        /// Creates observers; each may be left out.
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

    /// Creates a session over a transport that is not started yet.
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
            settler: ConflictSettler(store: store, resolvers: [:], log: log),
            watchesStore: true,
            hooks: PeerDriver.Hooks(
                onStatus: observers.onStatus,
                onDocuments: observers.onDocuments,
                onEnd: { observers.onEnd($0.reportedError) }
            )
        )
    }

    /// Begins to answer.
    public func start() {
        driver.start()
    }

    /// Closes the connection with a WebSocket code: 1001 when the listener stops for good, 4001
    /// when the peer should come back soon.
    public func close(code: UInt16, reason: String = "") {
        driver.close(code: code, reason: reason)
    }
}
