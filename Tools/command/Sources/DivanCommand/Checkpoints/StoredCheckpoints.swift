import DivanCommandLine
import DivanDatabase
import DivanJSON
import DivanReplicator

/// The checkpoints that a database keeps, by peer and collection.
///
/// Their names are digests. Those of runs without channels and document IDs are found by computing
/// the name again for each peer, collection and direction.
struct StoredCheckpoints {
    /// A checkpoint of this database.
    struct Entry {
        let id: String
        /// The peer, as the database remembers it; `nil` if the name could not be computed.
        var remote: String?
        var collection: CollectionPath?
        /// `sync`, `push` or `pull`; the default collection does not distinguish them.
        var verb: String?
        let checkpoint: Checkpoint
    }

    /// The checkpoints of this database.
    let entries: [Entry]
    /// The checkpoints that peers store in this database.
    let kept: [(id: String, PeerCheckpoint)]

    init(_ store: Store) throws {
        let (bodies, remotes, paths, kept) = try store.read { reader in
            (
                try reader.localCheckpoints(), try reader.remotes().map(\.name),
                try reader.collections(), try reader.peerCheckpoints()
            )
        }
        var names: [String: Entry] = [:]
        for remote in remotes {
            for path in paths {
                for verb in ["pull", "push", "sync"] {
                    let id = Self.id(store, remote, path, verb: verb)
                    names[id] = Entry(
                        id: id,
                        remote: remote,
                        collection: path,
                        verb: path == .default ? nil : verb,
                        checkpoint: Checkpoint()
                    )
                }
            }
        }
        entries = bodies.map { id, body in
            Entry(
                id: id,
                remote: names[id]?.remote,
                collection: names[id]?.collection,
                verb: names[id]?.verb,
                checkpoint: Checkpoint(json: body)
            )
        }
        self.kept = kept
    }

    /// The name of a checkpoint of a run without channels and document IDs.
    static func id(_ store: Store, _ remote: String, _ path: CollectionPath, verb: String) -> String
    {
        let run = PeerConfiguration.ActiveOptions(
            pushes: verb != "pull",
            pulls: verb != "push",
            isContinuous: false,
            collections: [],
            remoteIdentity: remote
        )
        return CheckpointNames(of: .init(path), run, in: store).id.description
    }
}

extension StoredCheckpoints.Entry {
    /// The syncs that use it, if known.
    var owner: String {
        guard let collection else { return "sync with --channels or --documents" }
        return "\(collection.wireName), \(verb ?? "push, pull or sync")"
    }

    var json: JSONObject {
        var object = checkpoint.members
        object["checkpoint"] = .string(id)
        if let remote { object["peer"] = .string(PeerURL.text(remote)) }
        if let collection { object["collection"] = .string(collection.wireName) }
        if let verb { object["verb"] = .string(verb) }
        return object
    }
}

extension Checkpoint {
    /// How far it has come, for people.
    var sentence: String {
        var parts: [String] = []
        if completed.firstRangeEnd > 0 || completed.ranges.count > 1 {
            let more = completed.ranges.dropFirst().reduce(UInt64(0)) {
                $0 + ($1.upperBound - $1.lowerBound)
            }
            let rest = more > 0 ? " and \(Numbers.grouped(more)) later changes" : ""
            parts.append("pushed up to \(Numbers.grouped(completed.firstRangeEnd))\(rest)")
        }
        if let remote { parts.append("pulled up to \(Self.read(remote.json))") }
        return parts.isEmpty ? "nothing yet" : parts.joined(separator: ", ")
    }

    /// The peer's own sequence; where it is a number, formatted like ours.
    private static func read(_ sequence: String) -> String {
        UInt64(sequence).map { Numbers.grouped($0) } ?? sequence
    }

    /// How far it has come, for machines.
    var members: JSONObject {
        let remote = remote.flatMap { try? JSON(parsing: Array($0.json.utf8)) }
        return [
            "pushedThrough": JSON(completed.firstRangeEnd), "pulledThrough": remote ?? .null,
        ]
    }
}
