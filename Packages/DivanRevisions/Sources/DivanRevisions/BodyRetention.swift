/// Which old bodies of the current branch a tree keeps although no remote is known to have them.
///
/// They are the sources of deltas for peers of which nothing is recorded, such as the clients of a
/// listener.
public struct BodyRetention: Equatable, Sendable {
    /// None: what Couchbase Lite does.
    public static let none = BodyRetention(revisionCount: 0, minimumByteCount: 0)

    /// How many revisions before the current one.
    public var revisionCount: Int
    /// Shorter bodies are not kept.
    public var minimumByteCount: Int

    /// Creates a rule.
    public init(revisionCount: Int, minimumByteCount: Int) {
        self.revisionCount = revisionCount
        self.minimumByteCount = minimumByteCount
    }
}

extension RevisionTree {
    /// Marks the old bodies that a rule keeps, and no others that nobody else needs.
    ///
    /// In a conflict everything stays as it is: an old body is the base of the merge.
    mutating func retainBodies(_ retention: BodyRetention) {
        guard revisions.count > 1, let current = currentPosition,
            !revisions.contains(where: { $0.flags.contains(.conflict) })
        else { return }
        for (age, position) in lineage(from: current).dropFirst().enumerated() {
            let byteCount = revisions[position].body?.count ?? 0
            if age < retention.revisionCount, byteCount > 0,
                byteCount >= retention.minimumByteCount
            {
                revisions[position].flags.insert(.keepsBody)
            } else if !isMarked(position) {
                revisions[position].flags.remove(.keepsBody)
            }
        }
    }
}
