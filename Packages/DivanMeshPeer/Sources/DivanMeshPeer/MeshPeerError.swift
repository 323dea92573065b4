import DivanMesh

/// A configuration with which a peer cannot join a mesh.
public enum MeshPeerError: Error, Equatable, Sendable {
    /// There is no collection to sync.
    case noCollection
    /// There are more collections than `MeshPeerLimits` permits, or their names are too long together.
    case tooManyCollections(count: Int)
    /// A condition is invalid or too long, or its collection is not synced.
    case invalidSubscription(String, reason: String)
    /// Without discovery and without seeds a peer finds no other one.
    case nothingToFindPeersBy
    /// The peer has been started before.
    case alreadyStarted
}

extension MeshPeerError: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        switch self {
        case .noCollection: "mesh: no collection to sync; pass at least one"
        case .tooManyCollections(let count):
            "mesh: \(count) collections exceed the limit of \(MeshPeerLimits.collectionCount), or "
                + "of \(MeshPeerLimits.collectionsByteCount) bytes of names; sync fewer collections"
        case .invalidSubscription(let collection, let reason):
            "mesh: invalid subscription to collection \(collection): \(reason); change the condition"
        case .nothingToFindPeersBy:
            "mesh: neither discovery nor seeds are configured; set one of them to find peers"
        case .alreadyStarted: "mesh: the peer was already started; create a new one"
        }
    }
}
