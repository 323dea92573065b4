import DivanBLIP
import DivanDatabase
import DivanDelta
import DivanJSON
import DivanReplicator

/// What a relay does to the messages of one connection to make its replicator a broken one.
///
/// `@unchecked Sendable` holds because a simulation has one thread.
final class Tampering: @unchecked Sendable {
    private let bug: SeededBug
    private let isActive: Bool
    private unowned let node: Node
    private unowned let world: World
    /// The greatest sequence that was announced, by the collection's number on the wire.
    private var announced: [String: UInt64] = [:]

    init(bug: SeededBug, node: Node, isActive: Bool, world: World) {
        self.bug = bug
        self.node = node
        self.isActive = isActive
        self.world = world
    }

    /// Changes a message; `isOutgoing` if it was sent by the replicator behind this relay.
    func change(_ message: inout RelayedMessage, isOutgoing: Bool) {
        let isRevision = message.profile == "rev" && !message.isReply
        switch bug {
        case .checkpointBeforeData, .sequenceSkipped:
            if !isOutgoing, message.profile == "changes", !message.isReply { listen(to: message) }
            if isOutgoing, message.profile == "setCheckpoint", !message.isReply {
                rewriteCheckpoint(&message)
            }
        case .lineageLost:
            if isOutgoing, message.profile == "setCheckpoint", !message.isReply {
                message.body = Checkpoint(json: message.body).json(time: 0)
            }
        case .historyTruncated:
            if isOutgoing, isActive, isRevision { message.properties["history"] = nil }
        case .mutualClosing:
            message.properties["closings"] = nil
        case .deltaOnWrongBase:
            if !isOutgoing, isRevision { applyWrongly(&message) }
        case .checksumUnchecked:
            if !isOutgoing, isRevision, world.draw(0...9) == 0 { damage(&message) }
        case .acknowledgedBeforeStored:
            if isOutgoing, message.profile == "rev", message.isReply, message.isError {
                message.isError = false
                message.properties = [:]
                message.body = []
            }
        default:
            if bug.isOfVectors {
                VectorTampering(bug: bug, node: node, world: world)
                    .change(&message, isOutgoing: isOutgoing)
            }
        }
    }

    // MARK: Checkpoints

    private func listen(to message: RelayedMessage) {
        guard let entries = (try? JSON(parsing: message.body.span))?.array,
            let last = entries.compactMap({ $0.array?.first?.int }).max()
        else { return }
        let collection = message.properties["collection"] ?? ""
        announced[collection] = max(announced[collection] ?? 0, UInt64(max(0, last)))
    }

    private func rewriteCheckpoint(_ message: inout RelayedMessage) {
        var checkpoint = Checkpoint(json: message.body)
        if bug == .sequenceSkipped {
            checkpoint.completed = SequenceSet(through: checkpoint.completed.last ?? 0)
        } else if let last = announced[message.properties["collection"] ?? ""] {
            checkpoint.remote = RemoteSequence(max(last, checkpoint.remote?.number ?? 0))
        }
        message.body = checkpoint.json(time: 0)
        node.mistakes.checkpoints[message.properties["client"] ?? ""] = message.body
    }

    // MARK: Bodies

    /// Applies a delta before the replicator can, to a wrong body.
    private func applyWrongly(_ message: inout RelayedMessage) {
        let key = ExactText(
            (message.properties["collection"] ?? "") + "/" + (message.properties["id"] ?? "")
        )
        let known = node.bodies[key] ?? []
        if message.properties["deltaSrc"] != nil {
            for body in known {
                guard let base = try? JSON(parsing: body.span),
                    let delta = try? JSON(parsing: message.body.span),
                    let made = try? JSONDelta.apply(delta, to: base), made.kind == .object,
                    let bytes = try? made.canonicalBytes()
                else { continue }
                message.properties["deltaSrc"] = nil
                message.body = bytes
                break
            }
        }
        guard message.properties["deltaSrc"] == nil, !known.contains(message.body) else { return }
        node.bodies[key, default: []].append(message.body)
    }

    /// Replaces one letter of a text by another.
    private func damage(_ message: inout RelayedMessage) {
        let letters = message.body.indices.filter {
            (UInt8(ascii: "a")...UInt8(ascii: "y")).contains(message.body[$0])
        }
        guard !letters.isEmpty, message.properties["deltaSrc"] == nil else { return }
        message.body[letters[world.draw(0...(letters.count - 1))]] += 1
    }
}
