public import DivanCrypto

extension RevisionTree {
    /// The ancestors to send with a revision, newest first, without the revision itself.
    ///
    /// Gaps after pruning are filled with generated IDs, `<generation>-faded000` and sixteen random digits, since a
    /// receiver requires the first entries to be consecutive. The list ends with the first ancestor that the peer
    /// has, which is included even if the list is already full.
    ///
    /// - Parameters:
    ///   - id: The revision to send.
    ///   - limit: The peer's `maxHistory`; counts the revision itself, so one less is returned. At
    ///     least 1, and at most `RevisionLimits.historyCount` is used.
    ///   - known: Revisions that the peer is known to have.
    ///   - random: The source of the generated IDs.
    /// - Returns: At most `limit` − 1 IDs; none if the tree does not contain the revision.
    ///
    /// Source: `revisions.md` §6.
    public func history(
        of id: RevisionID,
        limit: Int = RevisionLimits.depth,
        until known: Set<RevisionID> = [],
        random: some RandomSource
    ) -> [RevisionID] {
        guard let start = position(of: id) else { return [] }
        let limit = min(max(limit, 1), RevisionLimits.historyCount)
        var list = [id]
        for position in lineage(from: start).dropFirst() {
            let ancestor = revisions[position].id
            var generation = list[list.count - 1].generation - 1
            while list.count < limit, generation > ancestor.generation {
                if let faded = RevisionID(fadedGeneration: generation, random: random) {
                    list.append(faded)
                }
                generation -= 1
            }
            let isKnown = known.contains(ancestor)
            if list.count < limit {
                list.append(ancestor)
            } else if isKnown, limit > 1 {
                list[list.count - 1] = ancestor
            }
            if isKnown { break }
        }
        return Array(list.dropFirst())
    }
}

extension RevisionID {
    /// Makes up an ID for a forgotten ancestor.
    fileprivate init?(fadedGeneration generation: UInt64, random: some RandomSource) {
        let digest: [UInt8] = [0xFA, 0xDE, 0xD0, 0x00] + random.bytes(8)
        self.init(generation: generation, digestBytes: digest.span)
    }
}
