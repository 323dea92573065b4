import DivanStore

/// Notices a document whose conflict is resolved again and again.
///
/// Choosing one side always terminates, whoever chooses what (`Precedence` of DivanRevisions). A resolver that creates
/// something new from the same two revisions each time does not: every peer answers the merge of the others with its
/// own. This can only be detected by counting, so this type counts, for a bounded number of documents.
struct ConflictLoopDetector {
    private var counts: [PendingConflict: Count] = [:]

    private struct Count {
        var since: Duration
        var resolutionCount = 0
    }

    /// Documents being counted now.
    var documentCount: Int { counts.count }

    /// Counts a resolution; returns true for the one that exceeds the limit, once in a window.
    mutating func note(
        _ conflict: PendingConflict,
        at now: Duration,
        _ limits: ReplicatorLimits
    ) -> Bool {
        var count = counts[conflict] ?? Count(since: now)
        if now - count.since > limits.rotationWindow { count = Count(since: now) }
        count.resolutionCount += 1
        if counts[conflict] == nil, counts.count >= limits.watchedConflictsCount {
            counts = counts.filter { now - $0.value.since <= limits.rotationWindow }
            // All are discarded: a document that is in rotation will soon be counted again.
            if counts.count >= limits.watchedConflictsCount { counts = [:] }
        }
        counts[conflict] = count
        return count.resolutionCount == limits.rotationCount
    }
}
