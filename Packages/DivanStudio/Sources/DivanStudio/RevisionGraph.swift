public import DivanDatabase
public import DivanJSON
public import DivanRevisions

/// The revisions of a document as a graph: nodes of a revision tree with their parents, or version vectors.
public struct RevisionGraph {
    /// An object for each known revision; in a revision tree the newest first, with version vectors the current one
    /// first.
    public let nodes: [JSON]

    /// Creates the nodes of a history.
    ///
    /// - Parameters:
    ///   - history: The store's history of the document; without one there are no nodes.
    ///   - remotes: The remotes whose latest revisions are marked.
    ///   - source: The source that writes to this database.
    public init(
        _ history: (any RevisionHistory)?,
        remotes: [StoredRemote],
        source: SourceID
    ) {
        let holders = Self.holders(in: history, remotes)
        switch history {
        case let tree as RevisionTree: nodes = Self.nodes(of: tree, holders)
        case let vectors as VectorHistory: nodes = Self.nodes(of: vectors, holders, source)
        default: nodes = []
        }
    }

    /// The names of the remotes that have a revision as their latest.
    private static func holders(
        in history: (any RevisionHistory)?,
        _ remotes: [StoredRemote]
    ) -> [RevisionID: [JSON]] {
        var holders: [RevisionID: [JSON]] = [:]
        for remote in remotes {
            guard let latest = history?.latest(at: remote.id) else { continue }
            holders[latest, default: []].append(.string(remote.name))
        }
        return holders
    }

    private static func nodes(
        of tree: RevisionTree,
        _ holders: [RevisionID: [JSON]]
    ) -> [JSON] {
        let current = tree.current?.id
        let leaves = Set(tree.leaves.map(\.id))
        return tree.revisions.map { revision in
            var node = members(of: revision, isCurrent: revision.id == current, holders)
            node["leaf"] = .bool(leaves.contains(revision.id))
            if let parent = revision.parent {
                node["parent"] = .string("\(tree.revisions[parent].id)")
            }
            return .object(node)
        }
    }

    private static func nodes(
        of history: VectorHistory,
        _ holders: [RevisionID: [JSON]],
        _ source: SourceID
    ) -> [JSON] {
        let current = history.current?.id
        return history.known.map { mixed, revision in
            var node = members(of: revision, isCurrent: revision.id == current, holders)
            node["leaf"] = true
            let vector = mixed.vector.withoutDeletions
            let named = MixedVector(vector: vector, legacy: mixed.legacy)
            node["vector"] = .string(named.description)
            node["merged"] = .array(vector.merged.map { .string("\($0)") })
            node["previous"] = .array(vector.previous.map { .string("\($0)") })
            node["own"] = .bool(revision.id.version?.source == source)
            return .object(node)
        }
    }

    private static func members(
        of revision: HistoryRevision,
        isCurrent: Bool,
        _ holders: [RevisionID: [JSON]]
    ) -> JSONObject {
        var members: JSONObject = [
            "revision": .string("\(revision.id)"), "sequence": JSON(revision.sequence),
            "deleted": .bool(revision.isTombstone), "current": .bool(isCurrent),
            "conflict": .bool(revision.flags.contains(.conflict)),
            "remotes": .array(holders[revision.id] ?? []),
        ]
        if let body = revision.body { members["bytes"] = JSON(body.count) }
        return members
    }
}
