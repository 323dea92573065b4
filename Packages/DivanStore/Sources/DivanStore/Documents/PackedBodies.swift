/// How the bodies of a collection stand in its file: what is asked of those to come, and what became of
/// those that are there.
public struct PackedBodies: Equatable, Sendable {
    /// The number of the codec that packs what is saved from now on; `nil`: it stays plain.
    public let codec: UInt8?
    /// Bytes of the dictionary that does so; 0 as long as there is none, or it is damaged.
    public let dictionaryByteCount: Int
    /// Bytes of all dictionaries, those included that only older rows name.
    public let allDictionariesByteCount: Int
    /// How many documents from everywhere in the collection were looked at, each if they are few; 0 where
    /// nothing packs.
    public let seenCount: Int
    /// How many of those have a packed body.
    public let packedCount: Int
}

extension StoreReader {
    /// How the bodies of each collection stand in the file; those are missing where none is packed or
    /// shall be.
    ///
    /// Takes as long for a large collection as for one of `StoreLimits.sampleCount` documents.
    ///
    /// - Throws: What the engine reports.
    public func packedBodies() throws(StoreError) -> [CollectionPath: PackedBodies] {
        let counts = try current().dictionaryByteCounts()
        var found: [CollectionPath: PackedBodies] = [:]
        for path in try collections() {
            let id = try collection(path).id
            found[path] = try packedBodies(of: id, counts[id] ?? [:])
        }
        return found
    }

    private func packedBodies(
        of collection: CollectionID,
        _ counts: [UInt64: Int]
    ) throws(StoreError) -> PackedBodies? {
        let snapshot = try current()
        let choice = try snapshot.value(PackedCollection.key(collection), in: .packing)
            .flatMap(PackedCollection.init)
        guard choice != nil || !counts.isEmpty else { return nil }
        let (seen, packed) = try snapshot.packedCount(
            in: collection,
            among: StoreLimits.sampleCount
        )
        return PackedBodies(
            codec: choice?.codec,
            dictionaryByteCount: choice.flatMap { counts[$0.dictionary] } ?? 0,
            allDictionariesByteCount: counts.values.reduce(0, +),
            seenCount: seen,
            packedCount: packed
        )
    }
}
