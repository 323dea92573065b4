public import DivanStore

/// The names under which a database may store the checkpoint of one collection: the current one, and those that may
/// have been used by the database from which this one was copied.
///
/// Source: `checkpoints.md` §2, §4.
public struct CheckpointNames: Sendable {
    /// The name used from now on.
    public let id: CheckpointID
    /// Earlier names, in order of preference; empty unless the database was copied.
    public let previousIDs: [CheckpointID]

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

    /// The first of the names under which a copy is stored, and that copy; `nil` if there is none.
    public func localCopy(in store: Store) throws -> (id: CheckpointID, body: [UInt8])? {
        for id in [id] + previousIDs {
            if let body = try store.localCheckpoint(id.description) { return (id, body) }
        }
        return nil
    }
}
