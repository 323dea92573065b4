// The collections and their counters.
extension StoreReader {
    /// All collections: the default collection, then the others in order of creation.
    public func collections() throws(StoreError) -> [CollectionPath] {
        try current().collections()
    }

    /// The number of the collection, which distinguishes it from earlier collections of the same name; `nil` if it
    /// does not exist.
    public func collectionNumber(_ path: CollectionPath) throws(StoreError) -> CollectionID? {
        try current().collection(path)
    }

    /// Whether the collection exists.
    public func hasCollection(_ path: CollectionPath) throws(StoreError) -> Bool {
        if isOpen(path) { return true }
        return try current().collection(path) != nil
    }

    /// Whether the collection has an index, even one whose definition is damaged.
    public func hasIndexes(in path: CollectionPath) throws(StoreError) -> Bool {
        let prefix = StoredIndex.keyPrefix(in: try collectionID(path))
        return try !current().values(in: .indexes, beginningWith: prefix).isEmpty
    }

    /// The number of documents in the collection, not counting tombstones.
    ///
    /// The number is stored, not counted.
    public func count(in collection: CollectionPath) throws(StoreError) -> Int {
        try state(of: self.collection(collection)).liveCount
    }

    /// The greatest sequence ever assigned in the collection; 0 if no document was ever stored.
    public func lastSequence(in collection: CollectionPath) throws(StoreError) -> UInt64 {
        try state(of: self.collection(collection)).lastSequence
    }

    /// The last sequences of all collections, to check later for new changes.
    public func lastSequences() throws(StoreError) -> [CollectionPath: UInt64] {
        var sequences: [CollectionPath: UInt64] = [:]
        for path in try collections() { sequences[path] = try lastSequence(in: path) }
        return sequences
    }
}
