import DivanJSON
import DivanRevisions
import DivanStore

/// The revisions of a document as points of a drawing: a tree's with their parents, version vectors
/// with what each has seen.
struct RevisionGraph {
    let nodes: [JSON]

    init(_ history: (any RevisionHistory)?, remotes: [StoredRemote], source: SourceID) {
        switch history {
        case let tree as RevisionTree: nodes = Self.nodes(of: tree, remotes)
        case let vectors as VectorHistory: nodes = Self.nodes(of: vectors, remotes, source)
        default: nodes = []
        }
    }

    private static func nodes(of tree: RevisionTree, _ remotes: [StoredRemote]) -> [JSON] {
        let current = tree.current?.id
        let leaves = Set(tree.leaves.map(\.id))
        return tree.revisions.map { revision in
            var node = members(of: revision, isCurrent: revision.id == current)
            node["leaf"] = .bool(leaves.contains(revision.id))
            if let parent = revision.parent { node["parent"] = JSON(parent) }
            let holders = remotes.filter { tree.latest(at: $0.id) == revision.id }
            node["remotes"] = .array(holders.map { .string($0.name) })
            return .object(node)
        }
    }

    private static func nodes(
        of history: VectorHistory,
        _ remotes: [StoredRemote],
        _ source: SourceID
    ) -> [JSON] {
        history.known.map { mixed, revision in
            var node = members(of: revision, isCurrent: revision.id == history.current?.id)
            node["leaf"] = true
            node["vector"] = .string(mixed.description)
            let vector = mixed.vector
            node["merged"] = .array(vector.merged.map { .string("\($0)") })
            node["previous"] = .array(vector.previous.map { .string("\($0)") })
            node["own"] = .bool(revision.id.version?.source == source)
            let holders = remotes.filter { history.latest(at: $0.id) == revision.id }
            node["remotes"] = .array(holders.map { .string($0.name) })
            return .object(node)
        }
    }

    private static func members(of revision: HistoryRevision, isCurrent: Bool) -> JSONObject {
        [
            "rev": .string("\(revision.id)"), "sequence": JSON(revision.sequence),
            "deleted": .bool(revision.isTombstone), "current": .bool(isCurrent),
            "conflict": .bool(revision.flags.contains(.conflict)),
            "body": .bool(revision.body != nil),
        ]
    }
}
