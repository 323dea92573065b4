public import DivanLog
public import DivanStore

// This is the entry point: only here are both roles known. `Active` and `Passive` contain one each, `Both` what they
// have in common, `Messages` what they say to each other.
extension PeerConfiguration {
    /// Creates the peer for this role, which waits for its connection.
    ///
    /// The database must stay open until `disconnected`. Messages are written to `log`.
    ///
    /// ```swift
    /// let peer = configuration.makePeer(store: store)
    /// peer.connected(subprotocol: agreed, at: now())
    /// for message in arrived { peer.receive(message.span, at: now()) }
    /// peer.inputDrained(at: now())
    /// while let effect = peer.next() { carryOut(effect) }
    /// while peer.nextFrame(into: &output) { send(&output) }
    /// ```
    public func makePeer(store: Store, log: Log = Log(.sync)) -> any SyncPeer {
        let connection = Connection(self, store: store, log: log)
        return switch role {
        case .active(let options): ActivePeer(options, over: connection)
        case .passive(let options): PassivePeer(options, over: connection)
        }
    }
}
