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

    /// The copy of another direction from which a first run continues; `nil` if there is none.
    ///
    /// What that run and the peer agree on holds for this one, too: how far was pulled, and what the peer is
    /// known to have. Of two copies, the one that continued from the other confirms both.
    func relatedCopy(in store: Store) throws -> RelatedCheckpoint? {
        var found: [RelatedCheckpoint] = []
        for id in relatedIDs {
            guard let body = try store.localCheckpoint(id.description) else { continue }
            found.append(RelatedCheckpoint(id: id, body: body))
        }
        let latest = found.first { copy in
            found.allSatisfy { $0.id == copy.id || copy.lineage.continues($0.lineage) }
        }
        if let latest { return latest }
        var farthest = found.max { $0.pushedThrough < $1.pushedThrough }
        farthest?.confirmsAll = false
        return farthest
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

/// A copy of the checkpoint of the same replication in another direction.
struct RelatedCheckpoint {
    let id: CheckpointID
    let body: [UInt8]
    /// Whether the peer, if it has this copy, also has what came with the copies of the other directions.
    var confirmsAll = true

    var lineage: CheckpointLineage { CheckpointLineage(json: body) }
    var pushedThrough: UInt64 { Checkpoint(json: body).completed.firstRangeEnd }
}
