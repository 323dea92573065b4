import DivanBLIP
import DivanDatabase
import DivanJSON
import DivanRevisions

/// What a relay does to the versions in messages, so that its replicator implements version
/// vectors incorrectly.
struct VectorTampering {
    let bug: SeededBug
    unowned let node: Node
    unowned let world: World

    /// Changes a message; `isOutgoing` if it was sent by the replicator behind the relay.
    func change(_ message: inout RelayedMessage, isOutgoing: Bool) {
        switch (bug, message.profile, message.isReply) {
        case (.timeRounded, "rev", false) where isOutgoing && node.number == 0:
            rewrite(&message) { vector in vector.map { Self.rounded($0) } }
        case (.loserForgotten, "rev", false) where isOutgoing:
            rewrite(&message) { vector in vector.filter { $0.time <= vector[0].time } }
        case (.meOnTheWire, "rev", false) where isOutgoing && node.number == 0:
            replaceOwnSource(&message)
        case (.ownTakenForKnown, "changes", true) where isOutgoing:
            answerFromMemory(&message)
        case (.ownTakenForKnown, "changes", false) where !isOutgoing:
            node.announced = Self.entries(message)
        case (.vectorOverstated, "rev", false) where !isOutgoing:
            overstate(&message)
        default: break
        }
    }

    // MARK: Vectors of revisions

    private func rewrite(_ message: inout RelayedMessage, _ change: ([Version]) -> [Version]) {
        guard let mixed = vector(of: message), !mixed.isLegacy else { return }
        let versions = change(mixed.vector.versions)
        let isWhole = versions.count == mixed.vector.versions.count
        guard let first = versions.first,
            let vector = try? VersionVector(
                versions,
                mergeCount: isWhole ? mixed.vector.mergeCount : 0
            )
        else { return }
        message.properties["rev"] = first.description
        let history = MixedVector(vector: vector, legacy: mixed.legacy).history
        message.properties["history"] = history.isEmpty ? nil : history
    }

    private func vector(of message: RelayedMessage) -> MixedVector? {
        guard let id = message.properties["rev"].flatMap({ RevisionID(ofAnyScheme: $0) }) else {
            return nil
        }
        return try? MixedVector(id, history: message.properties["history"] ?? "")
    }

    private static func rounded(_ version: Version) -> Version {
        Version(time: UInt64(Double(version.time)), source: version.source) ?? version
    }

    private func replaceOwnSource(_ message: inout RelayedMessage) {
        guard let source = node.store?.source.description else { return }
        for name in ["rev", "history"] {
            guard let text = message.properties[name] else { continue }
            message.properties[name] = text.split(
                separator: source,
                omittingEmptySubsequences: false
            )
            .joined(separator: "*")
        }
    }

    /// As if the sender had seen what is current here.
    private func overstate(_ message: inout RelayedMessage) {
        guard let number = message.properties["collection"].flatMap({ Int($0) }),
            world.scenario.collections.indices.contains(number),
            let name = message.properties["id"], let mixed = vector(of: message), !mixed.isLegacy,
            let current =
                (try? node.store?.read { reader in
                    try reader.document(
                        DocumentID(unchecked: name),
                        in: world.scenario.collections[number],
                        includingTombstones: true
                    )
                })?.revisionID.version,
            current.source != mixed.vector.current?.source
        else { return }
        rewrite(&message) { versions in
            versions.filter { $0.source != current.source } + [current]
        }
    }

    // MARK: Announcements

    private static func entries(_ message: RelayedMessage) -> [String] {
        let list = (try? JSON(parsing: message.body.span))?.array ?? []
        return list.map { $0.array?.dropFirst(2).first?.string ?? "" }
    }

    /// Requests nothing that has the own source.
    private func answerFromMemory(_ message: inout RelayedMessage) {
        guard let source = node.store?.source.description, !message.isError,
            var answers = (try? JSON(parsing: message.body.span))?.array,
            answers.count <= node.announced.count
        else { return }
        for (place, name) in zip(answers.indices, node.announced) where name.hasSuffix("@" + source)
        {
            answers[place] = 0
        }
        guard let body = try? JSON.array(answers).canonicalBytes() else { return }
        message.body = body
    }
}
