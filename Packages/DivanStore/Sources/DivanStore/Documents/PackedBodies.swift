/// How the bodies of a collection are stored: what was requested for new ones, and what the existing
/// ones look like.
public struct PackedBodies: Equatable, Sendable {
    /// The number of the codec that packs what is saved from now on; `nil` means it stays plain.
    public let codec: UInt8?
    /// Bytes of the dictionary in use; 0 while there is none, or if it is damaged.
    public let dictionaryByteCount: Int
    /// Bytes of all dictionaries, including those that only older rows use.
    public let allDictionariesByteCount: Int
    /// How many documents from all over the collection were looked at, or all if they are few; 0 if
    /// nothing is packed.
    public let seenCount: Int
    /// How many of those have a packed body.
    public let packedCount: Int
}

extension StoreReader {
    /// How the bodies of each collection are stored; omits collections where none is packed or to be
    /// packed.
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
