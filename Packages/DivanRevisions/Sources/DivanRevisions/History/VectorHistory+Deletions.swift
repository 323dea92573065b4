// How often a document was deleted before a revision, which decides a conflict before the times do.
//
// If a deletion simply won over every edit that did not know it, the order of meetings would decide what becomes of
// a document that is restored while another peer edits what was deleted: the deletion wins over the edit, the
// restored document follows the deletion, and the later edit wins over the restored document. A revision's count
// is never less than that of what it follows, so the order of `Precedence` is total, and agrees with what follows what.
//
// The vector carries the count as the time of a pseudo source, so that it is stored, sent and merged with the
// rest. A document's first deletion counts as one without an entry, so only a document that was restored
// has one. Peers other than Divan are not told of it, and send none.
extension VectorHistory.Entry {
    /// How many deletions, one after the other, this revision knows, its own included.
    var deletionCount: UInt64 {
        max(mixed.vector.deletionCount, revision.isTombstone ? 1 : 0)
    }

    /// This revision after others, which it follows or wins over.
    func counting(deletions count: UInt64) -> Self {
        guard count > deletionCount else { return self }
        var counted = self
        counted.mixed.vector = mixed.vector.counting(deletions: count)
        return counted
    }

    /// The number of deletions behind a revision that replaces these.
    static func deletionCount(isTombstone: Bool, after others: [Self]) -> UInt64 {
        let count = others.map(\.deletionCount).max() ?? 0
        guard isTombstone, !others.contains(where: \.revision.isTombstone) else { return count }
        return min(count + 1, VersionLimits.deletionCount)
    }
}

extension VectorHistory {
    /// The place of a revision in the order in which conflicts are decided.
    public func precedence(of id: RevisionID) -> Precedence? {
        entries.first { $0.id == id }.map { entry in
            Precedence(
                entry.id,
                isTombstone: entry.revision.isTombstone,
                deletionCount: entry.deletionCount
            )
        }
    }
}
