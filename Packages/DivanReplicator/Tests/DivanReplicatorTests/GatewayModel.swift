import DivanBLIP
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanZlib
import Foundation

/// A model of Sync Gateway 4 whose tombstones are in no channel: it announces them with the flags 5, and with version
/// vectors sends them without their history.
///
/// Source: `version-vectors.md` §8, `revisions.md` §7.
final class GatewayModel {
    /// One document as the server has it.
    struct Document {
        var id: RevisionID
        var body: String
        var isTombstone: Bool
        var sequence: UInt64
        /// With version vectors: everything that the document has seen.
        var vector = VersionVector()
        /// With trees: the current revision's ancestors, newest first.
        var ancestors: [RevisionID] = []
        /// With trees: every revision that ever arrived.
        var known: Set<RevisionID> = []

        init(_ id: RevisionID, _ body: String, _ isTombstone: Bool, _ sequence: UInt64) {
            (self.id, self.body) = (id, body)
            (self.isTombstone, self.sequence) = (isTombstone, sequence)
        }
    }

    let scheme: RevisionScheme
    /// Whether a proposal is answered 304 if its version is in the document's vector, even with the right parent.
    let answersFromVector: Bool
    private(set) var documents: [DocumentID: Document] = [:]
    private var checkpoints: [String: (revision: Int, body: [UInt8])] = [:]
    private var lastSequence: UInt64 = 0
    private let source: SourceID
    private let clock: VirtualClock

    init(_ scheme: RevisionScheme, answersFromVector: Bool, clock: VirtualClock) {
        self.scheme = scheme
        self.answersFromVector = answersFromVector
        self.clock = clock
        source = SourceID(bytes: Array(repeating: 7, count: 16)) ?? .unknown
    }

    /// The live body of a document.
    func body(_ id: DocumentID) -> String? {
        documents[id].flatMap { $0.isTombstone ? nil : $0.body }
    }

    /// Saves or deletes a document over REST.
    func save(_ id: DocumentID, _ body: String, isTombstone: Bool = false) throws {
        let old = documents[id]
        lastSequence += 1
        switch scheme {
        case .trees:
            let name = try RevisionID.digesting(
                parent: old?.id,
                isTombstone: isTombstone,
                canonicalBody: Array(body.utf8).span
            )
            var new = Document(name, body, isTombstone, lastSequence)
            new.ancestors = old.map { [$0.id] + $0.ancestors } ?? []
            new.known = (old?.known ?? []).union([name])
            documents[id] = new
        case .vectors:
            let seen = old?.vector ?? VersionVector()
            let vector = seen.saved(by: source, at: clock.now + lastSequence << 16)
            guard let version = vector.current else { return }
            var new = Document(RevisionID(version), body, isTombstone, lastSequence)
            new.vector = vector
            documents[id] = new
        }
    }
}

// MARK: - Push

extension GatewayModel {
    /// The answer to one entry of `proposeChanges`, as JSON.
    func evaluate(_ entry: [Any]) -> String {
        guard entry.count > 1, let name = entry[0] as? String, let text = entry[1] as? String,
            let id = RevisionID(ofAnyScheme: text)
        else { return "400" }
        guard let document = documents[DocumentID(unchecked: name)] else { return "0" }
        let parent = (entry.count > 2 ? entry[2] as? String : nil).flatMap {
            RevisionID(ofAnyScheme: $0)
        }
        let isKnown =
            switch scheme {
            case .trees: document.known.contains(id)
            case .vectors: id.version.map { document.vector.contains($0) } ?? false
            }
        if answersFromVector, isKnown { return "304" }
        if parent == document.id { return "0" }
        if isKnown { return "304" }
        if scheme == .trees, document.isTombstone, parent == nil { return "0" }
        if let new = id.version, new.source == document.id.version?.source { return "0" }
        return #"{"status":409,"rev":"\#(document.id)"}"#
    }

    /// Stores a pushed revision; `false` if it is in conflict.
    func receive(_ id: DocumentID, _ properties: BLIPProperties, _ body: String) throws -> Bool {
        guard let name = properties["rev"].flatMap({ RevisionID(ofAnyScheme: $0) }) else {
            return false
        }
        let past = try RevisionAncestry(of: name, text: properties["history"] ?? "")
        let isTombstone = properties["deleted"] != nil
        var new = Document(name, body, isTombstone, 0)
        let old = documents[id]
        switch scheme {
        case .trees:
            if old?.known.contains(name) ?? false { return true }
            guard isNext(past.ids, isTombstone, after: old) else { return false }
            new.ancestors = past.ids
            new.known = (old?.known ?? []).union([name] + past.ids)
        case .vectors:
            let versions = ([name] + past.ids).compactMap(\.version)
            new.vector = try VersionVector(versions, mergeCount: past.mergeCount)
            if let old, let version = name.version, let current = old.id.version {
                if old.id == name { return true }
                if !new.vector.contains(current) { return old.vector.contains(version) }
                new.vector = new.vector.knowing(old.vector)
            }
        }
        lastSequence += 1
        new.sequence = lastSequence
        documents[id] = new
        return true
    }

    private func isNext(
        _ ancestors: [RevisionID],
        _ isTombstone: Bool,
        after old: Document?
    ) -> Bool {
        guard let old else { return true }
        guard let ancestor = ancestors.first(where: old.known.contains) else {
            return old.isTombstone && !isTombstone
        }
        return ancestor == old.id
    }
}

// MARK: - Pull

extension GatewayModel {
    /// The changes after a sequence, in order.
    func changes(after sequence: UInt64, skippingTombstones: Bool) -> [(DocumentID, Document)] {
        documents.filter {
            $0.value.sequence > sequence && !(skippingTombstones && $0.value.isTombstone)
        }
        .sorted { $0.value.sequence < $1.value.sequence }.map { ($0.key, $0.value) }
    }

    /// A list of changes as JSON.
    static func list(_ changes: [(DocumentID, Document)]) -> String {
        let entries = changes.map { id, document in
            #"[\#(document.sequence),"\#(id)","\#(document.id)"\#(document.isTombstone ? ",5" : "")]"#
        }
        return "[\(entries.joined(separator: ","))]"
    }

    /// The message with a revision.
    func message(_ id: DocumentID, _ document: Document) -> BLIPRequest {
        var properties: BLIPProperties = [
            "collection": "0", "id": id.text, "rev": document.id.description,
        ]
        properties.append("sequence", String(document.sequence))
        var past = RevisionAncestry(document.ancestors)
        if scheme == .vectors, !document.isTombstone {
            past = RevisionAncestry(of: MixedVector(vector: document.vector))
        }
        if !past.ids.isEmpty { properties.append("history", past.text(of: document.id)) }
        if document.isTombstone { properties.append("deleted", "1") }
        let body = document.isTombstone ? "{}" : document.body
        return BLIPRequest(profile: "rev", properties: properties, body: .bytes(Array(body.utf8)))
    }

    /// A checkpoint with its revision, or an empty object, as JSON.
    func checkpoint(_ client: String) -> String {
        guard let stored = checkpoints[client] else { return "{}" }
        let fields = String(decoding: stored.body, as: UTF8.self).dropFirst()
        return #"{"rev":"0-\#(stored.revision)",\#(fields)"#
    }

    /// Stores a checkpoint; returns its revision.
    func setCheckpoint(_ client: String, _ body: [UInt8]) -> String {
        let revision = (checkpoints[client]?.revision ?? 0) + 1
        checkpoints[client] = (revision, body)
        return "0-\(revision)"
    }
}
