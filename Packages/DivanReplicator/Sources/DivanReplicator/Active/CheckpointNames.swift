public import DivanStore

/// The names under which the checkpoint of one collection may stand in a database: today's, and
/// those that the database from which this one was copied may have used.
///
/// Source: `checkpoints.md` §2, §4.
public struct CheckpointNames: Sendable {
    /// The name that is used from now on.
    public let id: CheckpointID
    /// Earlier ones, in the order in which they count; empty unless the database was copied.
    public let previousIDs: [CheckpointID]

    /// Derives the names from what is replicated, and with whom.
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

    /// The first of the names that a copy stands under, and that copy; `nil` when there is none.
    public func localCopy(in store: Store) throws -> (id: CheckpointID, body: [UInt8])? {
        for id in [id] + previousIDs {
            if let body = try store.localCheckpoint(id.description) { return (id, body) }
        }
        return nil
    }
}
