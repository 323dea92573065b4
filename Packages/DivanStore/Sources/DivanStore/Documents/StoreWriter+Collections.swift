// Collections that come and go. What is kept of one goes with it, but for where its change numbers ended.
extension StoreWriter {
    /// Makes a collection; does nothing when it exists.
    public func createCollection(_ path: CollectionPath) throws(StoreError) {
        guard try !hasCollection(path) else { return }
        try makeCollection(path)
        noteTreeChange()
    }

    /// Makes a collection whose change numbers go on where those of a deleted one of its name ended, so that
    /// whoever knows how far that had come, a peer, a client or a backup, misses nothing of this one.
    private func makeCollection(_ path: CollectionPath) throws(StoreError) {
        var state = try changing().createCollection(path)
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

    /// Notes where the change numbers of a collection ended that another database had and deleted.
    public func importEnd(
        _ sequence: UInt64,
        of path: CollectionPath
    ) throws(StoreError) {
        guard sequence > 0, sequence < 1 << 62, try !hasCollection(path) else { return }
        try setMetadata(Self.endKey(path), Array(String(sequence).utf8))
    }

    /// Under which metadata stands where the change numbers of a deleted collection ended.
    private static func endKey(_ path: CollectionPath) -> String { "ended-collection:\(path)" }

    /// Removes a collection with its documents and checkpoints; does nothing when there is none.
    ///
    /// The default collection is emptied and stays.
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
