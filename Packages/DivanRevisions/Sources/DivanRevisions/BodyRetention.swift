/// The rule for old bodies of the current branch that a tree keeps although no remote is known to have them.
///
/// They are the sources of deltas for peers whose state is not recorded, such as the clients of a listener.
public struct BodyRetention: Equatable, Sendable {
    /// Keeps no old bodies, as in Couchbase Lite.
    public static let none = BodyRetention(revisionCount: 0, minimumByteCount: 0)

    /// The number of bodies before the current body.
    public var revisionCount: Int
    /// The minimum size; shorter bodies are not kept.
    public var minimumByteCount: Int
    /// The maximum size; longer bodies are not kept.
    public var maximumByteCount: Int
    /// Whether the replaced body is discarded, and only earlier bodies are kept.
    public var dropsReplaced: Bool

    /// Creates a rule.
    public init(
        revisionCount: Int,
        minimumByteCount: Int,
        maximumByteCount: Int = .max,
        dropsReplaced: Bool = false
    ) {
        self.revisionCount = revisionCount
        self.minimumByteCount = minimumByteCount
        self.maximumByteCount = maximumByteCount
        self.dropsReplaced = dropsReplaced
    }
}

extension RevisionTree {
    /// Marks the old bodies that a rule keeps, and unmarks others that nothing else needs.
    ///
    /// In a conflict nothing changes: an old body is the base of the merge.
    mutating func retainBodies(_ retention: BodyRetention) {
        guard revisions.count > 1, let current = currentPosition,
            !revisions.contains(where: { $0.flags.contains(.conflict) })
        else { return }
        var keptCount = 0
        for (age, position) in lineage(from: current).dropFirst().enumerated() {
            let byteCount = revisions[position].body?.count ?? 0
            let isDropped = age == 0 && retention.dropsReplaced
            if keptCount < retention.revisionCount, !isDropped, byteCount > 0,
                byteCount >= retention.minimumByteCount, byteCount <= retention.maximumByteCount
            {
                keptCount += 1
                revisions[position].flags.insert(.keepsBody)
            } else if !isMarked(position) {
                revisions[position].flags.remove(.keepsBody)
            }
        }
    }
}
