/// The history of one document in a database with version vectors.
///
/// **Theory of operation.** The first entry is the current revision. It is followed by the revisions that remotes
/// are known to have instead, at most one for each, a few revisions whose bodies are sources of deltas, and during
/// a conflict the base of the merge. An entry in conflict came from a remote; neither its vector nor that of the
/// current revision includes the other. It waits for a resolver, or is removed when its remote has a newer
/// revision. Nothing else is kept: a revision's history is in its vector.
///
/// Two revisions that each won against the other (`MixedVector.isCrossed`) are not a conflict: the one with the
/// greater version is kept, on every peer that follows this rule.
///
/// A document that was not written since its database was upgraded has tree IDs instead of a vector
/// (`MixedVector`).
///
/// Source: `version-vectors.md` §4–§6, §10.
public struct VectorHistory: Equatable, Sendable {
    /// A revision with its past.
    struct Entry: Equatable, Sendable {
        var mixed: MixedVector
        var revision: HistoryRevision

        var id: RevisionID { revision.id }
        var isConflict: Bool { revision.flags.contains(.conflict) }

        init(_ mixed: MixedVector, _ revision: HistoryRevision) {
            self.mixed = mixed
            self.revision = revision
        }

        /// Whether this is the revision with that ID, or follows it.
        func knows(_ id: RevisionID) -> Bool { mixed.knows(id) }
    }

    /// The current revision, then the others, newest first.
    var entries: [Entry] = []
    /// By ascending remote, at most one for each.
    var marks: [RevisionTree.RemoteMark] = []

    /// Creates a history without revisions.
    public init() {}

    init(only revision: HistoryRevision, knownAt remote: RemoteID?) {
        let mixed =
            revision.id.version.map { MixedVector(vector: VersionVector($0)) }
            ?? MixedVector(legacy: [revision.id])
        entries = [Entry(mixed, revision)]
        marks = remote.map { [RevisionTree.RemoteMark(remote: $0, position: 0)] } ?? []
    }

    /// The vector and tree IDs of the current revision.
    public var currentVector: MixedVector { entries.first?.mixed ?? MixedVector() }

    /// All revisions with their vectors, the current one first.
    public var known: [(mixed: MixedVector, revision: HistoryRevision)] {
        entries.map { ($0.mixed, $0.revision) }
    }

    func position(of id: RevisionID) -> Int? { entries.firstIndex { $0.id == id } }

    /// The position of the revision with this name, or with the one that it is converted to.
    func position(ofSameAs id: RevisionID) -> Int? {
        position(of: id) ?? entries.firstIndex { $0.id.isSame(as: id) }
    }

    func isMarked(_ position: Int) -> Bool { marks.contains { $0.position == position } }

    // MARK: Steps of every change

    mutating func setMark(of remote: RemoteID, to position: Int) {
        marks.removeAll { $0.remote == remote }
        marks.append(RevisionTree.RemoteMark(remote: remote, position: position))
        marks.sort { $0.remote < $1.remote }
    }

    /// Makes an entry current; the previous one stays after it until `settle`.
    mutating func makeCurrent(_ entry: Entry) {
        entries.insert(entry, at: 0)
        for index in marks.indices { marks[index].position += 1 }
        // An entry with that ID is the same revision with less knowledge.
        if let twin = entries.indices.dropFirst().first(where: { entries[$0].id == entry.id }) {
            move(marksFrom: twin, to: 0)
        }
    }

    /// Adds an entry after the current one, or finds the one with its ID.
    mutating func add(_ entry: Entry) -> Int {
        if let position = position(of: entry.id) {
            if position > 0, entries[position].revision.body == nil {
                entries[position].revision.body = entry.revision.body
            }
            return position
        }
        let place = min(1, entries.count)
        entries.insert(entry, at: place)
        for index in marks.indices where marks[index].position >= place {
            marks[index].position += 1
        }
        return place
    }

    private mutating func move(marksFrom source: Int, to target: Int) {
        for index in marks.indices where marks[index].position == source {
            marks[index].position = target
        }
    }

    /// Restores the invariants after a change: an entry in conflict is one that a remote has and that the
    /// current revision has not overtaken; only entries that a remote has, or a rule keeps, stay.
    mutating func settle(_ retention: BodyRetention = .none, replaced: RevisionID? = nil) {
        guard !entries.isEmpty else { return }
        entries[0].revision.flags.subtract([.conflict, .closed, .keepsBody])
        var keptCount = 0
        var kept: [Int] = [0]
        for position in entries.indices.dropFirst() where entries[position].id != entries[0].id {
            let isConflict =
                entries[position].isConflict && isMarked(position)
                && !entries[0].knows(entries[position].id)
            if !isConflict { entries[position].revision.flags.remove(.conflict) }
            if isMarked(position) || isBase(position) {
                kept.append(position)
            } else if keptCount < retention.revisionCount,
                isSource(entries[position], retention, isReplaced: entries[position].id == replaced)
            {
                keptCount += 1
                entries[position].revision.flags.insert(.keepsBody)
                kept.append(position)
            }
        }
        let places = Dictionary(uniqueKeysWithValues: zip(kept, kept.indices))
        entries = kept.map { entries[$0] }
        marks = marks.compactMap { mark in
            places[mark.position].map { RevisionTree.RemoteMark(remote: mark.remote, position: $0) }
        }
    }

    /// Whether both sides of a conflict follow this revision.
    private func isBase(_ position: Int) -> Bool {
        let id = entries[position].id
        return entries[position].revision.body != nil && entries[0].knows(id)
            && entries.contains { $0.isConflict && $0.id != id && $0.knows(id) }
    }

    private func isSource(_ entry: Entry, _ retention: BodyRetention, isReplaced: Bool) -> Bool {
        guard let body = entry.revision.body, body.count >= max(retention.minimumByteCount, 1),
            body.count <= retention.maximumByteCount,
            !entry.revision.isTombstone
        else { return false }
        return isReplaced ? !retention.dropsReplaced : entry.revision.flags.contains(.keepsBody)
    }

    /// The retention that keeps what is kept now.
    var unchangedRetention: BodyRetention {
        BodyRetention(
            revisionCount: entries.count { $0.revision.flags.contains(.keepsBody) },
            minimumByteCount: 0
        )
    }
}
