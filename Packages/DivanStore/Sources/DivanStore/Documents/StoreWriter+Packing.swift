internal import DivanRevisions

extension StoreReader {
    /// The number of the codec that packs the bodies of a collection from now on; `nil` if none does.
    ///
    /// See `BodyPacking`. An engine that packs nothing, like the one in memory, knows it too.
    public func bodyPacking(of path: CollectionPath) throws(StoreError) -> UInt8? {
        let key = PackedCollection.key(try collection(path).id)
        return try current().value(key, in: .packing).flatMap(PackedCollection.init)?.codec
    }
}

extension StoreWriter {
    /// Packs the bodies of a collection with a codec from now on or, with `nil`, no longer.
    ///
    /// Existing bodies stay as they are until they are stored again, or until `Store.compact()` repacks
    /// all of them. A dictionary is made of the documents, replacing any existing one; if there are too
    /// few, as soon as there are `StoreLimits.sampledDocumentCount`. Older versions of Divan can no
    /// longer open the database.
    ///
    /// - Throws: `unknownCodec` if `StoreOptions.packing` has none with this number.
    public func packBodies(of path: CollectionPath, with codec: UInt8?) throws(StoreError) {
        let collection = try self.collection(path)
        try changing().setPacking(codec, of: collection.id)
        noteTreeChange()
    }

    /// Removes the packing settings of a collection that is being deleted.
    func forgetPacking(of collection: OpenCollection) throws(StoreError) {
        let key = PackedCollection.key(collection.id)
        guard try current().value(key, in: .packing) != nil else { return }
        try changing().setPacking(nil, of: collection.id)
    }
}

extension StorageTransaction {
    /// Stores the choice and packs nothing.
    public func setPacking(
        _ codec: UInt8?,
        of collection: CollectionID
    ) throws(StoreError) {
        let value = codec.map { PackedCollection(codec: $0).value }
        try setValue(value, for: PackedCollection.key(collection), in: .packing)
    }
}
