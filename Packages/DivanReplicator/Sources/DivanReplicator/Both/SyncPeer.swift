public import DivanStore

/// One side of a replication over one connection, without I/O.
///
/// It has no thread, socket, timer or clock. Alternate input and output: pass in received messages (`receive`, then
/// `inputDrained` when there are no more), then handle every effect (`next`) and send every frame (`nextFrame`) until
/// there are none. Use it on one thread; only calls of the store block. Each connection needs a new peer
/// (`PeerConfiguration.makePeer(store:log:)`).
///
/// Source: `replication.md`, `checkpoints.md`, `blobs.md`, `errors.md`.
public protocol SyncPeer: AnyObject {
    /// The limits of the peer.
    var limits: ReplicatorLimits { get }

    /// Identifies the changes that this peer makes to the store.
    var origin: ChangeOrigin { get }

    /// Whether a close was requested; nothing more is sent.
    var isEnded: Bool { get }

    /// The last reported status.
    var status: SyncStatus { get }

    /// Whether all checkpoints were saved, so that the next connection can continue from here.
    ///
    /// Until then a reset must be repeated. Irrelevant for a passive peer.
    var hasSavedProgress: Bool { get }

    /// Returns what the peer is waiting for, the longest wait first; empty if it only waits for new changes.
    ///
    /// For a passive peer, these are the missing answers of its client.
    func waits(at now: Duration) -> [SyncWait]

    /// When to call `advance(to:)`; `nil` if there is nothing to do without input.
    var deadline: Duration? { get }

    /// Call when the connection is open; `subprotocol` is the name that the handshake agreed on, such as
    /// `BLIP_3+CBMobile_3`.
    func connected(subprotocol: String, at now: Duration)

    /// Receives one WebSocket message.
    ///
    /// It is handled in `inputDrained`.
    func receive(_ message: Span<UInt8>, at now: Duration)

    /// Call when all received messages have been passed in: stores them, answers, and continues.
    func inputDrained(at now: Duration)

    /// Call when the store has changed; the peer recognises its own changes by their origin.
    ///
    /// The peer reads the changed documents from the feed: the list in `change` may be empty, and one call may
    /// represent several commits.
    func storeChanged(_ change: StoreChange, at now: Duration)

    /// Ends the replication; the effect `close` follows. On the active side, it follows when the checkpoint is saved,
    /// after two seconds at most.
    func stop(at now: Duration)

    /// Call when the connection is closed, by either side.
    ///
    /// Unfinished work is discarded. `error` is the reason, unless both sides agreed to close.
    func disconnected(error: SyncError?, at now: Duration)

    /// Does the work that is due at `now`.
    func advance(to now: Duration)

    /// Returns the next effect for the driver, or `nil`.
    func next() -> SyncEffect?

    /// Appends the next frame to `output`, one WebSocket message; `false` if there is none now.
    func nextFrame(into output: inout [UInt8]) -> Bool

    /// Whether the other side closes its own branch when a revision arrives with the tombstone that closes it. Divan
    /// peers do.
    ///
    /// A conflict that the local revision wins then needs no new revision (`revisions.md` §8).
    var peerTakesClosedBranches: Bool { get }

    /// Call when a conflict returned by `next` has been resolved and stored, or resolving it failed.
    func conflictResolved(_ conflict: PendingConflict, error: SyncError?, at now: Duration)
}

extension SyncPeer {
    /// Call when the connection was closed normally.
    public func disconnected(at now: Duration) { disconnected(error: nil, at: now) }

    /// Call when a conflict returned by `next` has been resolved and stored.
    public func conflictResolved(_ conflict: PendingConflict, at now: Duration) {
        conflictResolved(conflict, error: nil, at: now)
    }
}
