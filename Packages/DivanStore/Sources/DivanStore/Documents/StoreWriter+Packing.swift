internal import DivanRevisions

extension StoreReader {
    /// The number of the codec that compresses new bodies of a collection; `nil` if compression is off.
    ///
    /// See `BodyPacking`. Engines without compression, like the in-memory engine, store the setting too.
    public func bodyPacking(of path: CollectionPath) throws(StoreError) -> UInt8? {
        let key = PackedCollection.key(try collection(path).id)
        return try current().value(key, in: .packing).flatMap(PackedCollection.init)?.codec
    }
}

extension StoreWriter {
    /// Turns on compression of a collection's bodies with a codec, or turns it off with `nil`.
    ///
    /// Existing bodies do not change until they are stored again, or until `Store.compact()` recompresses all of
    /// them. A dictionary is created from the documents and replaces any existing dictionary; if there are too few
    /// documents, it is created when there are `StorageLimits.sampledDocumentCount`. Older versions of Divan can no
    /// longer open the database.
    ///
    /// - Throws: `unknownCodec` if `StoreOptions.packing` has no codec with this number.
    public func packBodies(of path: CollectionPath, with codec: UInt8?) throws(StoreError) {
        let collection = try self.collection(path)
        try setPacking(codec, of: collection.id)
        noteTreeChange()
    }

    /// Removes the packing settings of a collection that is being deleted.
    func forgetPacking(of collection: OpenCollection) throws(StoreError) {
        let key = PackedCollection.key(collection.id)
        guard try current().value(key, in: .packing) != nil else { return }
        try setPacking(nil, of: collection.id)
    }

    private func setPacking(_ codec: UInt8?, of collection: CollectionID) throws(StoreError) {
        let transaction = try changing()
        if let packing = transaction.packing {
            return try packing.setPacking(codec, of: collection)
        }
        let value = codec.map { PackedCollection(codec: $0).value }
        try transaction.setValue(value, for: PackedCollection.key(collection), in: .packing)
    }
}
