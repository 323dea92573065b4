public import DivanStore

/// One side of a replication over one connection, for whoever carries its messages.
///
/// Owns no thread, socket, timer or clock. Feed and drain in turn: hand in what arrived
/// (`receive`, then `inputDrained` when nothing more is waiting), then take every effect
/// (`next`) and every frame (`nextFrame`) until there are none. Confined to one thread; the store is
/// called on it and nothing else blocks. A connection needs a new peer
/// (`PeerConfiguration.makePeer(store:log:)`).
///
/// Source: `replication.md`, `checkpoints.md`, `blobs.md`, `errors.md`.
public protocol SyncPeer: AnyObject {
    /// What the peer holds to.
    var limits: ReplicatorLimits { get }

    /// Names the changes that this peer makes to the store.
    var origin: ChangeOrigin { get }

    /// Whether a close was asked for; nothing is sent any more.
    var isEnded: Bool { get }

    /// The status as last reported.
    var status: SyncStatus { get }

    /// Whether the next connection may go on where this one is: all checkpoints were saved in it.
    ///
    /// Before that a reset has to be repeated. Of no concern to a passive peer.
    var hasSavedProgress: Bool { get }

    /// What is waited for now, the longest first; empty when only new changes can come.
    ///
    /// A passive peer, which drives nothing, names what its client owes an answer to.
    func waits(at now: Duration) -> [SyncWait]

    /// When `advance(to:)` has something to do; `nil` = nothing but input can change anything.
    var deadline: Duration? { get }

    /// The connection is open; `subprotocol` is what the handshake agreed on, such as
    /// `BLIP_3+CBMobile_3`.
    func connected(subprotocol: String, at now: Duration)

    /// Takes one WebSocket message.
    ///
    /// What it asks for is done in `inputDrained`.
    func receive(_ message: Span<UInt8>, at now: Duration)

    /// Everything that had arrived has been handed in: stores, answers, and goes on.
    func inputDrained(at now: Duration)

    /// The store changed; the peer's own changes are recognised by their origin.
    ///
    /// Which documents those are it reads from the feed: the list of the notice may be empty, and one
    /// notice may stand for many.
    func storeChanged(_ change: StoreChange, at now: Duration)

    /// Ends the replication; the effect `close` follows, on the active side once the checkpoint is
    /// saved, two seconds later at most.
    func stop(at now: Duration)

    /// The connection is gone, whoever closed it.
    ///
    /// What was not finished is forgotten. `error` says why, when it was not closed in agreement.
    func disconnected(error: SyncError?, at now: Duration)

    /// Does what is due at `now`.
    func advance(to now: Duration)

    /// Returns what the driver is to do, or `nil`.
    func next() -> SyncEffect?

    /// Appends the next frame to `output`, one WebSocket message; `false` when there is none now.
    func nextFrame(into output: inout [UInt8]) -> Bool

    /// Whether the other side gives up a branch of its own when a revision comes with the tombstone
    /// that closes it: peers of ours do, which say so when they are subscribed to.
    ///
    /// A conflict that the local side wins then needs no new revision (`revisions.md` §8).
    var peerTakesClosedBranches: Bool { get }

    /// A conflict that `next` handed out is resolved and the result stored, or it stays.
    func conflictResolved(_ conflict: PendingConflict, error: SyncError?, at now: Duration)
}

extension SyncPeer {
    /// The connection was closed in agreement.
    public func disconnected(at now: Duration) { disconnected(error: nil, at: now) }

    /// A conflict that `next` handed out is resolved and the result stored.
    public func conflictResolved(_ conflict: PendingConflict, at now: Duration) {
        conflictResolved(conflict, error: nil, at: now)
    }
}
