public import DivanStore

/// The names of a collection's checkpoint: the current one, and those of the database from which this one was copied.
///
/// Source: `checkpoints.md` §2, §4.
public struct CheckpointNames: Sendable {
    /// The current name.
    public let id: CheckpointID
    /// Earlier names, in order of preference; empty unless the database was copied.
    public let previousIDs: [CheckpointID]
    /// The names of the same replication in other directions; empty for the default collection, where all
    /// directions have one name.
    let relatedIDs: [CheckpointID]

    /// Derives the names from the replicated collection and its peer.
    public init(
        of collection: PeerConfiguration.CollectionOptions,
        _ options: PeerConfiguration.ActiveOptions,
        in store: Store
    ) {
        var inputs = CheckpointID.Inputs(
            privateUUID: store.privateUUID,
            remoteIdentity: options.remoteIdentity
        )
        inputs.scope = collection.path.scope
        inputs.collection = collection.path.name
        inputs.pulls = options.pulls
        inputs.pushes = options.pushes
        inputs.channels = collection.channels
        inputs.documentIDs = collection.documentIDs
        inputs.filter = collection.filterName
        id = CheckpointID(inputs)
        relatedIDs =
            collection.path == .default
            ? []
            : [(true, true), (true, false), (false, true)]
                .filter { $0 != (options.pulls, options.pushes) }
                .map { pulls, pushes in
                    var related = inputs
                    (related.pulls, related.pushes) = (pulls, pushes)
                    return CheckpointID(related)
                }
        previousIDs =
            store.previousPrivateUUID.map { uuid in
                RemoteURLSpellings.all(of: options.remoteIdentity).map { spelling in
                    var previous = inputs
                    previous.privateUUID = uuid
                    previous.remoteIdentity = spelling
                    return CheckpointID(previous)
                }
            } ?? []
    }

    /// The copy of another direction from which a first run continues; `nil` unless there is exactly one.
    ///
    /// What that run and the peer agree on holds for this one, too: how far was pulled, and what the peer is
    /// known to have. With two copies, one confirms nothing of what came with the other.
    func relatedCopy(in store: Store) throws -> (id: CheckpointID, body: [UInt8])? {
        var found: [(id: CheckpointID, body: [UInt8])] = []
        for id in relatedIDs {
            if let body = try store.localCheckpoint(id.description) { found.append((id, body)) }
        }
        return found.count == 1 ? found.first : nil
    }

    /// Whether a run in any direction recorded something about the peer after its last save.
    func hasMarks(in store: Store) throws -> Bool {
        for id in [id] + relatedIDs where try store.hasMarks(behind: id.description) { return true }
        return false
    }

    /// Returns the stored checkpoint and its name; `nil` if none is stored.
    public func localCopy(in store: Store) throws -> (id: CheckpointID, body: [UInt8])? {
        for id in [id] + previousIDs {
            if let body = try store.localCheckpoint(id.description) { return (id, body) }
        }
        return nil
    }
}
