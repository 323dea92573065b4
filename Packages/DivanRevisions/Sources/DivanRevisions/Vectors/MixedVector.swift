/// The history of a revision in a database with version vectors: a vector, and the tree IDs from before the
/// upgrade.
///
/// A document that was not written since its database was upgraded has only tree IDs, the first of which is the
/// revision. After a vector they only record the history: the first is the last revision of the document in a tree.
///
/// Source: `version-vectors.md` §2, §5.
public struct MixedVector: Equatable, Sendable {
    /// The vector; empty for a tree's revision.
    public var vector: VersionVector
    /// The tree IDs, newest first.
    public var legacy: [RevisionID]

    /// Creates a history from its parts.
    public init(vector: VersionVector = VersionVector(), legacy: [RevisionID] = []) {
        self.vector = vector
        self.legacy = legacy
    }

    /// The ID of the revision; `nil` if there is none.
    public var current: RevisionID? {
        vector.current.map { RevisionID($0) } ?? legacy.first
    }

    /// Whether the revision was not written since its database was upgraded.
    public var isLegacy: Bool { vector.isEmpty }
}

extension MixedVector {
    /// The relation of this revision to another in Couchbase Lite.
    ///
    /// Couchbase Lite compares tree IDs even if both have vectors: a side without tree IDs, or with different ones,
    /// is a conflict, independent of the vectors. Divan uses `order(to:)`; this method predicts the answer of such
    /// a peer.
    public func orderAtCouchbaseLite(to other: MixedVector) -> RevisionOrder {
        if isConversion(of: other) || other.isConversion(of: self) { return .same }
        let byVectors = vector.order(to: other.vector)
        let byTrees = orderOfLegacy(to: other)
        guard byVectors != .conflict, byTrees != .conflict else { return .conflict }
        guard byVectors != .same else {
            // Without vectors the trees decide; equal vectors with unequal trees are a contradiction.
            return isLegacy || byTrees == .same ? byTrees : .conflict
        }
        if byTrees == .same { return byVectors }
        // The side without a vector is the older one, and must not have continued in its tree.
        guard isLegacy != other.isLegacy else { return .conflict }
        return byTrees == byVectors ? byVectors : .conflict
    }

    /// Whether the other is a tree revision, and this the version that it is converted to.
    private func isConversion(of other: MixedVector) -> Bool {
        guard other.isLegacy, let theirs = other.legacy.first, let current = vector.current,
            current.source == .revisionTree
        else { return false }
        return Version(converting: theirs) == current
    }

    /// How the tree IDs relate to those of another: the first of ours that it has decides.
    private func orderOfLegacy(to other: MixedVector) -> RevisionOrder {
        if legacy.isEmpty || other.legacy.isEmpty {
            guard legacy.isEmpty != other.legacy.isEmpty else { return .same }
            return legacy.isEmpty ? .older : .newer
        }
        let theirs = Set(other.legacy)
        guard let common = legacy.first(where: theirs.contains) else { return .conflict }
        switch (common == legacy.first, common == other.legacy.first) {
        case (true, true): return .same
        case (false, true): return .newer
        case (true, false): return .older
        case (false, false): return .conflict
        }
    }
}

extension Version {
    /// The version for a tree ID: its generation, then the first five bytes of its digest.
    ///
    /// `nil` for a generation from 2²³ on, for which no time exists.
    public init?(converting id: RevisionID) {
        guard !id.isVersion, id.generation < 1 << 23 else { return nil }
        self.init(time: id.generation << 40 | id.digestStart >> 24, source: .revisionTree)
    }
}
