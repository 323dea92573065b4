import DivanRevisions
import DivanSimulation
import DivanTransport

/// Something that the world does to a node or the network at a planned time.
enum Action: Sendable {
    case save(Edit)
    /// Many revisions of one document, so that its history is pruned.
    case burst(Edit, count: Int)
    case delete(Place)
    case purge(Place)
    /// The document is purged this long from now, by the node's own clock.
    case expire(Place, after: Duration)
    /// Blobs that no document refers to any more are collected.
    case compact(node: Int)

    /// The node's connections are lost.
    case cut(node: Int, SimulatedLoss)
    /// The node is off the network for a while.
    case isolate(node: Int, Duration)
    /// The node stops listening for a while.
    case closePort(node: Int, Duration)
    /// The process ends without warning and comes back.
    case crash(node: Int, down: Duration)
    /// The process ends between two of its effects, after some more commits, and comes back.
    case die(node: Int, afterCommits: Int, isBeforeCommit: Bool, down: Duration)
    /// From now on the node resolves conflicts in another way.
    case decide(node: Int, ResolverKind)
    /// The database is copied away.
    case backUp(node: Int)
    /// The process ends, and comes back with the copy in place of its database.
    case restore(node: Int, down: Duration)
    /// The disk fails for a while.
    case breakDisk(node: Int, DiskFault, Duration)
    /// From now on the node names its revisions by version vectors, and restarts its replications.
    case upgrade(node: Int)
    /// The wall clock jumps.
    case jump(node: Int, Duration)
    /// A replication is stopped and restarted, perhaps from the beginning.
    case restart(link: Int, isReset: Bool)
    /// Checks whether checkpoints claim what is not stored.
    case audit

    /// A document at a node.
    struct Place: Hashable, Sendable {
        var node: Int
        var collection: Int
        var documentID: DocumentID
    }

    /// A change of one member of a document, or a new document.
    struct Edit: Sendable {
        var place: Place
        /// What is written; no two edits write the same.
        var token: String
        var field: Int
        /// Bytes of a new blob, if any.
        var blobByteCount: Int?
        /// Bytes of additional text.
        var textByteCount: Int
    }
}

/// An action and when it comes.
struct PlannedAction: Sendable {
    /// Its index in the whole plan; shrinking keeps it.
    var number: Int
    var time: Duration
    var action: Action
}

extension PlannedAction: CustomStringConvertible {
    var description: String { "#\(number) \(time.clockText)  \(action)" }
}

extension Action: CustomStringConvertible {
    var description: String {
        switch self {
        case .save(let edit):
            let blob = edit.blobByteCount.map { ", blob of \($0) bytes" } ?? ""
            return "\(edit.place): save \(edit.token) in f\(edit.field)\(blob)"
        case .burst(let edit, let count): return "\(edit.place): \(count) saves \(edit.token)"
        case .delete(let place): return "\(place): delete"
        case .purge(let place): return "\(place): purge"
        case .expire(let place, let after): return "\(place): expires in \(after)"
        case .compact(let node): return "node \(node): compact"
        case .cut(let node, let loss): return "node \(node): connections lost (\(loss))"
        case .isolate(let node, let time): return "node \(node): off the network for \(time)"
        case .closePort(let node, let time): return "node \(node): does not listen for \(time)"
        case .crash(let node, let down): return "node \(node): crash, back in \(down)"
        case .die(let node, let count, let isBefore, let down):
            let place = isBefore ? "before" : "after"
            return "node \(node): dies \(place) commit \(count), back in \(down)"
        case .decide(let node, let kind): return "node \(node): \(kind.rawValue) from now on"
        case .backUp(let node): return "node \(node): database copied away"
        case .restore(let node, let down): return "node \(node): copy put back, back in \(down)"
        case .breakDisk(let node, let fault, let time):
            return "node \(node): disk fails (\(fault.rawValue)) for \(time)"
        case .upgrade(let node): return "node \(node): upgraded to version vectors"
        case .jump(let node, let by): return "node \(node): clock jumps by \(by)"
        case .restart(let link, let isReset):
            return "link \(link): restarted\(isReset ? " from zero" : "")"
        case .audit: return "audit"
        }
    }
}

extension Action.Place: CustomStringConvertible {
    var description: String { "node \(node) \(collection)/\(documentID)" }
}

extension Action {
    /// The node that the action applies to, if any.
    var node: Int? {
        switch self {
        case .save(let edit), .burst(let edit, _): edit.place.node
        case .delete(let place), .purge(let place), .expire(let place, _): place.node
        case .compact(let node), .cut(let node, _), .isolate(let node, _),
            .closePort(let node, _), .crash(let node, _), .backUp(let node),
            .die(let node, _, _, _), .decide(let node, _), .upgrade(let node),
            .restore(let node, _), .breakDisk(let node, _, _), .jump(let node, _):
            node
        case .restart, .audit: nil
        }
    }
}
