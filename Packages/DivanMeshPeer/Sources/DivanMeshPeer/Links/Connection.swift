import DivanMesh
import DivanReplicator
import DivanSession
import DivanStore
import DivanTLS
import DivanTransport

/// A connection of the mesh that has not ended: a call, a caller that waits for an answer, or a link.
struct Connection {
    /// The peer, once TLS has proved its ID.
    var peer: MeshPeerID?
    /// What carries it; `nil` until a caller has been accepted.
    var link: LinkTransport?
    /// The call as the transport sees it; `nil` for callers.
    var call: WebSocketClientTransport?
    /// The peer that is expected to answer the call.
    var expected: MeshPeerID?
    /// The request of a caller that has not been answered.
    var request: UpgradeRequest?
    /// The collections that both have.
    var collections: [CollectionPath] = []
    /// What the other peer wants of them.
    var interest = LinkInterest()
    /// Gossip for a caller that is being accepted.
    var waitingGossip: [[UInt8]] = []
}

/// The replication on a link; it may outlive the link for a moment, to save its progress.
enum LinkSession {
    case active(ActiveSession, LinkTransport)
    case passive(PassiveSession, LinkTransport)

    /// Ends it, and then the connection, with the mesh's reason.
    func end(_ end: LinkEnd) {
        switch self {
        case .active(let session, let link):
            link.willEnd(end)
            session.stop()
            // A peer that is silent answers nothing that the replication would wait for.
            if end == .silent { link.abort(end) }
        case .passive(let session, let link):
            link.willEnd(end)
            session.close(code: end.rawValue)
        }
    }
}
