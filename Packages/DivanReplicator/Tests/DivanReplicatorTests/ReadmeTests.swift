import DivanCompression
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanZlib
import Testing

/// The example of the README, word for word.
@Suite struct ReadmeTests {
    private func carry(from sender: any SyncPeer, to receiver: any SyncPeer) {
        var frame: [UInt8] = []
        while sender.nextFrame(into: &frame) {
            receiver.receive(frame.span, at: .zero)
            frame = []
        }
        receiver.inputDrained(at: .zero)
    }

    func sync(_ here: Store, _ there: Store, codec: any CompressionCodec) {
        let mine = PeerConfiguration.ActiveOptions(
            pushes: true,
            pulls: true,
            isContinuous: false,
            collections: [.init(.default)],
            remoteIdentity: "ws://there/db/_blipsync"
        )
        let theirs = PeerConfiguration.PassiveOptions(collections: [.default])
        let active = PeerConfiguration(role: .active(mine), codec: codec) { 1_700_000_000 }
            .makePeer(store: here)
        let passive = PeerConfiguration(role: .passive(theirs), codec: codec) { 1_700_000_000 }
            .makePeer(store: there)
        active.connected(subprotocol: Subprotocol.offered[0], at: .zero)
        passive.connected(subprotocol: Subprotocol.offered[0], at: .zero)
        while !active.isEnded {
            carry(from: active, to: passive)
            carry(from: passive, to: active)
        }
    }

    @Test func `the example syncs two databases`() throws {
        let (here, there) = (try Site(), try Site())
        try here.save("a", "{}")
        try there.save("b", "{}")
        sync(here.store, there.store, codec: DeflateCodec())
        #expect(try here.contents() == there.contents())
        #expect(try here.contents().count == 2)
    }
}
