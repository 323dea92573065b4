internal import DivanRevisions

extension StoreReader {
    /// The number of the codec with which the bodies of a collection are packed from now on; `nil`: none.
    ///
    /// See `BodyPacking`. An engine that packs nothing, as the one in memory, knows it too.
    public func bodyPacking(of path: CollectionPath) throws(StoreError) -> UInt8? {
        let key = PackedCollection.key(try collection(path).id)
        return try current().value(key, in: .packing).flatMap(PackedCollection.init)?.codec
    }
}

extension StoreWriter {
    /// Has the bodies of a collection packed with a codec from now on, or, with `nil`, no longer.
    ///
    /// Bodies that are there stay as they are until they are stored again, or all by `Store.compact()`.
    /// A dictionary is made of the documents, again where one was there; where there are too few of
    /// them, as soon as there are `StoreLimits.sampledDocumentCount`. Older versions of Divan do not open
    /// the database any more.
    ///
    /// - Throws: `unknownCodec` where `StoreOptions.packing` has none with this number.
    public func packBodies(of path: CollectionPath, with codec: UInt8?) throws(StoreError) {
        let collection = try self.collection(path)
        try changing().setPacking(codec, of: collection.id)
        noteTreeChange()
    }

    /// Removes what is known of the packing of a collection that goes.
    func forgetPacking(of collection: OpenCollection) throws(StoreError) {
        let key = PackedCollection.key(collection.id)
        guard try current().value(key, in: .packing) != nil else { return }
        try changing().setPacking(nil, of: collection.id)
    }
}

extension StorageTransaction {
    /// Keeps the choice and packs nothing.
    public func setPacking(
        _ codec: UInt8?,
        of collection: CollectionID
    ) throws(StoreError) {
        let value = codec.map { PackedCollection(codec: $0).value }
        try setValue(value, for: PackedCollection.key(collection), in: .packing)
    }
}
