/// How the bodies of a collection are stored: the setting for new bodies, and the state of existing ones.
public struct PackedBodies: Equatable, Sendable {
    /// The number of the codec that compresses new bodies; `nil` means no compression.
    public let codec: UInt8?
    /// Bytes of the dictionary in use; 0 while there is none, or if it is damaged.
    public let dictionaryByteCount: Int
    /// Bytes of all dictionaries, including those used only by older rows.
    public let allDictionariesByteCount: Int
    /// The number of documents sampled from the whole collection, or all if there are few; 0 if nothing is
    /// compressed.
    public let seenCount: Int
    /// How many of those have a compressed body.
    public let packedCount: Int
}

extension StoreReader {
    /// How the bodies of each collection are stored; omits collections without compression.
    ///
    /// Takes no longer for a large collection than for one with `StorageLimits.sampleCount` documents.
    ///
    /// - Throws: What the engine reports.
    public func packedBodies() throws(StoreError) -> [CollectionPath: PackedBodies] {
        let counts = try current().space?.dictionaryByteCounts() ?? [:]
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
        let sample = try snapshot.space?
            .packedCount(in: collection, among: StorageLimits.sampleCount)
        return PackedBodies(
            codec: choice?.codec,
            dictionaryByteCount: choice.flatMap { counts[$0.dictionary] } ?? 0,
            allDictionariesByteCount: counts.values.reduce(0, +),
            seenCount: sample?.seen ?? 0,
            packedCount: sample?.packed ?? 0
        )
    }
}
