public import DivanStore

/// One side of a replication over one connection, for whoever transports its messages.
///
/// Owns no thread, socket, timer or clock. Alternate input and output: pass in what arrived (`receive`, then
/// `inputDrained` when nothing more is waiting), then take every effect (`next`) and every frame (`nextFrame`) until
/// there are none. Confined to one thread; the store is called on it and nothing else blocks. A connection needs a new
/// peer (`PeerConfiguration.makePeer(store:log:)`).
///
/// Source: `replication.md`, `checkpoints.md`, `blobs.md`, `errors.md`.
public protocol SyncPeer: AnyObject {
    /// The limits that the peer observes.
    var limits: ReplicatorLimits { get }

    /// Identifies the changes that this peer makes to the store.
    var origin: ChangeOrigin { get }

    /// Whether a close was requested; nothing is sent any more.
    var isEnded: Bool { get }

    /// The last reported status.
    var status: SyncStatus { get }

    /// Whether the next connection may continue where this one is: all checkpoints were saved in it.
    ///
    /// Until then a reset must be repeated. Irrelevant for a passive peer.
    var hasSavedProgress: Bool { get }

    /// What is being waited for, the longest first; empty if only new changes can come.
    ///
    /// A passive peer, which controls nothing, names the answers that its client owes.
    func waits(at now: Duration) -> [SyncWait]

    /// When `advance(to:)` has something to do; `nil` = only input can change anything.
    var deadline: Duration? { get }

    /// The connection is open; `subprotocol` is the name agreed on in the handshake, such as `BLIP_3+CBMobile_3`.
    func connected(subprotocol: String, at now: Duration)

    /// Receives one WebSocket message.
    ///
    /// It is acted on in `inputDrained`.
    func receive(_ message: Span<UInt8>, at now: Duration)

    /// Everything that had arrived has been passed in: stores, answers, and continues.
    func inputDrained(at now: Duration)

    /// The store changed; the peer recognises its own changes by their origin.
    ///
    /// It reads the changed documents from the feed: the notice's list may be empty, and one notice may represent
    /// several.
    func storeChanged(_ change: StoreChange, at now: Duration)

    /// Ends the replication; the effect `close` follows, on the active side once the checkpoint is saved, after two
    /// seconds at the latest.
    func stop(at now: Duration)

    /// The connection is closed, whoever closed it.
    ///
    /// Unfinished work is discarded. `error` is the reason, unless both sides agreed to close.
    func disconnected(error: SyncError?, at now: Duration)

    /// Does the work that is due at `now`.
    func advance(to now: Duration)

    /// Returns the next effect for the driver, or `nil`.
    func next() -> SyncEffect?

    /// Appends the next frame to `output`, one WebSocket message; `false` if there is none now.
    func nextFrame(into output: inout [UInt8]) -> Bool

    /// Whether the other side gives up its own branch when a revision arrives with the tombstone that closes it: Divan
    /// peers do, and say so when subscribed to.
    ///
    /// A conflict that the local side wins then needs no new revision (`revisions.md` §8).
    var peerTakesClosedBranches: Bool { get }

    /// A conflict returned by `next` has been resolved and the result stored, or it remains.
    func conflictResolved(_ conflict: PendingConflict, error: SyncError?, at now: Duration)
}

extension SyncPeer {
    /// The connection was closed by agreement.
    public func disconnected(at now: Duration) { disconnected(error: nil, at: now) }

    /// A conflict returned by `next` has been resolved and the result stored.
    public func conflictResolved(_ conflict: PendingConflict, at now: Duration) {
        conflictResolved(conflict, error: nil, at: now)
    }
}
