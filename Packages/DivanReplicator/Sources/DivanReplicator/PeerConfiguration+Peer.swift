public import DivanLog
public import DivanStore

// Here everything begins: no other place knows both roles. `Active` and `Passive` hold one each, `Both`
// what they have in common, `Messages` what they say to each other.
extension PeerConfiguration {
    /// Makes the peer of this role, which waits for its connection.
    ///
    /// The database is open, and stays so until `disconnected`; remarks go to the log.
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
