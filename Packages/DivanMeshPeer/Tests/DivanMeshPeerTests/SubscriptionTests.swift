import DivanDiscovery
import DivanMesh
import DivanMeshPeer
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTLS
import Testing

/// Peers that subscribe to a part of the documents.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionTests {
    private let root: TLSCredential
    private let hub = DiscoveryHub()

    init() throws {
        root = try Sample.authority()
    }

    /// A peer whose condition is a text that the body must contain.
    private func peer(_ condition: String? = nil, invalid: String = "?") throws -> TestPeer {
        try TestPeer(Sample.peer(issuer: root), trust: .roots([root.leaf])) { configuration in
            configuration.discovery = hub
            configuration.subscriptions[.default] = condition
            configuration.compile = { condition in
                guard condition != invalid else { throw InvalidCondition() }
                return { revision in
                    revision.flags.contains(.deleted)
                        || String(decoding: revision.body, as: UTF8.self).contains(condition)
                }
            }
        }
    }

    private struct InvalidCondition: Error {}

    @Test func `a peer gets what it subscribed to, and its own documents reach all`() async throws {
        let (full, other, partial) = (try peer(), try peer(), try peer(":7}"))
        for peer in [full, other, partial] { try peer.start() }
        try full.store.put("eight", 8)
        try full.store.put("seven", 7)
        try partial.store.put("nine", 9)
        try await partial.store.wait(for: "seven", 7)
        for peer in [full, other] {
            try await peer.store.wait(for: "nine", 9)
            try await peer.store.wait(for: "eight", 8)
            await peer.wait { peer.peer.peer(partial.id)?.subscriptions == [.default: ":7}"] }
        }
        try other.store.put("last", 7)
        try await partial.store.wait(for: "last", 7)
        #expect(try partial.store.text("eight") == nil)
        let info = try #require(full.peer.peer(partial.id))
        #expect(info.isPartial && info.collections == [.default])
        // What a peer wanted is still known when it has left.
        await partial.leave()
        await full.wait { full.peer.peer(partial.id)?.isOnline == false }
        let last = try #require(full.peer.peer(partial.id))
        #expect(last.link == nil && last.collections == [.default])
        #expect(last.subscriptions == [.default: ":7}"])
        for peer in [full, other] { await peer.leave() }
    }

    @Test func `a deletion reaches a peer that has the document`() async throws {
        let (full, partial) = (try peer(), try peer(":7}"))
        for peer in [full, partial] { try peer.start() }
        try full.store.put("seven", 7)
        try await partial.store.wait(for: "seven", 7)
        try full.store.write { writer in
            _ = try writer.save(
                "seven",
                in: .default,
                body: Array("{}".utf8),
                isTombstone: true,
                parent: .current
            )
        }
        try await partial.store.wait(for: "seven", nil)
        for peer in [full, partial] { await peer.leave() }
    }

    @Test func `a peer whose condition is invalid is refused with the reason`() async throws {
        let (ours, stranger) = (try peer(invalid: "bad"), try peer("bad"))
        for peer in [ours, stranger] { try peer.start() }
        let (caller, called) =
            ours.id.isCaller(of: stranger.id) ? (ours, stranger) : (stranger, ours)
        let error = await caller.refusal(of: called.id)
        #expect(error?.wireCode == .http(.badRequest))
        #expect(error?.message.contains("invalid subscription to collection _default") == true)
        for peer in [ours, stranger] { await peer.leave() }
    }

    @Test func `a subscription that is invalid or too long is refused at once`() throws {
        let long = String(repeating: "x", count: MeshPeerLimits.subscriptionByteCount + 1)
        for condition in ["?", long] {
            #expect(throws: MeshPeerError.self) { _ = try peer(condition) }
        }
        _ = try peer(String(long.dropLast()))
        let recipes = try #require(CollectionPath("recipes"))
        #expect(throws: MeshPeerError.self) {
            _ = try TestPeer(Sample.peer(), trust: .roots([root.leaf])) { configuration in
                configuration.discovery = hub
                configuration.compile = { _ in { _ in true } }
                configuration.subscriptions[recipes] = "x"
            }
        }
    }
}
