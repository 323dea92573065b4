import DivanReplicator
import DivanRevisions
import DivanSession
import DivanStore
import DivanTransport
import DivanZlib
import Testing

/// The README's example, verbatim.
@Suite(.timeLimit(.minutes(5))) struct SessionReadmeTests {
    @Test func `the README example syncs two stores`() async throws {
        let stores = TwoStores()
        try stores.here.put("a", 1)
        let passivePeer = PeerConfiguration(
            role: .passive(.init(collections: [.default])),
            codec: DeflateCodec()
        )
        let error = await withCheckedContinuation { continuation in
            run(stores.here, stores.there, stores.active(), passivePeer) { error in
                continuation.resume(returning: error)
            }
        }
        #expect(error == nil)
        #expect(try stores.there.text("a") != nil)
    }

    private func run(
        _ here: Store,
        _ there: Store,
        _ activePeer: PeerConfiguration,
        _ passivePeer: PeerConfiguration,
        _ finished: @escaping @Sendable (SyncError?) -> Void
    ) {
        let pair = InProcessPair(subprotocol: Subprotocol.version3.rawValue)
        let passive = PassiveSession(store: there, peer: passivePeer, transport: pair.second)
        passive.start()
        var configuration = ActiveSession.Configuration(peer: activePeer) { _ in pair.first }
        configuration.onStatus = { status in
            if status.activity == .stopped { finished(status.error) }
        }
        ActiveSession(store: here, configuration: configuration).start()
    }
}
