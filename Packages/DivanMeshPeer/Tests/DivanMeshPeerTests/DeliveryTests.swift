import DivanMesh
import DivanMeshPeer
import DivanStore
import Testing

/// How a document reaches each peer, as `explain` and `divan mesh status --explain` show it.
@Suite struct DeliveryTests {
    /// A peer with a number in place of a digest.
    private static func id(_ number: UInt8) -> MeshPeerID {
        let bytes = [UInt8](repeating: number, count: MeshPeerID.byteCount)
        return MeshPeerID(certificate: bytes.span)
    }

    private static func peer(
        _ number: UInt8,
        isLinked: Bool = false,
        neighbours: [UInt8] = [],
        _ change: (inout MeshPeerInfo) -> Void = { _ in }
    ) -> MeshPeerInfo {
        var peer = MeshPeerInfo(id: id(number))
        peer.isOnline = true
        peer.neighbours = neighbours.map(id)
        if isLinked {
            peer.link = (true, .ring)
            peer.collections = [.default]
        }
        change(&peer)
        return peer
    }

    /// A document that meets no condition but `yes`.
    private static func deliveries(
        to peers: [MeshPeerInfo],
        filtered: Set<MeshPeerID> = []
    ) -> [MeshDelivery] {
        MeshDelivery.all(
            to: peers,
            in: .default,
            isSent: { !filtered.contains($0) },
            isWanted: { $0 == "yes" }
        )
    }

    @Test func `a document is sent over links, and over peers that carry everything`() {
        let peers = [
            Self.peer(1, isLinked: true, neighbours: [2]),
            Self.peer(2, neighbours: [1, 3]),
            Self.peer(3, neighbours: [2, 4]) { $0.isPartial = true },
            Self.peer(4, neighbours: [3]),
            Self.peer(5) { $0.isOnline = false },
            Self.peer(6) { $0.isCompatible = false },
        ]
        #expect(
            Self.deliveries(to: peers) == [
                .linked, .relayed(through: Self.id(1)), .relayed(through: Self.id(1)), .noRelay,
                .offline, .incompatible,
            ]
        )
    }

    @Test func `a link that does not send a document does not hide another way`() {
        let peers = [
            Self.peer(1, isLinked: true, neighbours: [4]) { $0.collections = [] },
            Self.peer(2, isLinked: true, neighbours: [4]),
            Self.peer(3, isLinked: true, neighbours: [4]),
            Self.peer(4, neighbours: [1, 2, 3]),
        ]
        #expect(
            Self.deliveries(to: peers, filtered: [Self.id(2)]) == [
                .notShared, .filtered, .linked, .relayed(through: Self.id(3)),
            ]
        )
        #expect(
            Self.deliveries(to: peers, filtered: [Self.id(2), Self.id(3)]) == [
                .notShared, .filtered, .filtered, .filtered,
            ]
        )
    }

    @Test func `what a peer wanted on its last link counts while it is not linked`() {
        let peers = [
            Self.peer(1, isLinked: true, neighbours: [2, 3, 4]),
            Self.peer(2) { $0.subscriptions[.default] = "no" },
            Self.peer(3) { ($0.subscriptions[.default], $0.isPartial) = ("yes", true) },
            Self.peer(4) { $0.collections = [] },
            Self.peer(5) { ($0.subscriptions[.default], $0.isOnline) = ("no", false) },
            Self.peer(6, isLinked: true) { $0.subscriptions[.default] = "no" },
        ]
        #expect(
            Self.deliveries(to: peers) == [
                .linked, .notSubscribed("no"), .relayed(through: Self.id(1)), .notShared,
                .notSubscribed("no"), .notSubscribed("no"),
            ]
        )
    }
}
