import DivanReplicator
import DivanStore

/// What the peer at the other end of a link wants: the conditions that it sent, compiled once for the link.
struct LinkInterest: Sendable {
    /// Its conditions by collection; it wants everything of the others.
    var conditions: [CollectionPath: String] = [:]
    /// The same as filters.
    var filters: [CollectionPath: DocumentFilter] = [:]
}

extension MeshPeerConfiguration {
    /// Compiles the conditions of a peer.
    ///
    /// - Throws: `MeshPeerError.invalidSubscription` with the first one that is invalid or too long.
    func interest(
        in conditions: [CollectionPath: String]
    ) throws(MeshPeerError) -> LinkInterest {
        var interest = LinkInterest(conditions: conditions)
        var byteCount = 0
        for (path, condition) in conditions.sorted(by: { $0.key.wireName < $1.key.wireName }) {
            byteCount += condition.utf8.count
            guard condition.utf8.count <= MeshPeerLimits.subscriptionByteCount,
                byteCount <= MeshPeerLimits.subscriptionsByteCount
            else {
                throw .invalidSubscription(
                    path.wireName,
                    reason:
                        "its conditions exceed \(MeshPeerLimits.subscriptionByteCount) bytes, or "
                        + "\(MeshPeerLimits.subscriptionsByteCount) bytes together"
                )
            }
            do {
                interest.filters[path] = try compile(condition)
            } catch {
                throw .invalidSubscription(path.wireName, reason: "\(error)")
            }
        }
        return interest
    }
}
