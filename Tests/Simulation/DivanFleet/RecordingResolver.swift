import DivanConflicts
import DivanDatabase
import DivanRevisions
import DivanSimulation
import DivanTransport

/// Asks a resolver, records it in the model, and now and then refuses or decides badly.
///
/// `@unchecked Sendable` holds because a simulation has one thread.
final class RecordingResolver: ConflictResolver, @unchecked Sendable {
    /// Refuses to answer.
    struct Refusal: Error {}

    private let collection: Int
    private let node: Int
    private unowned let world: World

    /// The current rule of the node.
    private var kind: ResolverKind { world.nodes[node].resolver }

    init(collection: Int, node: Int, world: World) {
        self.collection = collection
        self.node = node
        self.world = world
    }

    func resolve(_ conflict: Conflict) throws -> Resolution {
        if world.resolverFails() { throw Refusal() }
        let resolution = try decision(of: conflict)
        let key = Model.Key(collection: collection, documentID: conflict.documentID)
        world.note(
            "node \(node) \(collection)/\(conflict.documentID): \(text(resolution, conflict))"
        )
        if kind == .default, world.bug != .pingPong { compare(resolution, with: conflict) }
        world.model.decide(
            resolution,
            of: conflict,
            in: key,
            at: node,
            namedBy: world.nodes[node].store?.scheme ?? .trees,
            world.loop.now
        )
        return resolution
    }

    private func decision(of conflict: Conflict) throws -> Resolution {
        let isWrongNode = world.bug == .winnerReversed && node == world.scenario.nodeCount - 1
        switch kind {
        case _ where world.bug == .pingPong: return stampedMerge(of: conflict)
        case .default:
            let right = DefaultResolver().resolve(conflict)
            return isWrongNode ? (right == .keepLocal ? .keepRemote : .keepLocal) : right
        case .localWins: return LocalWinsResolver().resolve(conflict)
        case .remoteWins: return RemoteWinsResolver().resolve(conflict)
        case .fieldMerge: return try FieldMergeResolver().resolve(conflict)
        }
    }

    /// A merge that no other peer would make.
    private func stampedMerge(of conflict: Conflict) -> Resolution {
        let count = world.model.resolutionCount
        return .merge(body: Array("{\"by\":\(node),\"merge\":\(count)}".utf8))
    }

    /// The rule, implemented a second time independently of the product (`behaviour.md` §9).
    private func compare(_ resolution: Resolution, with conflict: Conflict) {
        let (local, remote) = (conflict.local, conflict.remote)
        let localWins =
            if local.precedence.deletionCount != remote.precedence.deletionCount {
                local.precedence.deletionCount > remote.precedence.deletionCount
            } else if local.revisionID.isVersion || remote.revisionID.isVersion {
                (local.revisionID.timestamp, local.revisionID.description)
                    > (remote.revisionID.timestamp, remote.revisionID.description)
            } else if local.revisionID.generation != remote.revisionID.generation {
                local.revisionID.generation > remote.revisionID.generation
            } else {
                remote.revisionID.digest.utf8.lexicographicallyPrecedes(
                    local.revisionID.digest.utf8
                )
            }
        guard resolution != (localWins ? .keepLocal : .keepRemote) else { return }
        // Two sources at one time: any order is acceptable that is the same everywhere.
        if local.revisionID.isVersion, local.revisionID.timestamp == remote.revisionID.timestamp {
            return
        }
        world.model.recordViolation("\(conflict.documentID): \(text(resolution, conflict))")
    }

    private func text(_ resolution: Resolution, _ conflict: Conflict) -> String {
        let name =
            switch resolution {
            case .keepLocal: "keep local"
            case .keepRemote: "keep remote"
            case .merge: "merge"
            case .delete: "delete"
            }
        let (local, remote) = (conflict.local, conflict.remote)
        return "conflict of \(local.revisionID.short)\(local.isTombstone ? "†" : "") with remote "
            + "\(remote.revisionID.short)\(remote.isTombstone ? "†" : ""): \(name)"
    }
}

extension RevisionID {
    /// The generation and the first digits of the digest, or the ends of a version's time and source.
    var short: String {
        guard isVersion else { return "\(generation)-\(digest.prefix(4))" }
        let parts = description.split(separator: "@")
        return "\(parts[0].suffix(10))@\(parts[1].prefix(3))"
    }
}
