// Creating and deleting collections. Everything kept about one is deleted with it, except its last sequence.
extension StoreWriter {
    /// Creates a collection; does nothing if it already exists.
    public func createCollection(_ path: CollectionPath) throws(StoreError) {
        guard try !hasCollection(path) else { return }
        try makeCollection(path)
        noteTreeChange()
    }

    private func forgetIndexes(of collection: OpenCollection) throws(StoreError) {
        let prefix = StoredIndex.keyPrefix(in: collection.id)
        for (key, _) in try current().values(in: .indexes, beginningWith: prefix) {
            try setValue(nil, for: key, in: .indexes)
        }
    }

    /// Creates a collection whose sequences continue those of a deleted one of the same name, so that a
    /// peer, a client or a backup that knows how far the old one had come misses nothing of the new one.
    private func makeCollection(_ path: CollectionPath) throws(StoreError) {
        var state = try changing().createCollection(path)
        noteShape(of: path)
        let key = Self.endKey(path)
        guard let end = try metadata(key) else { return }
        try setMetadata(key, nil)
        guard let last = UInt64(String(decoding: end, as: UTF8.self)), last < 1 << 62 else {
            return
        }
        state.lastSequence = last
        try changing().setState(state)
        // Those that an import brought name no collection: they may tell how far the former one had come.
        try forgetCheckpoints(of: path)
        noteUnknownCheckpoints()
    }

    /// Records the last sequence of a collection that was deleted in the imported database.
    public func importEnd(
        _ sequence: UInt64,
        of path: CollectionPath
    ) throws(StoreError) {
        guard sequence > 0, sequence < 1 << 62, try !hasCollection(path) else { return }
        try setMetadata(Self.endKey(path), Array(String(sequence).utf8))
    }

    /// The metadata key for the last sequence of a deleted collection.
    private static func endKey(_ path: CollectionPath) -> String { "ended-collection:\(path)" }

    /// Deletes a collection with its documents and checkpoints; does nothing if it does not exist.
    ///
    /// The default collection is emptied but remains.
    public func deleteCollection(_ path: CollectionPath) throws(StoreError) {
        guard try hasCollection(path) else { return }
        let collection = try self.collection(path)
        try forgetKnown(in: collection)
        try forgetRefusals(in: collection)
        try forgetIndexes(of: collection)
        try forgetPacking(of: collection)
        try forgetCheckpoints(of: path)
        noteUnknownCheckpoints()
        let last = try state(of: collection).lastSequence
        if last > 0 { try setMetadata(Self.endKey(path), Array(String(last).utf8)) }
        try changing().deleteCollection(collection.id)
        forget(collection)
        noteTreeChange()
        if path == .default { try makeCollection(path) } else { noteEnd(of: path) }
    }
}
