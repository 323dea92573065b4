public import DivanMesh
public import DivanStore

/// Whether and how a document reaches another peer of a mesh, as far as one peer knows.
public enum MeshDelivery: Hashable, Sendable {
    /// It is sent over the link between the two peers.
    case linked
    /// It is sent to this peer, and over others that carry everything; the last one applies the subscription.
    case relayed(through: MeshPeerID)
    /// The peer has not subscribed to it: this is its condition.
    case notSubscribed(String)
    /// A filter of this peer leaves it out, for the peer or for all that could pass it on.
    case filtered
    /// The peer does not sync the collection.
    case notShared
    /// No known way leads over peers that carry everything: it waits for one.
    case noRelay
    /// The peer is offline: it waits until the peer is online.
    case offline
    /// The databases have different revision schemes.
    case incompatible
}

extension MeshDelivery {
    /// What happens to a document of a collection, for each of the known peers.
    ///
    /// Of a peer without a link, the collections and conditions of the last link count.
    ///
    /// - Parameters:
    ///   - peers: All known peers.
    ///   - path: The collection.
    ///   - isSent: Whether the filters of this peer send the document to a peer.
    ///   - isWanted: Whether the document meets a condition.
    /// - Returns: One for each peer, in the same order.
    public static func all(
        to peers: [MeshPeerInfo],
        in path: CollectionPath,
        isSent: (MeshPeerID) -> Bool,
        isWanted: (_ condition: String) -> Bool
    ) -> [MeshDelivery] {
        let refusals = peers.map { $0.refusal(in: path, isWanted) }
        let isFiltered = zip(peers, refusals).map { peer, refusal in
            peer.link != nil && refusal == nil && !isSent(peer.id)
        }
        var receivers: [MeshPeerID: [MeshPeerID]] = [:]
        var links: [MeshPeerID] = []
        for (index, peer) in peers.enumerated() where refusals[index] == nil && !isFiltered[index] {
            if peer.link != nil { links.append(peer.id) }
            if peer.isOnline, !peer.isPartial { receivers[peer.id] = peer.neighbours }
        }
        let routes = MeshRoutes(over: links) { receivers[$0] ?? [] }
        let isStopped = links.isEmpty && isFiltered.contains(true)
        return peers.indices.map { index in
            let peer = peers[index]
            if let refusal = refusals[index] { return refusal }
            if peer.link != nil { return isFiltered[index] ? .filtered : .linked }
            if !peer.isOnline { return .offline }
            if let carrier = routes[peer.id] { return .relayed(through: carrier) }
            return isStopped ? .filtered : .noRelay
        }
    }
}

extension MeshPeerInfo {
    /// Why the peer does not want a document of a collection, whichever way it came; `nil` if it may want it.
    fileprivate func refusal(
        in path: CollectionPath,
        _ isWanted: (_ condition: String) -> Bool
    ) -> MeshDelivery? {
        if !isCompatible { return .incompatible }
        if let collections, !collections.contains(path) { return .notShared }
        if let condition = subscriptions[path], !isWanted(condition) {
            return .notSubscribed(condition)
        }
        return nil
    }
}
