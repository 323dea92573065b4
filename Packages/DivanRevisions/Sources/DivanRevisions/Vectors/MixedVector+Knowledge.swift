// What a peer that has a revision has seen: the versions in its vector and the tree IDs after it.
//
// A tree ID and the version that it is converted to name one revision. All converted IDs share one source,
// so a vector names only the latest of several; the tree IDs after it tell which of the others were seen.
extension MixedVector {
    /// Whether this revision is equal to, or descends from, the given revision.
    public func knows(_ id: RevisionID) -> Bool {
        guard let version = id.version else {
            if legacy.contains(id) { return true }
            return Version(converting: id).map { vector.versions.contains($0) } ?? false
        }
        guard version.source == .revisionTree else { return vector.contains(version) }
        if vector.versions.contains(version) { return true }
        // A sender without tree IDs compares them by their time.
        guard !legacy.isEmpty else { return vector.contains(version) }
        return legacy.contains { Version(converting: $0) == version }
    }

    /// The relation of this revision to another: a revision is newer if its writer had the other.
    public func order(to other: MixedVector) -> RevisionOrder {
        guard let current else { return other.current == nil ? .same : .older }
        guard let theirs = other.current else { return .newer }
        if current.isSame(as: theirs) { return .same }
        let (knowsTheirs, knowsOurs) = (knows(theirs), other.knows(current))
        guard knowsTheirs != knowsOurs else { return .conflict }
        return knowsTheirs ? .newer : .older
    }

    /// Whether each revision won against the other on different peers (`VersionVector.isCrossed`).
    public func isCrossed(with other: MixedVector) -> Bool {
        guard let current, let theirs = other.current, order(to: other) == .conflict else {
            return false
        }
        return knows(theirs) && other.knows(current)
    }

    /// This revision for a peer that also has another revision.
    ///
    /// Its own tree IDs come first, because a peer that has it searches for the first of them.
    public func knowing(_ other: MixedVector) -> MixedVector {
        MixedVector(vector: vector.knowing(other.vector), legacy: legacy.followed(by: other.legacy))
    }

    /// This revision after another, which it follows or replaces.
    ///
    /// A tree ID that did not know all of the other is converted: only a vector can say that it came
    /// later. What the other won over counts, too, if a tree's name was kept for it.
    func following(_ other: MixedVector) -> MixedVector {
        guard isLegacy, !knowsAll(of: other), let converted else { return knowing(other) }
        return MixedVector(vector: converted, legacy: legacy).knowing(other)
    }

    /// Whether every name of the other is known: its revision's, and those in its vector.
    private func knowsAll(of other: MixedVector) -> Bool {
        other.isLegacy
            ? other.current.map { knows($0) } ?? true
            : other.vector.versions.allSatisfy { knows(RevisionID($0)) }
    }

    /// The vector, or that of the converted tree ID; `nil` when its generation is too great.
    var converted: VersionVector? {
        guard isLegacy else { return vector }
        return legacy.first.flatMap { Version(converting: $0) }.map { VersionVector($0) }
    }
}

extension RevisionID {
    /// Whether both name one revision: they are equal, or one is what the other is converted to.
    func isSame(as other: RevisionID) -> Bool {
        if self == other { return true }
        guard isVersion != other.isVersion else { return false }
        let (version, legacy) = isVersion ? (self, other) : (other, self)
        return version.version == Version(converting: legacy)
    }

    /// Whether this one stays if each of the two was given up for the other; the same under either name.
    func isAbove(_ other: RevisionID) -> Bool { converted > other.converted }

    private var converted: RevisionID {
        Version(converting: self).map { RevisionID($0) } ?? self
    }
}

extension [RevisionID] {
    /// How many of these tree IDs, from the first, may be one branch, as others see it.
    var branchCount: Int {
        let end = zip(self, dropFirst()).enumerated().first { _, pair in
            pair.1.generation >= pair.0.generation
        }
        return end.map { $0.offset + 1 } ?? count
    }

    /// Tree IDs, then those of another list that are not among them; as many as are kept.
    ///
    /// The longest branch forgets its middle: others have its newest, and the last that seems
    /// to be its own may be one that it won over.
    func followed(by others: [RevisionID]) -> [RevisionID] {
        let all = self + others.filter { !contains($0) }
        guard all.count > VersionLimits.legacyCount else { return all }
        var branches = all.branches
        for _ in VersionLimits.legacyCount..<all.count {
            let longest = branches.indices.max { branches[$0].count < branches[$1].count } ?? 0
            if branches[longest].count > 1 {
                branches[longest].remove(at: branches[longest].count / 2)
            } else {
                branches.remove(at: 1)  // the one that was won over first
            }
        }
        return Array(branches.joined())
    }

    /// The branches as others see them: each descends from its first.
    private var branches: [[RevisionID]] {
        var branches: [[RevisionID]] = []
        var rest = self
        while !rest.isEmpty {
            let count = rest.branchCount
            branches.append(Array(rest.prefix(count)))
            rest.removeFirst(count)
        }
        return branches
    }
}
