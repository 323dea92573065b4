// Outgoing connections are numbered inside the package.
@testable import DivanMesh

/// A name in advertisements behind which there is no peer; what is at its address never answers.
struct FakePeer {
    let id: MeshPeerID
    let address: MeshAddress
}

/// An admitted peer that accepts every call, and lies: it sends whatever its script says.
final class LyingPeer: MeshActor {
    let id: MeshPeerID
    let address: MeshAddress
    /// Between two messages on each link.
    private let interval: Duration
    private let lie: (MeshPeerID, Int) -> [[UInt8]]
    private var links: [MeshConnectionID: MeshPeerID] = [:]
    private var sentCount = 0
    private var callCount: UInt64 = 0
    /// Why others closed their links to it.
    private(set) var ends: [LinkEnd] = []
    /// Calls to others that were refused.
    private(set) var refusals: [LinkEnd] = []
    /// Whom it calls when it starts.
    var victims: [MeshAddress] = []

    init(
        _ id: MeshPeerID,
        at address: MeshAddress,
        every interval: Duration,
        sending lie: @escaping (MeshPeerID, Int) -> [[UInt8]]
    ) {
        self.id = id
        self.address = address
        self.interval = interval
        self.lie = lie
    }

    func handle(_ event: MeshEvent, at now: Duration) -> [MeshEffect] {
        switch event {
        case .listening:
            return [.publish(announcement), .setTimer(at: now + interval)] + calls()
        case .called(let connection, let peer):
            links[connection] = peer
            return [.accept(connection)]
        case .opened(let connection, let peer): links[connection] = peer
        case .closed(let connection, let end):
            links[connection] = nil
            if let end { ends.append(end) }
        case .failed(_, .refused(let end, _, _, _)): refusals.append(end)
        case .timer:
            sentCount += 1
            let messages = links.sorted { $0.value < $1.value }.flatMap { connection, peer in
                lie(peer, sentCount).map { MeshEffect.send(connection, $0) }
            }
            return messages + calls() + [.setTimer(at: now + interval)]
        default: break
        }
        return []
    }

    private func calls() -> [MeshEffect] {
        guard links.isEmpty else { return [] }
        return victims.map { victim in
            callCount += 1
            return .connect(MeshConnectionID(outgoing: callCount), to: victim, expecting: nil)
        }
    }

    private var announcement: MeshAnnouncement {
        MeshAnnouncement(peer: id, counter: MeshCounter(rawValue: 1), scheme: 4)
    }
}
